"""Doubt plans that measure something else than their question: the shortest job by its cost, or hours in grams."""

from collections.abc import Iterable, Iterator

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Arithmetic,
    Call,
    Comparison,
    Constant,
    Expression,
    Group,
    Order,
    Plan,
    Project,
    Property,
)
from graph.plan.functions import DIFFERENCES, Function
from graph.plan.traversal import walk
from graph.plan.values import ValueType
from language.marks import Mark
from language.question import Question
from language.units import AGE, LENGTH, MASS, MOMENT, MONEY, SPEED, TIME, Compared
from services.retriever.plans.grammar.actions import Op
from services.retriever.plans.judging.doubt import Candidate, Doubt, DoubtExample, Effect
from services.retriever.plans.names.asked_question import AskedQuestion
from services.retriever.plans.schema.quantities import dimensions_of
from services.retriever.plans.schema.schema_elements import OwnedProperty, SchemaElements

_EXTREMES = (AggregateFunction.MIN, AggregateFunction.MAX, AggregateFunction.SHORTEST, AggregateFunction.LONGEST)
_HIGHEST = (AggregateFunction.MAX, AggregateFunction.LONGEST)
_ORDERS = ("<", "<=", ">", ">=")
_TIMED = DIFFERENCES | {Function.DURATION_LENGTH}
_ASKED = {
    Mark.HOW_OLD: frozenset((AGE,)),
    Mark.HOW_LONG: frozenset((TIME, LENGTH)),
    Mark.HOW_HEAVY: frozenset((MASS,)),
    Mark.HOW_FAR: frozenset((LENGTH,)),
    Mark.HOW_FAST: frozenset((SPEED, TIME)),
    Mark.HOW_EXPENSIVE: frozenset((MONEY,)),
}


def compares_other_units(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether a number with a unit is compared with a text, or with what has other units."""
    compared: OwnedProperty | None = None
    for op, number in candidate.actions:
        if op is Op.PROPERTY:
            compared = asked.elements.properties[number]
        elif op is Op.COLUMN or op in (Op.LIMIT, Op.COUNT_OF):
            compared = None
        elif op is Op.VALUE and compared is not None and (units := asked.values[number].units):
            known = dimensions_of(compared.key, compared.schema)
            is_text = compared.schema.content in (ValueType.STRING, ValueType.LIST)
            if is_text or (known and not any(unit.fits(known) for unit in units)):
                return True
    return False


def mixes_measures(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether a plan compares two properties that measure different things."""
    for part in walk(candidate.plan):
        if isinstance(part, Comparison) and part.operator in _ORDERS:
            left, right = _dimensions(part.left, asked.elements), _dimensions(part.right, asked.elements)
            if left and right and left.isdisjoint(right):
                return True
    return False


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


def returns_another(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether a plan returns only what is known to measure something else than `how old`, `when`, and so on."""
    wanted, last = _asked_dimensions(asked.without_operators_in_names), candidate.plan.steps[-1]
    if wanted is None or not isinstance(last, Project):
        return False
    known = [_dimensions(column.value, asked.elements) for column in last.columns]
    return all(one and one.isdisjoint(wanted) for one in known)


def _asked_dimensions(question: Question) -> frozenset[str] | None:
    """Return what a question asks for by `how old`, `when`, and so on; None if it does not."""
    found = [(said.start, wanted) for mark, wanted in _ASKED.items() if (said := question.first(mark)) is not None]
    if found:
        return min(found, key=lambda one: one[0])[1]
    return frozenset((MOMENT, AGE)) if question.says(Mark.WHEN) else None


def counts_units(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether a plan counts nodes where the question asks for a number of hours, and the like."""
    question, plan = asked.without_operators_in_names, candidate.plan
    wanted, last = question.asked_unit, plan.steps[-1]
    if wanted is None or not wanted.is_counted or not isinstance(last, Group):
        return False
    roots = {word.root for word in question.words if wanted.start <= word.start < wanted.end}
    counts = all(one.function is AggregateFunction.COUNT for one in last.aggregates)
    return counts and roots.isdisjoint(asked.elements.roots) and not wanted.fits(_measured(plan, asked.elements))


def _measured(plan: Plan, elements: SchemaElements) -> frozenset[str]:
    """Return what the properties and the differences of a plan measure, as far as that is known."""
    found = (_dimensions(part, elements) for part in walk(plan) if isinstance(part, Property | Call))
    return frozenset().union(*found)


def subtracts_lengths(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether a plan subtracts how long two things last where the question asks for the time between them."""
    question, last = asked.without_operators_in_names, candidate.plan.steps[-1]
    if question.asked_unit is None or not question.says(Mark.TIME_BETWEEN) or not isinstance(last, Project):
        return False
    parts = [part for column in last.columns for part in walk(column.value) if isinstance(part, Arithmetic)]
    return any(one.operator == "-" and TIME in _dimensions(one.left, asked.elements) for one in parts)


def orders_another(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether `the first` or `the last` is any one, or the first by what is known to be no moment."""
    question, plan = asked.without_operators_in_names, candidate.plan
    if not question.says(Mark.FIRST_OR_LAST) or question.says(Mark.ORDERED_BY) or question.compared is not None:
        return False
    orders = [step for step in plan.steps if isinstance(step, Order)]
    found = [_dimensions(order.keys[0].value, asked.elements) for order in orders]
    is_any = not any(isinstance(part, Aggregate) and part.function in _EXTREMES for part in walk(plan))
    return (not orders and is_any) or any(known and known.isdisjoint((MOMENT, AGE)) for known in found)


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


_JOB = "(:Job {name: STRING, cost: INTEGER, duration: DURATION, setup: DURATION, billed_on: DATE, weight_kg: INTEGER})"

MEASURE_DOUBTS = (
    Doubt(
        "compares-other-units",
        "the units of the question's numbers, and the properties that they are compared with",
        "finds hours compared with a weight wrong",
        DoubtExample(
            _JOB,
            "Which jobs took more than 2 hours?",
            "MATCH (j:Job) WHERE j.cost > 2 RETURN j",
            right_question="Which jobs cost more than 2?",
        ),
        Effect.WRONG,
        compares_other_units,
    ),
    Doubt(
        "mixes-measures",
        "what two compared properties measure",
        "finds costs compared with weights wrong",
        DoubtExample(
            _JOB,
            "Which jobs have more weight than cost?",
            "MATCH (j:Job) WHERE j.weight_kg > j.cost RETURN j",
            right_plan="MATCH (j:Job) WHERE j.duration > j.setup RETURN j",
        ),
        Effect.WRONG,
        mixes_measures,
    ),
    Doubt(
        "compares-another",
        "words such as `shortest` and `cheaper`, and what the plan sorts by or compares",
        "finds the shortest job by its cost wrong",
        DoubtExample(
            _JOB,
            "Which job was the shortest?",
            "MATCH (j:Job) RETURN j ORDER BY j.cost LIMIT 1",
            right_question="Which job was the cheapest?",
            right_plan="MATCH (j:Job) RETURN j ORDER BY j.duration LIMIT 1",
        ),
        Effect.WRONG,
        compares_another,
    ),
    Doubt(
        "returns-another",
        "`how old`, `how long`, `when`, and the like, and what the columns measure",
        "finds a date wrong as the answer to `how long`",
        DoubtExample(
            _JOB,
            "How long is Alpha?",
            "MATCH (j:Job {name: 'Alpha'}) RETURN j.billed_on AS billed_on",
            right_question="When was Alpha billed?",
            right_plan="MATCH (j:Job {name: 'Alpha'}) RETURN j.duration AS duration",
        ),
        Effect.WRONG,
        returns_another,
    ),
    Doubt(
        "counts-units",
        "the unit behind `how many`, and a plan that counts",
        "finds a number of nodes wrong as the answer to `how many kilos`",
        DoubtExample(
            _JOB,
            "How many kilos do the jobs weigh?",
            "MATCH (j:Job) RETURN count(*) AS number",
            right_question="How many jobs are there?",
            right_plan="MATCH (j:Job) RETURN sum(j.weight_kg) AS total",
        ),
        Effect.WRONG,
        counts_units,
    ),
    Doubt(
        "subtracts-lengths",
        "`how many hours between`, and differences of durations",
        "finds the difference of two durations wrong as the time between two things",
        DoubtExample(
            _JOB,
            "How many hours passed between Alpha and Beta?",
            "MATCH (a:Job {name: 'Alpha'}), (b:Job {name: 'Beta'}) RETURN a.setup - b.setup AS hours",
            right_question="How many hours longer is the setup of Alpha than that of Beta?",
        ),
        Effect.WRONG,
        subtracts_lengths,
    ),
    Doubt(
        "orders-another",
        "`the first` and `the last`, and what the plan sorts by",
        "finds it wrong to take any one, or the first by what is no moment",
        DoubtExample(
            _JOB,
            "What was the first job?",
            "MATCH (j:Job) RETURN j ORDER BY j.cost LIMIT 1",
            right_question="What was the first job by cost?",
            right_plan="MATCH (j:Job) RETURN j ORDER BY j.billed_on LIMIT 1",
        ),
        Effect.WRONG,
        orders_another,
    ),
)
