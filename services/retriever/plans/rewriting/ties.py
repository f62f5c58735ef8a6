"""Find the rows that tie with the one row that a plan takes: the newest depot may be two."""

from collections.abc import Sequence
from dataclasses import replace

from graph.plan.algebra import Column, Order, Plan, Project, Property, Slice, SortKey
from graph.plan.values import NodeRef, RelationshipRef, identity
from graph.store import GraphStore

MAX_TIES = 100
"""Maximum number of rows that are taken instead of one."""


async def with_ties(store: GraphStore, plan: Plan) -> Plan | None:
    """Return a plan that takes all rows that tie with the first one; None if it takes no single row, or none ties.

    The plan has to sort, and to take one row, without skipping any. Rows tie if their sort keys are equal; a node or
    its name as a further key does not count, because it only fixes the order of such rows. Of more than `MAX_TIES`
    rows, the first ones are taken.

    Raises:
        KGQAError: As `GraphStore.run`.
    """
    place = _first_place(plan)
    if place is None:
        return None
    order = plan.steps[place - 1]
    keys = await _compared(store, order) if isinstance(order, Order) else []
    columns = tuple(Column(f"key{number}", key.value) for number, key in enumerate(keys))
    search = Plan((*plan.steps[:place], Slice(MAX_TIES), Project(columns)))
    tied = _leading((await store.run(search, MAX_TIES)).rows)
    if tied < 2:
        return None
    steps = [*plan.steps]
    steps[place] = Slice(tied)
    if isinstance(last := steps[-1], Project) and place < len(steps) - 1:
        steps[-1] = replace(last, distinct=True)  # a node may be in several of the rows
    return Plan(tuple(steps))


def _first_place(plan: Plan) -> int | None:
    """Return the place of the only limit of a plan, if it takes the first of some sorted rows."""
    places = [place for place, step in enumerate(plan.steps) if isinstance(step, Slice)]
    if len(places) != 1 or not places[0] or not isinstance(plan.steps[places[0] - 1], Order):
        return None
    return places[0] if plan.steps[places[0]] == Slice(1) else None


async def _compared(store: GraphStore, order: Order) -> list[SortKey]:
    """Return the first key of a sort, and those of the others that are no names."""
    names = {kind.name_property for kind in (await store.schema()).kinds.values()}
    return [
        key
        for place, key in enumerate(order.keys)
        if not place or not (isinstance(key.value, Property) and key.value.key in names)
    ]


def _leading(rows: Sequence[tuple[object, ...]]) -> int:
    """Count the first rows that are equal, apart from the nodes in them; none if they lack the first key."""
    keys = [_key(row) for row in rows]
    if not keys or rows[0][0] is None:
        return 0
    return next((place for place, key in enumerate(keys) if key != keys[0]), len(keys))


def _key(row: tuple[object, ...]) -> tuple[object, ...]:
    return tuple(
        None if place and isinstance(cell, NodeRef | RelationshipRef) else identity(cell)
        for place, cell in enumerate(row)
    )
