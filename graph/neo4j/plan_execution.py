"""Run query plans on a Neo4j database."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from neo4j.exceptions import Neo4jError
from neo4j.graph import Node, Relationship
from neo4j.time import Date, DateTime, Duration

from graph.neo4j.connection import Connection, QueryTimeoutError
from graph.neo4j.copies import ENTITY_LABEL, OWN_LABELS
from graph.neo4j.durations import stored_duration
from graph.neo4j.list_limits import ERROR_CODE, MAX_VISITED
from graph.neo4j.naming import copied_names
from graph.neo4j.plan_query import compile_plan
from graph.plan.algebra import Plan
from graph.plan.naming import readable_value
from graph.plan.result import PlanResult, rounded
from graph.plan.schema import GraphSchema
from graph.plan.values import MapValue, NodeRef, RelationshipRef, as_utc
from shared.errors import DependencyError, PlanLimitError

_OVERFLOW, _OUT_OF_MEMORY = "ArithmeticError", "OutOfMemory"


async def run_plan(
    connection: Connection, plan: Plan, schema: GraphSchema, max_rows: int, chosen: Mapping[str, str]
) -> PlanResult:
    """Run a plan that has been checked; raise PlanLimitError if it exceeds a limit, or DependencyError.

    `chosen` has the properties that name the nodes of some labels, also in a copy of a graph file.
    """
    query = compile_plan(plan, schema, max_rows + 1)
    try:
        rows = await connection.query(query.text, query.parameters)
    except QueryTimeoutError as error:
        if isinstance(error.__cause__, Neo4jError) and _OUT_OF_MEMORY in (error.__cause__.code or ""):
            raise PlanLimitError("the plan needs too much memory; add a condition or a limit") from error
        raise PlanLimitError("the plan takes too long; start from fewer nodes, or add a condition") from error
    except DependencyError as error:
        code = (error.__cause__.code or "") if isinstance(error.__cause__, Neo4jError) else ""
        if _OVERFLOW in code:
            raise PlanLimitError("a number in the plan's result is too large for 64 bits") from error
        if ERROR_CODE in code:
            raise PlanLimitError(
                f"loops over lists would visit more than {MAX_VISITED:,} items for one row; collect fewer values, or "
                "use fewer loops within each other"
            ) from error
        if _OUT_OF_MEMORY in code:
            raise PlanLimitError("the plan needs too much memory; add a condition or a limit") from error
        raise
    if len(rows) > max_rows:
        raise PlanLimitError(f"the plan returns more than {max_rows:,} rows; add a condition or a limit")
    columns = tuple(name for name, _ in query.columns)
    # The driver names the columns as the query does, so their position is safer than their name.
    converted = tuple(tuple(_value(cell, schema, chosen) for cell in row.values()) for row in rows)
    return PlanResult(columns, converted, query.text, query.parameters)


def node_name(
    node: Mapping[str, Any], kinds: frozenset[str], schema: GraphSchema, chosen: Mapping[str, str]
) -> str | None:
    """Return the name of a node with these properties and kinds; None if it has none.

    A property that is hidden for one of the kinds is no name, even if it names the nodes of another kind.
    """
    described = sorted((kind, schema.kinds[kind].name_property) for kind in kinds & schema.kinds.keys())
    keys = [(kind, key) for kind, key in described if key and not any((one, key) in schema.hidden for one in kinds)]
    first, others = (
        [node.get(key) for kind, key in keys if (chosen.get(kind) == key) is wanted] for wanted in (True, False)
    )
    copied, _ = copied_names(node, kinds, schema.hidden)
    return next((str(name) for name in (*first, copied, *others) if name is not None), None)


def shown_name(node: Node, schema: GraphSchema, chosen: Mapping[str, str]) -> str:
    """Return the name of a node, or else a property that shows which one it is, or else its ID."""
    name = node_name(node, node.labels, schema, chosen)
    if name is None and ENTITY_LABEL not in node.labels:
        owners = {"", *node.labels}
        name = readable_value({key: value for key, value in node.items() if owners.isdisjoint(_hiding(key, schema))})
    return name or node.element_id


def _hiding(key: str, schema: GraphSchema) -> set[str]:
    """Return the kinds for which a property is hidden; `""` stands for all."""
    return {owner for owner, hidden in schema.hidden if hidden == key}


def _value(value: Any, schema: GraphSchema, chosen: Mapping[str, str]) -> Any:
    match value:
        case Node():
            kinds = tuple(sorted(value.labels.difference(OWN_LABELS)))
            return NodeRef(value.element_id, shown_name(value, schema, chosen), kinds)
        case Relationship():
            return RelationshipRef(value.element_id, value.type)
        case list():
            return tuple(_value(item, schema, chosen) for item in value)
        case dict():
            return MapValue(tuple((name, _value(value[name], schema, chosen)) for name in sorted(value)))
        case float():
            return rounded(value)
        case Date() | DateTime():
            return _date(value)
        case None | bool() | int() | str():
            return value
        case Duration():
            return stored_duration(value)
    return str(value)  # a point, or a time, which plans do not compute with


def _date(value: Date | DateTime) -> date | str:
    """Convert a date or datetime; Python has no years before 1 and after 9999."""
    try:
        native = value.to_native()
    except ValueError:
        return str(value)
    return as_utc(native) if isinstance(native, datetime) else native
