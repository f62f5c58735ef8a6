"""Find the words of a question that belong to the names of what a plan uses, and operators in them: `view count`."""

from collections.abc import Sequence, Set
from dataclasses import dataclass

from graph.plan.content_types import words_of
from language.english.stems import spelt_out, stem, stems_of
from language.marks import Mark
from language.question import Question
from services.retriever.plans.grammar.actions import Action, Op
from services.retriever.plans.schema.schema_elements import SchemaElements
from services.retriever.plans.schema.similar_words import SIMILAR
from services.retriever.plans.schema.value_types import NUMBERS

_Span = tuple[int, int]


@dataclass(frozen=True)
class NamedWords:
    """Hold what of a question belongs to the names of the schema elements that a plan uses.

    Attributes:
        stems: The stems of the words of these names, whether the question has them or not.
        starts: Where the words of the question begin that may stand for one of them.
        phrases: The spans of several words, or of operators, that belong to a name.
    """

    stems: frozenset[str]
    starts: frozenset[int]
    phrases: Sequence[_Span]

    @classmethod
    def of(cls, question: Question, actions: Sequence[Action], elements: SchemaElements) -> "NamedWords":
        """Find the words that belong to the names of what actions use."""
        stems = _named_stems(actions, elements)
        starts = frozenset(word.start for word in question.words if is_named(word.root, stems))
        return cls(stems, starts, phrases_of_names(question, stems, _number_stems(actions, elements)))


def phrases_of_names(question: Question, named: Set[str], numbers: Set[str]) -> list[_Span]:
    """Return the spans of words that belong to the names of schema elements.

    Args:
        question: The question.
        named: The stems of the words of the elements that a plan uses.
        numbers: The stems of the words of its numeric properties: a plan with `unitsInStock` reads `number of units`.
    """
    words = question.words
    starts, ends = {start: root for start, _, root in words}, {end: root for _, end, root in words}
    inside = [
        (start, end)
        for place, (start, end, root) in enumerate(words)
        if is_named(root, named)
        and any(
            is_named(near, named) for _, _, near in (*words[max(0, place - 1) : place], *words[place + 1 : place + 2])
        )
    ]
    before = [
        (one.start, one.end) for one in question.all(Mark.NUMBER_OF) if is_named(starts.get(one.end, ""), numbers)
    ]
    after = [
        (one.start, one.end) for one in question.all(Mark.NUMBER_BEHIND) if is_named(ends.get(one.start - 1, ""), named)
    ]
    return inside + before + after


def is_named(root: str, named: Set[str]) -> bool:
    """Return whether a word with a stem may stand for one of the words with some other stems."""
    if root in named or not named.isdisjoint(SIMILAR.get(root, ())):
        return True
    return any(len(root) > 3 and len(one) > 3 and (root.startswith(one) or one.startswith(root)) for one in named)


def _number_stems(actions: Sequence[Action], elements: SchemaElements) -> frozenset[str]:
    """Return the stems of the words of the numeric properties of a plan."""
    found = [elements.properties[number] for op, number in actions if op is Op.PROPERTY]
    return frozenset(
        root
        for one in found
        if one.schema.content in NUMBERS
        for name in (one.key, *one.schema.names)
        for root in stems_of(name)
    )


def _named_stems(actions: Sequence[Action], elements: SchemaElements) -> frozenset[str]:
    """Return the stems of the words that the schema elements of a plan consist of."""
    names: list[str] = []
    for op, number in actions:
        match op:
            case Op.KIND:
                kind = elements.kinds[number]
                names += [kind, *elements.synonyms.get(kind, ()), elements.name_properties.get(kind, "")]
            case Op.OUT | Op.IN | Op.BOTH:
                connection = elements.connections[number]
                ends = (connection.source, *sorted(connection.targets))
                names += [
                    connection.type,
                    *connection.names,
                    *ends,
                    *(one for end in ends for one in elements.synonyms.get(end, ())),
                ]
                names += [elements.name_properties.get(end, "") for end in ends]
            case Op.PROPERTY:
                one = elements.properties[number]
                names += [one.key, one.owner, *one.schema.names]
    return frozenset(stem(word) for name in names for word in (*words_of(name), *spelt_out(name)))
