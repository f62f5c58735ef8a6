"""Recognise plans that contradict their question: turned round, or with another negation or count than it asks for."""

import re
from collections.abc import Iterator, Sequence
from functools import partial

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Call,
    Comparison,
    Constant,
    Exists,
    Group,
    IsMissing,
    ListOf,
    Match,
    Not,
    Or,
    Order,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    Slice,
    SortKey,
    Variable,
)
from graph.plan.functions import Function
from graph.plan.result import PlanResult
from graph.plan.traversal import walk
from graph.plan.values import ValueType
from language.english.question_form import may_ask_for_count
from language.english.stems import question_words, spelt_out, stem, stems_of
from language.values import QuestionValue
from services.retriever.plans.judging.implausible import combines_with_itself
from services.retriever.plans.names.named_nodes import named_nodes
from services.retriever.plans.rewriting.compared_nodes import comparisons
from services.retriever.plans.schema.schema_elements import SchemaElements
from services.retriever.plans.schema.spans import says_end
from services.retriever.plans.schema.value_types import DATES

# Where a date decides, those who have worked here the longest are the oldest.
_OLDEST = re.compile(r"\b(?:oldest|earliest|longest|older|earlier|longer)\b", re.IGNORECASE)
_NEWEST = re.compile(
    r"\b(?:youngest|newest|shortest|younger|newer|shorter|later|latest|(?:most )recent(?:ly)?)\b", re.IGNORECASE
)
_MOMENTS = frozenset(
    map(stem, ("born", "birth", "birthday", "date", "day", "year", "created", "added", "released", "published"))
) | frozenset(
    map(stem, ("founded", "established", "formed", "joined", "hired", "opened", "started", "launched", "built", "due"))
)
_AGE = "age"
_OF_TEXTS = frozenset(map(stem, ("name", "title", "text", "word", "letter", "character", "spelling")))
_LATER = {">": True, ">=": True, "<": False, "<=": False}
_EXTREMES = (AggregateFunction.MIN, AggregateFunction.MAX)
_PREPOSITIONS = frozenset(("to", "for", "of", "in", "on", "at", "by", "from", "with", "under", "after", "before"))
_AFTER_OR_BEFORE = re.compile(r"\b(after|before)\s+(?:the\s+|an?\s+)?$", re.IGNORECASE)
_NEGATION = re.compile(r"\b(?:not|never)(?: (?:be|been|have|has|also))?\b|n['’]?t\b", re.IGNORECASE)
_NOT = re.compile(r"(?<!whether or )(?<!\bor )\bnot\b(?! only\b)|n['’]t\b|\bnever\b", re.IGNORECASE)
_MAY_EXCLUDE = re.compile(  # better too many words than too few
    r"\b(?:not?|nor|neither|never|non\w*|nobody|nothing|nowhere|without|except\w*|exclud\w*|but|other\w*|another"
    r"|else\w*|besides?|apart|aside|outside|lack\w*|miss\w*|only|just|solely|unique\w*|single|alone|un\w+|in\w{4,}"
    r"|im\w+|ir\w+|dis\w+|\w+less|free|avoid\w*|skip\w*|fail\w*|rather|differ\w*|yet|still|remain\w*|left|rest"
    r"|empty|minus|beyond|off|out|zero|0|opposite|instead|bar|save|stop\w*|ceas\w*|former\w*|past|refus\w*|available"
    r"|idle|open|(?:do|does|did|is|are|was|were|has|have|had|ca|wo|would|should|could)nt)\b|n['’]t\b",
    re.IGNORECASE,
)
_RANKING = re.compile(  # words that may ask for the first of some rows; better too many than too few
    r"\b(?:\w+(?:er|est|st|nd|rd|th)|most|least|last|top|bottom|high|low|max\w*|min\w*|more|less|one|single|main"
    r"|leading|record|favou?rite|popular|current\w*|present|now|today|recent\w*|new|next|previous\w*|initial\w*"
    r"|final\w*|original\w*|begin\w*|start\w*|end\w*|\d+)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")


def contradicts(
    question: str, values: Sequence[QuestionValue], plan: Plan, result: PlanResult, elements: SchemaElements
) -> bool:
    """Return whether a plan contradicts its question, sorts by what none of its rows has, or counts nothing known."""
    return (
        _counts_unasked(question, plan)
        or _ranks_unasked(question, plan)
        or _turns_time_round(question, values, plan, elements)
        or _turns_order_round(question, values, plan, elements)
        or _turns_relationship_round(question, values, plan)
        or _negates_another(question, plan)
        or _negates_less(question, plan)
        or _negates_unasked(question, plan)
        or combines_with_itself(plan)
        or _sorts_by_nothing(plan, result)
        or _sorts_by_letters(question, plan, elements)
        or _reads_end(question, plan, elements)
        or _counts_unknown(values, plan, result, elements)
    )


def _counts_unasked(question: str, plan: Plan) -> bool:
    """Return whether a plan gives a mere count, although no word of the question asks for a number."""
    last = plan.steps[-1]
    counts = isinstance(last, Group) and not last.keys and [one.function for one in last.aggregates]
    return counts == [AggregateFunction.COUNT] and not may_ask_for_count(question)


def _ranks_unasked(question: str, plan: Plan) -> bool:
    """Return whether a plan gives only the first of some rows, although no word of the question may ask for it."""
    is_cut = any(isinstance(step, Slice) and step.limit == 1 for step in plan.steps)
    return is_cut and bool(_first_keys(plan)) and not _RANKING.search(question)


def _turns_time_round(question: str, values: Sequence[QuestionValue], plan: Plan, elements: SchemaElements) -> bool:
    """Return whether `the oldest` are those with the latest date or the least age, or `the youngest` the other way.

    So it is if those who are `older than Ann` were born after her.
    """
    asks_oldest, asks_newest = _OLDEST.search(question) is not None, _NEWEST.search(question) is not None
    if asks_oldest == asks_newest:
        return False
    ages = frozenset(one.key for one in elements.properties if _AGE in spelt_out(one.key))
    prefers_greater = partial(_prefers_greater, plan, values)
    return asks_oldest in prefers_greater(_moments(elements)) or asks_newest in prefers_greater(ages)


def _prefers_greater(plan: Plan, values: Sequence[QuestionValue], keys: frozenset[str]) -> list[bool]:
    """Return, for each time that a plan chooses by one of these properties, whether it prefers greater values."""
    found = [key.descending for key in _first_keys(plan) if _key_of(key.value) in keys]
    aggregates = [one for one in walk(plan) if isinstance(one, Aggregate) and one.function in _EXTREMES]
    found += [one.function is AggregateFunction.MAX for one in aggregates if _key_of(one.value) in keys]
    return found + [is_greater for key, is_greater, _ in _compared_moments(plan, values) if key in keys]


def _turns_order_round(question: str, values: Sequence[QuestionValue], plan: Plan, elements: SchemaElements) -> bool:
    """Return whether what happened `after Ann` has an earlier moment than she, or what was `before her` a later one."""
    return any(
        is_later is not (said[1].lower() == "after") and key in _moments(elements)
        for key, is_later, place in _compared_moments(plan, values)
        if (said := _AFTER_OR_BEFORE.search(question[:place])) is not None
    )


def _moments(elements: SchemaElements) -> frozenset[str]:
    return frozenset(one.key for one in elements.properties if one.schema.content in DATES or _is_moment(one.key))


def _compared_moments(plan: Plan, values: Sequence[QuestionValue]) -> Iterator[tuple[str, bool, int]]:
    """Yield the properties that a plan compares between two nodes, and whether the one asked for has the later one.

    It is the one that the question does not name, or names first. The last item is where the question names the other.
    """
    starts = named_nodes(plan, values)
    for left, operator, right in comparisons(plan):
        places = [starts.get(one.variable, -1) for one in (left, right)]
        if places[0] != places[1]:
            yield left.key, _LATER[operator] is (places[0] < places[1]), max(places)


def _is_moment(key: str) -> bool:
    return any(stem(word) in _MOMENTS for word in spelt_out(key))


def _first_keys(plan: Plan) -> list[SortKey]:
    return [step.keys[0] for step in plan.steps if isinstance(step, Order)]


def _key_of(value: object) -> str | None:
    return value.key if isinstance(value, Property) else None


def _turns_relationship_round(question: str, values: Sequence[QuestionValue], plan: Plan) -> bool:
    """Return whether a name after the words of a relationship is its source: Ann in `who reports to Ann`.

    Only relationships whose names end with a preposition say so.
    """
    return any(
        one.direction == "out"
        and len(one.types) == 1
        and one.source in starts
        and _ends_with(question[: starts[one.source]], spelt_out(one.types[0]))
        for match in walk(plan)
        if isinstance(match, Match)
        for starts in (named_nodes(match, values),)
        for one in match.relationships
    )


def _ends_with(text: str, words: Sequence[str]) -> bool:
    """Return whether a text ends with a preposition, and has the word before it shortly before that."""
    said = [word.lower() for word in _WORD.findall(text)]
    if len(words) < 2 or words[-1] not in _PREPOSITIONS or said[-1:] != [words[-1]]:
        return False
    return any(stem(word) == stem(words[-2]) or _abbreviates(words[-2], word) for word in said[-4:-1])


def _abbreviates(short: str, word: str) -> bool:
    """Return whether a word has the letters of a shorter one in their order, such as `reports` those of `rpts`."""
    letters = iter(word)
    return len(short) > 2 and short[0] == word[0] and all(letter in letters for letter in short)


def _negates_another(question: str, plan: Plan) -> bool:
    """Return whether a plan negates another relationship than the question: `wrote but not directed`."""
    excluded = [one.condition for one in walk(plan) if isinstance(one, Not) and isinstance(one.condition, Exists)]
    negated = _roots([one for part in excluded for one in walk(part)])
    stated = _roots(list(walk(plan, not_into=(Not,)))) - negated
    words = [
        root for found in _NEGATION.finditer(question) for _, _, root in question_words(question[found.end() :])[:1]
    ]
    return bool(negated) and any(root in stated for root in words) and negated.isdisjoint(words)


def _roots(parts: Sequence[object]) -> frozenset[str]:
    """Return the stems of the words of relationship types."""
    types = [type_ for one in parts if isinstance(one, RelationshipPattern) for type_ in one.types]
    return frozenset(root for type_ in types for root in stems_of(type_))


def _negates_less(question: str, plan: Plan) -> bool:
    """Return whether a question says `not` more than once, and its plan negates less often."""
    said = len(_NOT.findall(question))
    if said < 2:
        return False
    return sum(map(_exclusions, walk(plan))) < said


def _negates_unasked(question: str, plan: Plan) -> bool:
    """Return whether a plan leaves out those with something, although no word of the question may ask for that."""
    excludes = any(
        (isinstance(one, Not) and isinstance(one.condition, Exists))
        or (isinstance(one, Comparison) and one.operator == "!=" and isinstance(one.right, Constant))
        for one in walk(plan)
    )
    return excludes and not _MAY_EXCLUDE.search(question)


def _exclusions(part: object) -> int:
    """Return how often a part of a plan negates something: once for each alternative within a negation."""
    match part:
        case Not():
            inner = list(walk(part))
            several = [len(one.items) for one in inner if isinstance(one, ListOf)]
            several += [len(one.conditions) for one in inner if isinstance(one, Or)]
            return max(several, default=1)
        case Comparison(right=Constant(value=value)) if part.operator == "!=" or value in (False, 0):
            return 1
        case IsMissing():
            return 1
    return 0


def _sorts_by_nothing(plan: Plan, result: PlanResult) -> bool:
    """Return whether no row of a result has the value by which it is sorted first."""
    sorted_by = [key.value for key in _first_keys(plan)[-1:]]
    columns = [one for step in plan.steps[-1:] if isinstance(step, Project) for one in step.columns]
    sorting = {one.name for one in columns if one.value in sorted_by}
    sorting |= {value.name for value in sorted_by if isinstance(value, Variable)}
    places = [place for place, name in enumerate(result.columns) if name in sorting]
    return any(result.rows and all(row[place] is None for row in result.rows) for place in places)


def _sorts_by_letters(question: str, plan: Plan, elements: SchemaElements) -> bool:
    """Return whether a plan sorts by the letters of a text, and the question says nothing of it: `the longest book`."""
    sized = [
        part.key
        for one in _first_keys(plan)
        if isinstance(one.value, Call) and one.value.function is Function.SIZE
        for part in one.value.arguments
        if isinstance(part, Property)
    ]
    if not sized:
        return False
    texts = {one.key for one in elements.properties if one.schema.content is ValueType.STRING}
    said = {root for _, _, root in question_words(question)}
    return any(key in texts and said.isdisjoint(_OF_TEXTS | stems_of(key)) for key in sized)


def _reads_end(question: str, plan: Plan, elements: SchemaElements) -> bool:
    """Return whether a plan dates something by its end, such as a loan by its return, and the question does not."""
    ends = {one.span.end: one.span.start for one in elements.properties if one.span is not None}
    read = {part.key for part in walk(plan) if isinstance(part, Property)}
    said = [word.lower() for word in _WORD.findall(question)]
    return any(
        end in read and start not in read and not says_end(said) and stems_of(end).isdisjoint(map(stem, said))
        for end, start in ends.items()
    )


def _counts_unknown(values: Sequence[QuestionValue], plan: Plan, result: PlanResult, elements: SchemaElements) -> bool:
    """Return whether a plan counts nothing because no node has the name that it asks for."""
    if not isinstance(plan.steps[-1], Group) or any(cell for row in result.rows for cell in row):
        return False
    unknown = {one.value for one in values if not one.stored}
    return any(
        isinstance(part, Comparison)
        and part.operator == "="
        and isinstance(part.left, Property)
        and part.left.key in elements.name_keys
        and isinstance(part.right, Constant)
        and part.right.value in unknown
        for part in walk(plan)
    )
