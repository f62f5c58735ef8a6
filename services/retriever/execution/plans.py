"""Run query plans that callers send, and shape their results."""

import time
from collections.abc import Sequence
from typing import Any

from contracts.answers import AnswerType, ReplyWarning
from contracts.plans import ExecutedQuery, PlanRequest, PlanResponse
from graph.plan.algebra import Plan
from graph.plan.checks import check_plan
from graph.plan.composed_form import with_composed_texts
from graph.plan.current_time import with_current_time
from graph.plan.directions import impossible_relationships
from graph.plan.result import PlanResult
from graph.plan.schema import GraphSchema
from graph.plan.scope import NODE, Scope, Types
from graph.plan.values import MapValue, NodeRef, RelationshipRef, to_json
from graph.store import GraphStore
from language.english.relation_words import calling
from services.retriever.execution.evidence import collect_evidence
from services.retriever.execution.left_out_values import left_out_warnings
from services.retriever.execution.readable import readable
from services.retriever.execution.said_names import said_names


async def run_plan(store: GraphStore, request: PlanRequest) -> PlanResponse:
    """Run a plan.

    Raises:
        InvalidInputError: The plan does not make sense for the graph.
        PlanLimitError: The plan exceeds a limit; there is no partial result.
        DependencyError: The graph store does not respond.
    """
    started = time.perf_counter()
    schema = await store.schema()
    plan = with_composed_texts(request.plan, schema)
    check_plan(plan, schema, strict=True)
    plan = with_current_time(plan)
    result = await store.run(plan, request.max_rows)
    with calling(said_names(schema.meanings)):
        evidence = await collect_evidence(store, plan, result, request.max_evidence)
    return PlanResponse(
        plan=readable(plan),
        columns=list(result.columns),
        rows=[list(map(cell_json, row)) for row in result.rows],
        answer_type=answer_type(result, list(Scope(schema).after_all(plan).variables.values())),
        evidence=evidence.items,
        row_evidence=evidence.of_rows,
        warnings=[*_impossible(plan, schema), *left_out_warnings(plan, schema), *evidence.warnings],
        query=ExecutedQuery.of(result.query, result.parameters),
        graph_version=await store.version(),
        run_ms=(time.perf_counter() - started) * 1000,
    )


def _impossible(plan: Plan, schema: GraphSchema) -> list[ReplyWarning]:
    texts = impossible_relationships(plan, schema)
    return [ReplyWarning(kind="impossible_pattern", text=f"{text}; the pattern matches nothing") for text in texts]


def answer_type(result: PlanResult, types: Sequence[Types] = ()) -> AnswerType:
    """Return what a result is; `types` are those of its columns, which tell what an empty result would be.

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
    has_nodes = (
        all(isinstance(cell, NodeRef) for cell in cells) if cells else [one.names for one in types] == [NODE.names]
    )
    if has_nodes:
        return AnswerType.ENTITIES
    return AnswerType.VALUES


def cell_json(cell: Any) -> Any:
    """Write a cell of a result as JSON; see `PlanResponse`."""
    match cell:
        case NodeRef():
            return {"id": cell.id, "name": cell.name, "kinds": list(cell.kinds)}
        case RelationshipRef():
            return {"id": cell.id, "type": cell.type}
        case tuple():
            return list(map(cell_json, cell))
        case MapValue():
            return {name: cell_json(one) for name, one in cell.fields}
    return to_json(cell)
