"""Find the gold answers of questions that have a query instead."""

import logging
from collections.abc import Sequence

from graph.cypher.reader import read_cypher
from graph.cypher.unsupported import UnsupportedCypherError
from graph.plan.algebra import Group, Plan, Slice
from graph.plan.result import PlanResult
from graph.plan.unknown_properties import refuse_unknown_properties
from graph.plan.value_text import value_text
from graph.store import GraphStore
from question_sets.records import QuestionRecord
from services.retriever.plans.running import with_all_ties
from shared.errors import DependencyError, InvalidInputError, KGQAError
from shared.exact_match import exact

_LOG = logging.getLogger(__name__)


async def with_gold_answers(store: GraphStore, records: Sequence[QuestionRecord]) -> list[QuestionRecord]:
    """Run the plans and the Cypher queries of questions without answers; their answers are the first column.

    A query that sorts and takes one row stands for all rows that tie with it, as in replies to questions. A query that
    aggregates for each of several keys gives a gold table, also if its answers are known.

    Raises:
        InvalidInputError: A query does not run on the graph.
        DependencyError: The graph store does not respond.
    """
    return [await _with_answers(store, number, record) for number, record in enumerate(records, 1)]


async def _with_answers(store: GraphStore, number: int, record: QuestionRecord) -> QuestionRecord:
    if not record.has_query or record.rows is not None:
        return record
    if record.answers:
        return await _with_table(store, record)
    result = await _result(store, number, record)
    answers = _first_column(result)
    return record.model_copy(update={"answers": answers, "rows": _table(_plan(record), result)})


async def _with_table(store: GraphStore, record: QuestionRecord) -> QuestionRecord:
    """Return a question with the gold table of its query, if the query runs and has the given answers."""
    try:
        plan = _plan(record)
        result = await store.run(plan)
    except DependencyError:
        raise
    except (UnsupportedCypherError, KGQAError):
        return record
    rows = _table(plan, result)
    has_answers = set(map(exact, _first_column(result))) == set(map(exact, record.answers))
    return record.model_copy(update={"rows": rows}) if rows is not None and has_answers else record


async def _result(store: GraphStore, number: int, record: QuestionRecord) -> PlanResult:
    try:
        if record.plan is not None:
            refuse_unknown_properties(record.plan, await store.schema())
        plan = _plan(record)
        result = (await with_all_ties(store, plan, await store.run(plan))).result
    except UnsupportedCypherError as error:
        raise InvalidInputError(f"question {number}: {error}; give its answers instead of the query") from error
    except KGQAError as error:
        raise InvalidInputError(f"question {number}: its query does not run: {error.detail}") from error
    for warning in result.warnings:
        _LOG.warning("question %d: read as missing: %s", number, warning)
    return result


def _plan(record: QuestionRecord) -> Plan:
    return record.plan or read_cypher(record.cypher or "")


def _first_column(result: PlanResult) -> tuple[str, ...]:
    cells = (row[0] for row in result.rows)
    values = [item for cell in cells for item in (cell if isinstance(cell, tuple) else (cell,)) if item is not None]
    return tuple(dict.fromkeys(map(value_text, values)))


def _table(plan: Plan, result: PlanResult) -> tuple[tuple[str | None, ...], ...] | None:
    """Return the rows of a query that aggregates for each of several keys, but not if it takes the first rows."""
    is_grouped = any(isinstance(step, Group) and step.keys and step.aggregates for step in plan.steps)
    if not is_grouped or len(result.columns) < 2 or any(isinstance(step, Slice) for step in plan.steps):
        return None
    return tuple(tuple(None if cell is None else value_text(cell) for cell in row) for row in result.rows)
