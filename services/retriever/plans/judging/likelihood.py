"""Doubt plans whose results are unlikely."""

from services.retriever.plans.judging.doubt import Candidate, Doubt, DoubtExample, Effect
from services.retriever.plans.judging.results import finds_nothing
from services.retriever.plans.names.asked_question import AskedQuestion
from services.retriever.plans.predictor.plan_confidence import MUCH_LESS


def is_improbable(candidate: Candidate, _: AskedQuestion) -> bool:
    """Return whether a plan with a result is far more probable."""
    return candidate.share < MUCH_LESS * candidate.greatest


def gives_nothing(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether a result is empty or a count of zero, which people seldom ask for unless they ask whether."""
    return finds_nothing(asked.question, candidate.result)


_FILM = "(:Film {name: STRING, year: INTEGER})"
_FILMS = "MATCH (f:Film) RETURN f"

IMPROBABLE_DOUBT = Doubt(
    "is-improbable",
    "the probabilities of the plans",
    "doubts a plan if another one with a result is far more probable",
    DoubtExample(_FILM, "Which films are there?", _FILMS, share=0.01),
    Effect.DOUBTED,
    is_improbable,
)
NOTHING_DOUBT = Doubt(
    "gives-nothing",
    "the result",
    "puts empty results last, and counts of zero unless the question asks whether",
    DoubtExample(
        _FILM,
        "How many films are there?",
        "MATCH (f:Film) RETURN count(*) AS number",
        rows=((0,),),
        right_question="Are there films?",
        right_rows=((3,),),
    ),
    Effect.LAST,
    gives_nothing,
)
