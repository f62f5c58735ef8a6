"""Doubt plans about another kind of node than the question."""

from graph.plan.result import PlanResult
from graph.plan.values import NodeRef
from services.retriever.plans.judging.doubt import Candidate, Doubt, DoubtExample, Effect
from services.retriever.plans.names.asked_question import AskedQuestion
from services.retriever.plans.names.shared_nouns import reads_one_of_several, reads_other_kind

_SOME_ROWS = 50  # that show of which kinds the nodes of a result are


def kinds_of(result: PlanResult) -> list[tuple[str, ...]]:
    """Return the kinds of the nodes in the first column."""
    return [row[0].kinds for row in result.rows[:_SOME_ROWS] if isinstance(row[0], NodeRef)]


def takes_longer_name(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether a plan reads the name of a kind as another kind with a longer name: dives as training dives."""
    return reads_other_kind(asked.question, candidate.plan, asked.elements)


def takes_one_of_several(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether a plan reads a noun as one kind, although the names of others have it, too."""
    return reads_one_of_several(asked.question, candidate.plan, asked.elements)


def gives_what_is_placed(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether a plan gives what the question asks the place of."""
    placed, found = asked.placed_kinds, kinds_of(candidate.result)
    return bool(placed and found) and not any(placed.isdisjoint(one) for one in found)


KIND_DOUBTS = (
    Doubt(
        "takes-longer-name",
        "the nouns of the question, and the names of the kinds in the plan",
        "finds it wrong to read `dives` as training dives where the graph has dives",
        DoubtExample(
            "(:Dive {name: STRING})\n(:TrainingDive {name: STRING})",
            "Which dives are there?",
            "MATCH (d:TrainingDive) RETURN d",
            right_question="Which training dives are there?",
            right_plan="MATCH (d:Dive) RETURN d",
        ),
        Effect.WRONG,
        takes_longer_name,
    ),
    Doubt(
        "gives-what-is-placed",
        "the noun behind `where is`, and the kinds of the nodes in the result",
        "finds it wrong to answer with what the question asks the place of",
        DoubtExample(
            "(:Supplier {name: STRING})-[:BASED_IN]->(:Town {name: STRING})",
            "Where is the supplier of butter based?",
            "MATCH (s:Supplier) RETURN s",
            rows=(("(:Supplier)",),),
            right_rows=(("(:Town)",),),
        ),
        Effect.WRONG,
        gives_what_is_placed,
    ),
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
