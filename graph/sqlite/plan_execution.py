"""Run query plans on a graph file."""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import TypeAdapter

from graph.plan.algebra import Plan
from graph.plan.property_types import NO_TYPES, PropertyTypes, with_property_types
from graph.plan.result import PlanResult, rounded
from graph.plan.schema import GraphSchema
from graph.plan.scope import Types
from graph.plan.values import MapValue, NodeRef, RelationshipRef, ValueType
from graph.sqlite.connection import GraphConnection
from graph.sqlite.plan_context import Catalogue
from graph.sqlite.plan_query import SqlQuery, compile_plan
from graph.sqlite.values import NODE, RELATIONSHIP, decode, fields_of, items_of
from shared.errors import PlanLimitError

_NODES = (
    "SELECT entities.id, entities.key, entities.name, "
    "(SELECT json_group_array(labels.name) FROM node_labels JOIN labels ON labels.id = label "
    "WHERE entity = entities.id) "
    "FROM json_each(?) AS asked CROSS JOIN entities ON entities.id = asked.value"
)
_MAX_BYTES = 50_000_000
# Parts of SQLite's error messages, with what they mean for a plan.
_LIMITS = {
    "too big": "a number, text, or list in the plan's result is too large",
    "user-defined": "a number, text, or list in the plan's result is too large",
    "integer overflow": "a number in the plan's result is too large for 64 bits",
    "parser stack": "the plan's expressions are nested too deeply",
    "Expression tree": "the plan has too many conditions",
    "too many arguments": "a list or a call of coalesce in the plan is too long",
    "compound SELECT": "the plan's union has too many plans",
    "tables in a join": "the plan's patterns have too many nodes and relationships",
    "too many columns": "the plan has too many columns",
}


class PlanExecutor:
    """Compile and run plans. Safe for concurrent use with one connection per thread."""

    def __init__(self, connection: sqlite3.Connection, types: PropertyTypes = NO_TYPES) -> None:
        """Read the names and the schema of a graph file."""
        names = {
            table: {name: row for row, name in connection.execute(f"SELECT id, name FROM {table}")}  # noqa: S608
            for table in ("labels", "relations", "property_keys")
        }
        owners = dict(connection.execute("SELECT name, nodes FROM property_keys"))
        folded = {
            key: bool(found)
            for key, found in connection.execute("SELECT key, max(is_exception) FROM folded_strings GROUP BY key")
        }
        self._relations = {row: name for name, row in names["relations"].items()}
        (schema,) = connection.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
        self.schema = with_property_types(TypeAdapter(GraphSchema).validate_json(schema), types)
        sizes = {kind: described.count for kind, described in self.schema.kinds.items() if kind}
        self._catalogue = Catalogue(names["labels"], names["relations"], names["property_keys"], sizes, owners, folded)

    def run(self, connection: GraphConnection, plan: Plan, max_rows: int) -> PlanResult:
        """Run a plan.

        Raises PlanLimitError if the plan returns more than `max_rows` rows, or too large a number, and sqlite3.Error if
        the deadline of the connection passes.
        """
        query = compile_plan(plan, self._catalogue, self.schema, max_rows + 1)
        connection.searches = query.searches
        try:
            rows = _fetched(connection.execute(query.text, query.parameters))
        except (sqlite3.OperationalError, sqlite3.DataError) as error:
            limit = next((meaning for part, meaning in _LIMITS.items() if part in str(error)), None)
            # A function that ends at the deadline looks like one that fails.
            if limit is None or connection.deadline.has_passed:
                raise
            raise PlanLimitError(limit) from error
        if len(rows) > max_rows:
            raise PlanLimitError(f"the plan returns more than {max_rows:,} rows; add a condition or a limit")
        return PlanResult(
            tuple(name for name, _ in query.columns),
            tuple(self._decoded(connection, rows, query)),
            query.text,
            {name: decode(value) for name, value in query.parameters.items()},
        )

    def _decoded(
        self, connection: GraphConnection, rows: list[tuple[Any, ...]], query: SqlQuery
    ) -> Iterable[tuple[Any, ...]]:
        nodes = _nodes(connection, rows, query)
        for row in rows:
            connection.deadline.check()
            cells = iter(row)
            yield tuple(self._cell(cells, types, nodes) for _, types in query.columns)

    def _cell(self, cells: Any, types: Types, nodes: dict[int, NodeRef]) -> Any:
        value = next(cells)
        if types.names and types.only(ValueType.RELATIONSHIP):
            relation = next(cells)
            return None if value is None else RelationshipRef(str(value), self._relations[relation])
        if types.names and types.only(ValueType.NODE):
            return None if value is None else nodes[value]
        return self._value(value, nodes)

    def _value(self, stored: Any, nodes: dict[int, NodeRef]) -> Any:
        if isinstance(stored, float):
            return rounded(stored)
        items = items_of(stored)
        if items is not None:
            return tuple(self._value(item, nodes) for item in items)
        if (fields := fields_of(stored)) is not None:
            return MapValue(tuple((name, self._value(one, nodes)) for name, one in fields))
        if isinstance(stored, bytes) and stored[:1] == NODE:
            return nodes[int(stored[1:])]
        if isinstance(stored, bytes) and stored[:1] == RELATIONSHIP:
            row, relation = map(int, stored[1:].split(b"/"))
            return RelationshipRef(str(row), self._relations[relation])
        return decode(stored)


def _fetched(cursor: sqlite3.Cursor) -> list[tuple[Any, ...]]:
    """Fetch all rows; raise PlanLimitError if their texts and lists are too large."""
    rows, size = [], 0
    for row in cursor:
        size += sum(len(cell) for cell in row if isinstance(cell, str | bytes))
        if size > _MAX_BYTES:
            raise PlanLimitError("the texts and lists in the plan's result are too large; return fewer rows or columns")
        rows.append(row)
    return rows


def _nodes(connection: sqlite3.Connection, rows: list[tuple[Any, ...]], query: SqlQuery) -> dict[int, NodeRef]:
    """Look up all nodes of a result."""
    wanted: set[int] = set()
    for row in rows:
        cells = iter(row)
        for _, types in query.columns:
            value = next(cells)
            if types.names and types.only(ValueType.RELATIONSHIP):
                next(cells)
            elif types.names and types.only(ValueType.NODE) and value is not None:
                wanted.add(value)
            else:
                wanted.update(_node_rows(value))
    found = connection.execute(_NODES, (json.dumps(sorted(wanted)),))
    return {row: NodeRef(key, name, tuple(sorted(json.loads(kinds)))) for row, key, name, kinds in found}


def _node_rows(stored: Any) -> Iterator[int]:
    """Yield the row ids of a node in its stored form, or of the nodes in a list."""
    if isinstance(stored, bytes) and stored[:1] == NODE:
        yield int(stored[1:])
    for item in (*(items_of(stored) or ()), *(one for _, one in fields_of(stored) or ())):
        yield from _node_rows(item)
