"""Doubt plans that turn time round, as `the oldest` by the latest date, or date something by its end."""

from collections.abc import Iterator
from functools import partial

from graph.plan.algebra import Aggregate, AggregateFunction, Order, Plan, Property, SortKey
from graph.plan.traversal import walk
from language.english.stems import spelt_out, stem, stems_of
from language.english.word_groups import AGE, MOMENTS
from language.marks import Mark
from services.retriever.plans.judging.doubt import Candidate, Doubt, DoubtExample, Effect
from services.retriever.plans.names.asked_question import AskedQuestion
from services.retriever.plans.names.named_nodes import named_nodes
from services.retriever.plans.rewriting.compared_nodes import comparisons
from services.retriever.plans.schema.schema_elements import SchemaElements
from services.retriever.plans.schema.spans import says_end
from services.retriever.plans.schema.value_types import DATES

_LATER = {">": True, ">=": True, "<": False, "<=": False}
_EXTREMES = (AggregateFunction.MIN, AggregateFunction.MAX)


def turns_time_round(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether `the oldest` are those with the latest date or the least age, or `the youngest` the other way.

    So it is if those who are `older than Ann` were born after her.
    """
    asks_oldest, asks_newest = asked.question.says(Mark.OLDEST), asked.question.says(Mark.NEWEST)
    if asks_oldest == asks_newest:
        return False
    ages = frozenset(one.key for one in asked.elements.properties if AGE in spelt_out(one.key))
    prefers_greater = partial(_prefers_greater, candidate.plan, asked)
    return asks_oldest in prefers_greater(_moments(asked.elements)) or asks_newest in prefers_greater(ages)


def _prefers_greater(plan: Plan, asked: AskedQuestion, keys: frozenset[str]) -> list[bool]:
    """Return, for each time that a plan chooses by one of these properties, whether it prefers greater values."""
    found = [key.descending for key in _first_keys(plan) if _key_of(key.value) in keys]
    aggregates = [one for one in walk(plan) if isinstance(one, Aggregate) and one.function in _EXTREMES]
    found += [one.function is AggregateFunction.MAX for one in aggregates if _key_of(one.value) in keys]
    return found + [is_greater for key, is_greater in _compared_moments(plan, asked) if key in keys]


def reads_end(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether a plan dates something by its end, such as a loan by its return, and the question does not."""
    ends = {one.span.end: one.span.start for one in asked.elements.properties if one.span is not None}
    read = {part.key for part in walk(candidate.plan) if isinstance(part, Property)}
    said = [asked.question.text[word.start : word.end].lower() for word in asked.question.words]
    return any(
        end in read and start not in read and not says_end(said) and stems_of(end).isdisjoint(asked.question.roots)
        for end, start in ends.items()
    )


def _first_keys(plan: Plan) -> list[SortKey]:
    """Return what a plan sorts by first, each time that it sorts."""
    return [step.keys[0] for step in plan.steps if isinstance(step, Order)]


def _moments(elements: SchemaElements) -> frozenset[str]:
    return frozenset(one.key for one in elements.properties if one.schema.content in DATES or _is_moment(one.key))


def _compared_moments(plan: Plan, asked: AskedQuestion) -> Iterator[tuple[str, bool]]:
    """Yield the properties that a plan compares between two nodes, and whether the one asked for has the later one.

    It is the one that the question does not name, or names first.
    """
    starts = named_nodes(plan, asked.values)
    for left, operator, right in comparisons(plan):
        places = [starts.get(one.variable, -1) for one in (left, right)]
        if places[0] != places[1]:
            yield left.key, _LATER[operator] is (places[0] < places[1])


def _is_moment(key: str) -> bool:
    return any(stem(word) in MOMENTS for word in spelt_out(key))


def _key_of(value: object) -> str | None:
    return value.key if isinstance(value, Property) else None


MOMENT_DOUBTS = (
    Doubt(
        "turns-time-round",
        "`oldest`, `newest`, and the like, and the order of dates or ages",
        "finds `the oldest` by the latest date or the least age wrong, and `the youngest` the other way round",
        DoubtExample(
            "(:Person {name: STRING, born: DATE})",
            "Who are the oldest people?",
            "MATCH (p:Person) RETURN p ORDER BY p.born DESC",
            right_plan="MATCH (p:Person) RETURN p ORDER BY p.born",
        ),
        Effect.WRONG,
        turns_time_round,
    ),
    Doubt(
        "reads-end",
        "the dates at which something starts and ends",
        "finds it wrong to date something by its end, unless the question names the end",
        DoubtExample(
            "(:Loan {name: STRING, loaned_at: DATE, returned_at: DATE})",
            "Which loans are from March?",
            "MATCH (l:Loan) WHERE l.returned_at.month = 3 RETURN l",
            right_question="Which loans were returned in March?",
        ),
        Effect.WRONG,
        reads_end,
    ),
)
