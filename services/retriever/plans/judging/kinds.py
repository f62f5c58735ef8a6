"""Doubt plans about another kind of node than the question."""

from graph.plan.result import PlanResult
from graph.plan.values import NodeRef
from services.retriever.plans.judging.doubt import Candidate, Doubt, DoubtExample, Effect
from services.retriever.plans.names.asked_question import AskedQuestion
from services.retriever.plans.names.shared_nouns import reads_one_of_several

_SOME_ROWS = 50  # that show of which kinds the nodes of a result are


def kinds_of(result: PlanResult) -> list[tuple[str, ...]]:
    """Return the kinds of the nodes in the first column."""
    return [row[0].kinds for row in result.rows[:_SOME_ROWS] if isinstance(row[0], NodeRef)]


def takes_one_of_several(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether a plan reads a noun as one kind, although the names of others have it, too."""
    return reads_one_of_several(asked.question, candidate.plan, asked.elements)


KIND_DOUBTS = (
    Doubt(
        "takes-one-of-several",
        "the nouns of the question, and the names of the kinds in the graph",
        "doubts that `bikes` are road bikes where the graph has cargo bikes, too; a common kind for both helps",
        DoubtExample(
            "(:RoadBike {name: STRING})\n(:CargoBike {name: STRING})",
            "Which bikes are there?",
            "MATCH (b:RoadBike) RETURN b",
            right_question="Which road bikes are there?",
        ),
        Effect.INCOMPLETE,
        takes_one_of_several,
    ),
)
