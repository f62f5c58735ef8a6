"""Doubt plans that sort by what means nothing, or take the first of rows although nobody asks for it."""

from graph.plan.algebra import Call, Project, Property, Slice, Variable
from graph.plan.functions import Function
from graph.plan.values import ValueType
from language.english.stems import stems_of
from language.english.word_groups import TEXTS
from language.marks import Mark
from services.retriever.plans.judging.doubt import Candidate, Doubt, DoubtExample, Effect
from services.retriever.plans.judging.moments import first_keys
from services.retriever.plans.names.asked_question import AskedQuestion


def ranks_unasked(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether a plan gives only the first of some rows, although no word of the question may ask for it."""
    is_cut = any(isinstance(step, Slice) and step.limit == 1 for step in candidate.plan.steps)
    return is_cut and bool(first_keys(candidate.plan)) and not asked.question.says(Mark.MAY_RANK)


def sorts_by_nothing(candidate: Candidate, _: AskedQuestion) -> bool:
    """Return whether no row of a result has the value by which it is sorted first."""
    plan, result = candidate.plan, candidate.result
    sorted_by = [key.value for key in first_keys(plan)[-1:]]
    columns = [one for step in plan.steps[-1:] if isinstance(step, Project) for one in step.columns]
    sorting = {one.name for one in columns if one.value in sorted_by}
    sorting |= {value.name for value in sorted_by if isinstance(value, Variable)}
    places = [place for place, name in enumerate(result.columns) if name in sorting]
    return any(result.rows and all(row[place] is None for row in result.rows) for place in places)


def sorts_by_letters(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether a plan sorts by the letters of a text, and the question says nothing of it: `the longest book`."""
    sized = [
        part.key
        for one in first_keys(candidate.plan)
        if isinstance(one.value, Call) and one.value.function is Function.SIZE
        for part in one.value.arguments
        if isinstance(part, Property)
    ]
    if not sized:
        return False
    texts = {one.key for one in asked.elements.properties if one.schema.content is ValueType.STRING}
    return any(key in texts and asked.question.roots.isdisjoint(TEXTS | stems_of(key)) for key in sized)


def lacks_rows(candidate: Candidate, _: AskedQuestion) -> bool:
    """Return whether a plan asks for a number of rows, such as `the four largest`, and its result has fewer."""
    wanted = [step.limit for step in candidate.plan.steps if isinstance(step, Slice) and step.limit is not None]
    return bool(wanted) and len(candidate.result.rows) < min(wanted)


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
    Doubt(
        "sorts-by-nothing",
        "the column that a plan sorts by",
        "finds an order wrong by what no row has",
        DoubtExample(
            _BOOK,
            "Which books are the longest?",
            "MATCH (b:Book) RETURN b, b.pages AS pages ORDER BY pages DESC",
            rows=(("(:Book)", None), ("(:Book)", None)),
            right_rows=(("(:Book)", 300), ("(:Book)", None)),
        ),
        Effect.WRONG,
        sorts_by_nothing,
    ),
    Doubt(
        "sorts-by-letters",
        "an order by the length of a text, and words for texts",
        "finds the book with the longest name wrong for `the longest book`",
        DoubtExample(
            _BOOK,
            "Which book is the longest?",
            "MATCH (b:Book) RETURN b ORDER BY size(b.name) DESC LIMIT 1",
            right_question="Which book has the longest name?",
        ),
        Effect.WRONG,
        sorts_by_letters,
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
