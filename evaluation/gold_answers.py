"""Find the gold answers of questions that have a query instead."""

import logging
from collections.abc import Sequence

from question_sets.records import QuestionRecord
from services.retriever.planning.running import with_all_ties
from shared.cypher.reader import read_cypher
from shared.cypher.unsupported import UnsupportedCypherError
from shared.errors import InvalidInputError, KGQAError
from shared.graph.store import GraphStore
from shared.plan.unknown_properties import refuse_unknown_properties
from shared.verbalise.values import value_text

_LOG = logging.getLogger(__name__)


async def with_gold_answers(store: GraphStore, records: Sequence[QuestionRecord]) -> list[QuestionRecord]:
    """Run the plans and the Cypher queries of questions without answers; their answers are the first column.

    A query that sorts and takes one row stands for all rows that tie with it, as in replies to questions.

    Raises:
        InvalidInputError: A query does not run on the graph.
        DependencyError: The graph store does not respond.
    """
    return [await _with_answers(store, number, record) for number, record in enumerate(records, 1)]


async def _with_answers(store: GraphStore, number: int, record: QuestionRecord) -> QuestionRecord:
    if not record.has_query or record.answers:
        return record
    try:
        if record.plan is not None:
            refuse_unknown_properties(record.plan, await store.schema())
        plan = record.plan or read_cypher(record.cypher or "")
        result = (await with_all_ties(store, plan, await store.run(plan))).result
    except UnsupportedCypherError as error:
        raise InvalidInputError(f"question {number}: {error}; give its answers instead of the query") from error
    except KGQAError as error:
        raise InvalidInputError(f"question {number}: its query does not run: {error.detail}") from error
    for warning in result.warnings:
        _LOG.warning("question %d: read as missing: %s", number, warning)
    cells = (row[0] for row in result.rows)
    values = [item for cell in cells for item in (cell if isinstance(cell, tuple) else (cell,)) if item is not None]
    return record.model_copy(update={"answers": tuple(dict.fromkeys(map(value_text, values)))})
