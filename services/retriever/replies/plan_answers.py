"""List the answers in the result of a plan, and write its cells as JSON."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

from graph.plan.value_text import value_text
from graph.plan.values import MapValue, NodeRef, RelationshipRef, identity, to_json
from graph.store import Entity, GraphStore
from services.retriever.linking.tell_apart import details_of, kinds_of
from services.retriever.plans.judging.plan_readings import PlanReading
from services.retriever.replies.reply import FoundAnswer

MAX_ANSWERS = 1000


async def plan_answers(
    store: GraphStore, reading: PlanReading, of_rows: Sequence[Sequence[int]], is_whether: bool
) -> tuple[FoundAnswer, ...]:
    """List the distinct values of the first column, with the evidence of their rows.

    Args:
        store: The graph, which knows what the nodes are.
        reading: The plan with its result.
        of_rows: For each row, the indexes of its evidence; there may be fewer than rows.
        is_whether: Whether the values are to be true or false.
    """
    found: dict[Hashable, FoundAnswer] = {}
    for place, row in enumerate(reading.result.rows[: 4 * MAX_ANSWERS]):
        supporting = tuple(of_rows[place]) if place < len(of_rows) else ()
        for cell in row[0] if isinstance(row[0], tuple) else (row[0],):
            key = identity(cell) if cell is not None else None
            if key in found:
                before = found[key].evidence
                found[key] = replace(found[key], evidence=tuple(dict.fromkeys((*before, *supporting))))
            elif cell is not None and len(found) < MAX_ANSWERS:
                found[key] = _answer(cell, reading.confidence, supporting)
    entities = [Entity(one.id, str(one.value)) for one in found.values() if one.id is not None]
    kinds = await kinds_of(store, [one.id for one in entities])
    details = await details_of(store, entities)
    return tuple(
        replace(
            one,
            value=bool(one.value) if is_whether else one.value,
            kind=kinds.get(one.id or "") or one.kind,
            detail=details.get(one.id or ""),
        )
        for one in found.values()
    )


def shown(cell: Any) -> Any:
    """Write a cell as JSON; a node is its name, and a relationship its type."""
    match cell:
        case NodeRef():
            return cell.name
        case RelationshipRef():
            return cell.type
        case tuple():
            return list(map(shown, cell))
        case MapValue():
            return {name: shown(one) for name, one in cell.fields}
    return to_json(cell)


def name_of(cell: Any) -> str:
    """Write a cell on one line; a node is its name."""
    return cell.name if isinstance(cell, NodeRef) else value_text(cell)


def _answer(cell: Any, score: float, evidence: tuple[int, ...]) -> FoundAnswer:
    if isinstance(cell, NodeRef):
        kind = cell.kinds[0] if cell.kinds else None
        return FoundAnswer(value=cell.name, id=cell.id, kind=kind, score=score, evidence=evidence)
    return FoundAnswer(value=to_json(cell), score=score, evidence=evidence)
