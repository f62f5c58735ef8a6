"""Doubt plans that sort by what means nothing, or take the first of rows although nobody asks for it."""

from graph.plan.algebra import Order, Plan, Slice, SortKey
from language.marks import Mark
from services.retriever.plans.judging.doubt import Candidate, Doubt, DoubtExample, Effect
from services.retriever.plans.names.asked_question import AskedQuestion


def ranks_unasked(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether a plan gives only the first of some rows, although no word of the question may ask for it."""
    is_cut = any(isinstance(step, Slice) and step.limit == 1 for step in candidate.plan.steps)
    return is_cut and bool(_first_keys(candidate.plan)) and not asked.question.says(Mark.MAY_RANK)


def lacks_rows(candidate: Candidate, _: AskedQuestion) -> bool:
    """Return whether a plan asks for a number of rows, such as `the four largest`, and its result has fewer."""
    wanted = [step.limit for step in candidate.plan.steps if isinstance(step, Slice) and step.limit is not None]
    return bool(wanted) and len(candidate.result.rows) < min(wanted)


def _first_keys(plan: Plan) -> list[SortKey]:
    """Return what a plan sorts by first, each time that it sorts."""
    return [step.keys[0] for step in plan.steps if isinstance(step, Order)]


_BOOK = "(:Book {name: STRING, pages: INTEGER})"

ORDER_DOUBTS = (
    Doubt(
        "ranks-unasked",
        "words that may ask for the first of some rows, and a plan that takes it",
        "finds the first of some rows wrong if no word may ask for it",
        DoubtExample(
            _BOOK,
            "Which books are about Rome?",
            "MATCH (b:Book) RETURN b ORDER BY b.pages LIMIT 1",
            right_question="Which book is the thinnest?",
        ),
        Effect.WRONG,
        ranks_unasked,
    ),
)
FEW_ROWS_DOUBT = Doubt(
    "lacks-rows",
    "the number of rows that a plan takes, and those that it finds",
    "puts a plan last that finds fewer rows than it takes",
    DoubtExample(
        _BOOK,
        "What are the two longest books?",
        "MATCH (b:Book) RETURN b ORDER BY b.pages DESC LIMIT 2",
        rows=(("(:Book)",),),
        right_rows=(("(:Book)",), ("(:Book)",)),
    ),
    Effect.LAST,
    lacks_rows,
)
