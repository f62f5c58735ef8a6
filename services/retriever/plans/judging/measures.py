"""Doubt plans that compare by another measure than their question: the shortest job by its cost."""

from collections.abc import Iterable, Iterator

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Call,
    Comparison,
    Constant,
    Expression,
    Order,
    Plan,
    Property,
)
from graph.plan.functions import DIFFERENCES, Function
from graph.plan.traversal import walk
from language.units import MOMENT, TIME, Compared
from services.retriever.plans.judging.doubt import Candidate, Doubt, DoubtExample, Effect
from services.retriever.plans.names.asked_question import AskedQuestion
from services.retriever.plans.schema.quantities import dimensions_of
from services.retriever.plans.schema.schema_elements import OwnedProperty, SchemaElements

_EXTREMES = (AggregateFunction.MIN, AggregateFunction.MAX, AggregateFunction.SHORTEST, AggregateFunction.LONGEST)
_HIGHEST = (AggregateFunction.MAX, AggregateFunction.LONGEST)
_ORDERS = ("<", "<=", ">", ">=")
_TIMED = DIFFERENCES | {Function.DURATION_LENGTH}


def compares_another(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether a plan compares by another measure than the question, or asks for its other end.

    A measure that is not known is another one if the same node has one that is known to be right.
    """
    wanted = asked.without_operators_in_names.compared
    if wanted is None:
        return False
    return any(_is_another(value, is_high, wanted, asked.elements) for value, is_high in _compared(candidate.plan))


def _is_another(value: Expression, is_high: bool | None, wanted: Compared, elements: SchemaElements) -> bool:
    known, has_better = _dimensions(value, elements), _has_better(value, wanted.dimensions, elements)
    if known & wanted.dimensions:
        return None not in (is_high, wanted.is_high) and is_high is not wanted.is_high
    if known == frozenset((MOMENT,)) and TIME in wanted.dimensions:
        return has_better  # those who have worked here longest are those hired first
    return bool(known) or has_better


def _compared(plan: Plan) -> Iterator[tuple[Expression, bool | None]]:
    """Yield what a plan sorts by, takes the extremes of, and compares with one another, and whether it wants more."""
    for part in walk(plan):
        match part:
            case Order():
                yield from ((key.value, key.descending) for key in part.keys[:1])
            case Aggregate(function=function, value=value) if function in _EXTREMES and value is not None:
                yield value, function in _HIGHEST
            case Comparison(operator=operator, right=right) if operator in _ORDERS and not isinstance(right, Constant):
                yield part.left, None


def _has_better(value: Expression, wanted: frozenset[str], elements: SchemaElements) -> bool:
    """Return whether what a property belongs to has another property with one of the wanted dimensions."""
    if not isinstance(value, Property):
        return False
    owners = {(one.of_relationship, one.owner) for one in elements.properties if one.key == value.key}
    others = [one for one in elements.properties if (one.of_relationship, one.owner) in owners]
    return any(not wanted.isdisjoint(dimensions_of(one.key, one.schema)) for one in others)


def _dimensions(value: object, elements: SchemaElements) -> frozenset[str]:
    match value:
        case Call(function=function) if function in _TIMED:
            return frozenset((TIME,))
        case Property(key=key):
            return _of_key(key, elements.properties)
    return frozenset()


def _of_key(key: str, properties: Iterable[OwnedProperty]) -> frozenset[str]:
    """Return what properties with a key measure; nothing if that is unknown of one of them."""
    found = [dimensions_of(key, one.schema) for one in properties if one.key == key]
    return frozenset().union(*found) if all(found) else frozenset()


MEASURE_DOUBTS = (
    Doubt(
        "compares-another",
        "words such as `shortest` and `cheaper`, and what the plan sorts by or compares",
        "finds the shortest job by its cost wrong",
        DoubtExample(
            "(:Job {name: STRING, cost: INTEGER, duration: DURATION})",
            "Which job was the shortest?",
            "MATCH (j:Job) RETURN j ORDER BY j.cost LIMIT 1",
            right_question="Which job was the cheapest?",
            right_plan="MATCH (j:Job) RETURN j ORDER BY j.duration LIMIT 1",
        ),
        Effect.WRONG,
        compares_another,
    ),
)
