"""Doubt plans that negate what their question does not."""

from graph.plan.algebra import Comparison, Constant, Exists, Not
from graph.plan.traversal import walk
from language.marks import Mark
from services.retriever.plans.judging.doubt import Candidate, Doubt, DoubtExample, Effect
from services.retriever.plans.names.asked_question import AskedQuestion


def negates_unasked(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether a plan leaves out those with something, although no word of the question may ask for that."""
    excludes = any(
        (isinstance(one, Not) and isinstance(one.condition, Exists))
        or (isinstance(one, Comparison) and one.operator == "!=" and isinstance(one.right, Constant))
        for one in walk(candidate.plan)
    )
    return excludes and not asked.question.says(Mark.MAY_EXCLUDE)


NEGATION_DOUBTS = (
    Doubt(
        "negates-unasked",
        "words that may exclude something, and the plan's negations",
        "finds a negation wrong if no word of the question may ask for it",
        DoubtExample(
            "(:Person {name: STRING})-[:WROTE]->(:Film {name: STRING})",
            "Who wrote films?",
            "MATCH (p:Person) WHERE NOT (p)-[:WROTE]->(:Film) RETURN p",
            right_question="Who wrote no films?",
        ),
        Effect.WRONG,
        negates_unasked,
    ),
)
