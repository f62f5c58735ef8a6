"""Doubt plans that count what nobody asks for, what nobody knows, or what each thing has one of."""

from graph.plan.algebra import AggregateFunction, Comparison, Constant, Group, Order, Property, Variable
from graph.plan.traversal import walk
from language.marks import Mark
from services.retriever.plans.judging.doubt import Candidate, Doubt, DoubtExample, Effect
from services.retriever.plans.names.asked_question import AskedQuestion


def counts_unasked(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether a plan gives a mere count, although no word of the question asks for a number."""
    last = candidate.plan.steps[-1]
    counts = isinstance(last, Group) and not last.keys and [one.function for one in last.aggregates]
    return counts == [AggregateFunction.COUNT] and not (
        asked.question.says(Mark.WHETHER) or asked.question.says(Mark.MAY_COUNT)
    )


def counts_unknown(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether a plan counts nothing because no node has the name that it asks for."""
    plan, result = candidate.plan, candidate.result
    if not isinstance(plan.steps[-1], Group) or any(cell for row in result.rows for cell in row):
        return False
    unknown = {one.value for one in asked.values if not one.stored}
    return any(
        isinstance(part, Comparison)
        and part.operator == "="
        and isinstance(part.left, Property)
        and part.left.key in asked.elements.name_keys
        and isinstance(part.right, Constant)
        and part.right.value in unknown
        for part in walk(plan)
    )


def counts_once(candidate: Candidate, _: AskedQuestion) -> bool:
    """Return whether a plan sorts by a count, the greatest first, and nothing is counted more than once.

    Such a count often counts what each group has one of: `the actor with the most films` by the actor's births.
    """
    steps, result = candidate.plan.steps, candidate.result
    counts = {
        one.name
        for step in steps
        if isinstance(step, Group)
        for one in step.aggregates
        if one.function is AggregateFunction.COUNT
    }
    sorted_by = {
        key.value.name
        for step in steps
        if isinstance(step, Order)
        for key in step.keys
        if key.descending and isinstance(key.value, Variable)
    }
    places = [place for place, name in enumerate(result.columns) if name in counts & sorted_by]
    return any(result.rows and max(_count(row[place]) for row in result.rows) == 1 for place in places)


def _count(cell: object) -> int:
    return cell if isinstance(cell, int) else 0


_ACTED = "(:Person {name: STRING})-[:ACTED_IN]->(:Film {name: STRING})"

COUNT_DOUBTS = (
    Doubt(
        "counts-unasked",
        "words that may ask for a number, and a plan that only counts",
        "finds a count wrong if no word may ask for it",
        DoubtExample(
            _ACTED,
            "How is Heat going?",
            "MATCH (f:Film {name: 'Heat'}) RETURN count(*) AS number",
            right_question="How many films are called Heat?",
        ),
        Effect.WRONG,
        counts_unasked,
    ),
    Doubt(
        "counts-unknown",
        "a count of nothing, and names that the graph does not have",
        "finds it wrong to count nothing of a name that the graph does not have",
        DoubtExample(
            _ACTED,
            "How many films has Ann been in?",
            "MATCH (:Person {name: 'Ann'})-[:ACTED_IN]->(:Film) RETURN count(*) AS number",
            rows=((0,),),
            right_rows=((2,),),
            is_known=False,
        ),
        Effect.WRONG,
        counts_unknown,
    ),
)
ONE_EACH_DOUBT = Doubt(
    "counts-once",
    "an order by a count, and the counts in the result",
    "puts a plan last in which nothing is counted more than once",
    DoubtExample(
        _ACTED,
        "Who has been in the most films?",
        "MATCH (p:Person)-[:ACTED_IN]->(:Film) WITH p, count(*) AS number RETURN p, number ORDER BY number DESC",
        rows=(("(:Person)", 1), ("(:Person)", 1)),
        right_rows=(("(:Person)", 2), ("(:Person)", 1)),
    ),
    Effect.LAST,
    counts_once,
)
