"""Account for the words of a question: which of them a plan reads, and which it leaves unread."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from language.english.function_words import EXPLANATIONS, FUNCTION_WORDS, NAMES_IN_CAPITALS, PRONOUNS
from language.english.operators import OPERATORS
from language.english.stems import question_words
from language.marks import Mark
from language.question import Question, Word
from language.values import QuestionValue, ValueForm
from services.retriever.plans.accounting.named_words import NamedWords, is_named
from services.retriever.plans.assembly.plan_structure import Structure
from services.retriever.plans.grammar.actions import Action, Op
from services.retriever.plans.names.ordinals import ordinal_of
from services.retriever.plans.names.periods import period_of
from services.retriever.plans.schema.quantities import dimensions_of
from services.retriever.plans.schema.schema_elements import SchemaElements

_Span = tuple[int, int]
_CODE_LETTERS = 3
_SENTENCE_ENDS = frozenset(".?!:;")


class Part(Enum):
    """Name what a word or a phrase is in its question."""

    BEYOND = auto()
    """An operator that no plan can express."""
    OPERATOR = auto()
    CONSTRAINT = auto()
    NAME = auto()
    ELEMENT = auto()
    WORD = auto()


@dataclass(frozen=True, slots=True)
class Unread:
    """Hold a word or a phrase of a question that a plan does not account for.

    Values count as names. A constraint is a name that restricts the answers: one of a node of the graph, or any name if
    the plan has no values, since such a plan answers about everything. An element is a word that names a kind, a
    connection, or a property that the plan does not use.
    """

    text: str
    part: Part


def unread_words(
    question: Question,
    actions: Sequence[Action],
    values: Sequence[QuestionValue],
    elements: SchemaElements,
    structure: frozenset[Structure] = frozenset(),
) -> list[Unread]:
    """Return the words and phrases of a question that a plan does not account for, in the order of the question.

    Args:
        question: The question.
        actions: The actions of the plan.
        values: The values of the question.
        elements: The schema elements that the actions name.
        structure: The structure of the plan.
    """
    used = {action.number for action in actions if action.op is Op.VALUE}
    named = NamedWords.of(question, actions, elements)
    read = [
        *_values_read(question, values, actions),
        *_units_read(question, [values[number] for number in used], actions, elements),
        *_structure_read(question, values, structure),
    ]
    operators = _operators_left(question, _features(actions, structure, named.stems), named.phrases, read)
    free = [
        span
        for span in _free_values(question, values, used, [*read, *operators])
        if not _is_named(question, span, named)
    ]
    words = _words_left(question, named, [*read, *operators, *free])
    names = {*free, *((one.start, one.end) for one in words if _may_be_name(question, one, is_alone=not used))}
    parts = {
        **{(one.start, one.end): Part.ELEMENT if one.root in elements.roots else Part.WORD for one in words},
        **dict.fromkeys(operators, Part.OPERATOR),
        **dict.fromkeys(_beyond_plans(question) & {*operators}, Part.BEYOND),
        **dict.fromkeys(names, Part.NAME),
        **dict.fromkeys(names & _entities(values, elements, read) if used else names, Part.CONSTRAINT),
    }
    found = {question.text[slice(*span)]: part for span, part in sorted(parts.items())}
    return [Unread(text, part) for text, part in found.items()]


def _features(actions: Sequence[Action], structure: frozenset[Structure], named: frozenset[str]) -> frozenset[str]:
    """Return what a plan has that operators of a question may ask for."""
    return frozenset((*(action.op.name.lower() for action in actions), *structure, *named & EXPLANATIONS))


def _values_read(question: Question, values: Sequence[QuestionValue], actions: Sequence[Action]) -> list[_Span]:
    """Return the spans of the values that a plan uses, or writes out."""
    ops, used = {op for op, _ in actions}, {number for op, number in actions if op is Op.VALUE}
    read = [_whole_name(question, value) for number, value in enumerate(values) if number in used]
    return read + [(value.start, value.end) for value in values if _is_written_out(value, ops)]


def _structure_read(
    question: Question, values: Sequence[QuestionValue], structure: frozenset[Structure]
) -> Iterator[_Span]:
    """Yield the spans of what the structure of a plan reads: a period by which it groups, and an ordinal."""
    if Structure.CALENDAR_GROUP in structure and (period := period_of(question)) is not None:
        yield period[:2]
    if Structure.SKIPPED_ROWS in structure and (ordinal := ordinal_of(question, values)) is not None:
        yield ordinal[:2]


def _words_left(question: Question, named: NamedWords, taken: Sequence[_Span]) -> list[Word]:
    """Return the words that say something, outside of the spans that are taken, and that a plan does not name."""
    return [
        one
        for one in question.words
        if says_something(question.text[one.start : one.end])
        and not _overlaps(one.start, one.end, taken)
        and one.start not in named.starts
    ]


def _may_be_name(question: Question, word: Word, is_alone: bool) -> bool:
    """Return whether a word may be a name: it is capitalised, or the last of a question with no other name."""
    is_last = is_alone and _is_last_object(question, word.start, word.end)
    return is_last or _is_capitalised(question, word.start, word.end)


def _units_read(
    question: Question, used: Sequence[QuestionValue], actions: Sequence[Action], elements: SchemaElements
) -> list[_Span]:
    """Return the spans of the units that a plan reads: those of its numbers, and the one that the question asks for."""
    found = [elements.properties[number] for op, number in actions if op is Op.PROPERTY]
    known = frozenset[str]().union(*(dimensions_of(one.key, one.schema) for one in found))
    spans = [(one.end, one.unit_end) for one in used if any(unit.fits(known) for unit in one.units)]
    asked = question.asked_unit
    if asked is not None and asked.fits(known):
        spans.append((asked.start, asked.end))
    return spans


def _is_capitalised(question: Question, start: int, end: int) -> bool:
    word = question.text[start:end]
    return word.isupper() or (word[0].isupper() and not _begins_sentence(question, start))


def _is_last_object(question: Question, start: int, end: int) -> bool:
    """Return whether a question ends with a preposition and this word, as `in mice`."""
    is_last = not any(map(str.isalnum, question.text[end:]))
    return is_last and question.before(start, Mark.BEFORE_LAST_OBJECT) is not None


def _begins_sentence(question: Question, start: int) -> bool:
    before = question.text[:start].rstrip()
    return not before or before[-1] in _SENTENCE_ENDS


def _whole_name(question: Question, value: QuestionValue) -> _Span:
    """Return the span of a value and of the words after it that its stored text has, too.

    The value may be a short form: `Heathrow` in `Heathrow Airport`, where the graph has `London Heathrow Airport`.
    """
    words = {root for one in value.stored.values() if isinstance(one, str) for _, _, root in question_words(one)}
    end = value.end
    for start, last, root in question.words:
        if start >= value.end and root in words and not question.text[end:start].strip():
            end = last
    return value.start, end


def says_something(word: str) -> bool:
    """Return whether a plan has to account for a word; `US` is a country."""
    return len(word) > 1 and (word in NAMES_IN_CAPITALS or word.lower() not in FUNCTION_WORDS)


def _operators_left(
    question: Question, features: frozenset[str], names: Sequence[_Span], read: list[_Span]
) -> list[_Span]:
    """Return the operators that a plan leaves unread, and add those that it reads to the spans that are `read`.

    Those within names of schema elements are no operators.
    """
    left: list[_Span] = []
    for start, end, number in question.phrases:
        if not _overlaps(start, end, [*read, *names]):
            (read if OPERATORS[number].is_read(features) else left).append((start, end))
    return left


def _beyond_plans(question: Question) -> set[_Span]:
    """Return the spans of the operators that no plan can express."""
    return {(start, end) for start, end, number in question.phrases if OPERATORS[number].is_beyond_plans}


def unread_share(question: Question, unread: Sequence[str]) -> float:
    """Return the share of unread words among those that say something."""
    said = sum(says_something(question.text[start:end]) for start, end, _ in question.words)
    return min(1.0, sum(len(phrase.split()) for phrase in unread) / max(1, said))


def unused_values(question: Question, actions: Sequence[Action], values: Sequence[QuestionValue]) -> int:
    """Count the numbers, dates, and stored texts of a question that overlap with no value of a plan."""
    used = {action.number for action in actions if action.op is Op.VALUE}
    ops = {action.op for action in actions}
    read = [
        (value.start, value.end) for number, value in enumerate(values) if number in used or _is_written_out(value, ops)
    ]
    return len(_free_values(question, values, used, read))


def _free_values(
    question: Question, values: Sequence[QuestionValue], used: set[int], taken: Sequence[_Span]
) -> list[_Span]:
    """Return the spans of the known values that a plan does not use, apart from those that overlap with taken ones."""
    free: list[_Span] = []
    for number, value in enumerate(values):
        is_known = value.stored or value.form is not ValueForm.TEXT
        if (
            number not in used
            and is_known
            and not _is_ordinary(question, value)
            and not _overlaps(value.start, value.end, [*taken, *free])
        ):
            free.append((value.start, value.end))
    return free


def _entities(values: Sequence[QuestionValue], elements: SchemaElements, read: Sequence[_Span]) -> set[_Span]:
    """Return the spans of the names of nodes, apart from those that describe the name behind them: `the film Heat`."""
    described = {start - 1 for start, _ in read}
    return {
        (value.start, value.end)
        for value in values
        if not elements.name_numbers.isdisjoint(value.stored) and value.end not in described
    }


def _is_written_out(value: QuestionValue, ops: set[Op]) -> bool:
    """Return whether a plan has a value as an action of its own: zero, or one."""
    numbers = [number for number, op in enumerate((Op.ZERO, Op.ONE)) if op in ops]
    return value.form is ValueForm.NUMBER and value.value in numbers


def _is_ordinary(question: Question, value: QuestionValue) -> bool:
    """Return whether a value is an ordinary word: the pronoun in `which one`, or `km` where `.km` is stored.

    Words such as `limit` are names only in quotation marks, or with a capital letter in the middle of a sentence.
    """
    if value.text.lower() in PRONOUNS and not value.stored:
        return True
    is_name = value.form is ValueForm.QUOTED or _is_capitalised(question, value.start, value.end)
    if not is_name and all(word.lower() in FUNCTION_WORDS for word in value.text.split()):
        return True
    is_code = len(value.text) <= _CODE_LETTERS and value.text.islower()
    return is_code and bool(value.stored) and value.text not in value.stored.values()


def _is_named(question: Question, span: _Span, named: NamedWords) -> bool:
    """Return whether a span is one word, which belongs to the name of an element that the plan uses."""
    start, end = span
    inside = [word.start for word in question.words if start <= word.start and word.end <= end]
    return len(inside) == 1 and inside[0] in named.starts


def unsupported_elements(question: Question, actions: Sequence[Action], elements: SchemaElements) -> int:
    """Count the connections and properties of a plan of whose own words the question has none."""
    said = question.roots
    stems = elements.own_stems
    named = set()
    for op, number in actions:
        match op:
            case Op.OUT | Op.IN | Op.BOTH:
                named.add(len(elements.kinds) + number)
            case Op.PROPERTY:
                one = elements.properties[number]
                if elements.name_properties.get(one.owner) != one.key:
                    named.add(len(elements.kinds) + len(elements.connections) + number)
    return sum(not any(is_named(root, said) for own in stems[element] for root in own) for element in named)


def _overlaps(start: int, end: int, spans: Iterable[_Span]) -> bool:
    return any(first < end and start < last for first, last in spans)
