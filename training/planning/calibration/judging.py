"""Read questions about one graph, and judge whether each reading gives what it should."""

from collections.abc import Callable, Sequence

from graph.plan.result import PlanResult
from graph.plan.value_text import value_text
from graph.plan.values import NodeRef
from graph.sqlite.store import SqliteGraphStore
from graph.store import GraphStore
from language.english.english import english
from language.marks import Mark
from question_sets.records import QuestionRecord
from services.retriever.plans.planner import Planner
from services.retriever.plans.predictor.plan_confidence import PlanFeatures
from shared.exact_match import exact

TIMEOUT_S = 20.0
"""For a query, in seconds."""

_TRUTHS = {"yes": "true", "no": "false"}

Judged = list[tuple[PlanFeatures, bool]]
"""The readings of a question, the most probable first, and whether each of them is right."""
Asked = tuple[str, Callable[[PlanResult], bool]]
"""A question, and a test of what its readings return."""
PlannerFor = Callable[[GraphStore], Planner]
"""Makes the planner of a graph."""


async def judge(store: SqliteGraphStore, asked: Sequence[Asked], planner_for: PlannerFor) -> list[Judged]:
    """Read questions, without those that nothing was read in, and close the store."""
    planner = planner_for(store)
    judged = []
    for question, is_wanted in asked:
        if readings := await planner.read(english(question)):
            judged.append([(one.features, is_wanted(one.result)) for one in readings])
    await store.close()
    return judged


def is_right(wanted: PlanResult | None, found: PlanResult) -> bool:
    """Return whether a column of a result has the values of the wanted first column; False if nothing is wanted."""
    if wanted is None:
        return False
    gold = _column(wanted, 0)
    return any(_column(found, place) == gold for place in range(len(found.columns)))


def is_as_true(wanted: PlanResult, found: PlanResult) -> bool:
    """Return whether one count or truth value is as true as another, where a question asks whether."""
    cells = [row[0] for result in (wanted, found) if len(result.rows) == 1 for row in result.rows]
    return len(cells) == 2 and all(isinstance(cell, bool | int) for cell in cells) and bool(cells[0]) == bool(cells[1])


def gives(record: QuestionRecord, found: PlanResult) -> bool:
    """Return whether a column of a result has the gold answers of a question; False if it has none."""
    gold = {exact(answer) for answer in record.answers}
    truths = {_TRUTHS.get(text, text) for text in gold}
    if truths <= set(_TRUTHS.values()) and english(record.question).says(Mark.WHETHER):
        return bool(gold) and truths == {str(bool(row[0])).lower() for row in found.rows}
    numbers = {_number(answer) for answer in gold}
    for place in range(len(found.columns)):
        cells = [row[place] for row in found.rows if row[place] is not None]
        texts = {exact(cell.name if isinstance(cell, NodeRef) else value_text(cell)) for cell in cells}
        if gold and (texts == gold or (None not in numbers and {_number(text) for text in texts} == numbers)):
            return True
    return False


def _number(text: str) -> float | None:
    """Return a number, rounded as people's gold answers are; None for other texts."""
    try:
        return round(float(text), 2)
    except ValueError:
        return None


def _column(result: PlanResult, place: int) -> frozenset[object]:
    return frozenset(_cell(row[place]) for row in result.rows)


def _cell(cell: object) -> object:
    """Return a form in which equal cells are equal; the name of a node may be a number."""
    match cell:
        case NodeRef():
            return _cell(cell.name)
        case bool():
            return cell
        case int() | float():
            return round(float(cell), 6)
        case str() if cell.replace(".", "", 1).isdigit():
            return round(float(cell), 6)
        case list() | tuple():
            return tuple(map(_cell, cell))
    return cell
