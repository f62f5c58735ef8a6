"""Doubt plans whose results are unlikely."""

from services.retriever.plans.judging.doubt import Candidate, Doubt, DoubtExample, Effect
from services.retriever.plans.judging.results import finds_nothing
from services.retriever.plans.names.asked_question import AskedQuestion


def gives_nothing(candidate: Candidate, _: AskedQuestion) -> bool:
    """Return whether a result is empty or a count of zero, which people seldom ask for unless they ask whether."""
    return finds_nothing(candidate.result, candidate.asks_whether)


LIKELIHOOD_DOUBTS = (
    Doubt(
        "gives-nothing",
        "the result",
        "puts empty results last, and counts of zero unless the question asks whether",
        DoubtExample(
            "(:Film {name: STRING})",
            "How many films are there?",
            "MATCH (f:Film) RETURN count(*) AS number",
            rows=((0,),),
            right_question="Are there films?",
            right_rows=((3,),),
        ),
        Effect.LAST,
        gives_nothing,
    ),
)
