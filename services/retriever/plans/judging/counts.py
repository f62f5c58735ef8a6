"""Doubt plans that count what nobody knows."""

from graph.plan.algebra import Comparison, Constant, Group, Property
from graph.plan.traversal import walk
from services.retriever.plans.judging.doubt import Candidate, Doubt, DoubtExample, Effect
from services.retriever.plans.names.asked_question import AskedQuestion


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


_ACTED = "(:Person {name: STRING})-[:ACTED_IN]->(:Film {name: STRING})"

COUNT_DOUBTS = (
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
