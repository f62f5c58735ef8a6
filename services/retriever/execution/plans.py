"""Run query plans that callers send, and shape their results."""

import time
from typing import Any

from services.retriever.execution.evidence import collect_evidence
from services.retriever.execution.readable import readable
from shared.contracts import AnswerType, ExecutedQuery, PlanRequest, PlanResponse
from shared.graph.store import GraphStore
from shared.plan.result import PlanResult
from shared.plan.values import NodeRef, RelationshipRef, to_json


async def run_plan(store: GraphStore, request: PlanRequest) -> PlanResponse:
    """Run a plan.

    Raises:
        InvalidInputError: The plan does not make sense for the graph.
        PlanLimitError: The plan exceeds a limit; there is no partial result.
        DependencyError: The graph store does not respond.
    """
    started = time.perf_counter()
    result = await store.run(request.plan, request.max_rows)
    evidence = await collect_evidence(store, request.plan, result, request.max_evidence)
    return PlanResponse(
        plan=readable(request.plan),
        columns=list(result.columns),
        rows=[list(map(_cell, row)) for row in result.rows],
        answer_type=answer_type(result),
        evidence=evidence.items,
        row_evidence=evidence.of_rows,
        warnings=evidence.warnings,
        query=ExecutedQuery.of(result.query, result.parameters),
        graph_version=await store.version(),
        run_ms=(time.perf_counter() - started) * 1000,
    )


def answer_type(result: PlanResult) -> AnswerType:
    """Return what a result is.

    Example:
        >>> answer_type(PlanResult(("countries",), ((9,),)))
        <AnswerType.NUMBER: 'number'>
    """
    if len(result.columns) != 1:
        return AnswerType.ROWS
    cells = [cell for (cell,) in result.rows]
    match cells:
        case [bool()]:
            return AnswerType.BOOLEAN
        case [int() | float()]:
            return AnswerType.NUMBER
    if cells and all(isinstance(cell, NodeRef) for cell in cells):
        return AnswerType.ENTITIES
    return AnswerType.VALUES


def _cell(cell: Any) -> Any:
    match cell:
        case NodeRef():
            return {"id": cell.id, "name": cell.name, "kinds": list(cell.kinds)}
        case RelationshipRef():
            return {"id": cell.id, "type": cell.type}
        case tuple():
            return list(map(_cell, cell))
    return to_json(cell)
