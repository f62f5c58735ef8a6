"""Run a Cypher query on Neo4j as it is, and as the plan that the reader makes of it, and compare the rows."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from neo4j.exceptions import Neo4jError
from neo4j.graph import Node, Relationship
from neo4j.time import Date, DateTime

from graph.cypher.reader import read_cypher
from graph.plan.result import rounded
from graph.plan.values import MapValue, NodeRef, RelationshipRef
from shared.errors import InvalidInputError, PlanLimitError
from tests.support.both_stores import BothStores
from tests.support.plan_results import comparable
from tests.support.random_cypher import RandomCypher

Rows = list[tuple[Any, ...]]


class Outcome(StrEnum):
    """The outcome of a query."""

    EQUAL = "equal"
    DIFFERENT = "different"
    REFUSED = "refused"
    """By the reader, or by the checks of plans."""
    FAILED = "failed"
    """On Neo4j itself, or because of a limit of plans."""


@dataclass(frozen=True)
class Comparison:
    """Hold what became of a query, and why."""

    outcome: Outcome
    detail: str = ""


def compare(query: RandomCypher, stores: BothStores) -> Comparison:
    """Compare the rows of a query with those of its plan on each store."""
    try:
        records = stores.driver.execute_query(query.text).records
        expected = comparable((_converted(record.values()) for record in records), stores.copy.node_ids)
    except (Neo4jError, PlanLimitError) as error:
        return Comparison(Outcome.FAILED, str(error))
    try:
        plan = read_cypher(query.text)
        found = {"SQLite": stores.rows(stores.sqlite, plan), "Neo4j": stores.rows(stores.neo4j, plan)}
    except PlanLimitError as error:
        return Comparison(Outcome.FAILED, str(error))
    except InvalidInputError as error:
        return Comparison(Outcome.REFUSED, str(error))
    wanted = _canonical(expected, query)
    shown = [f"  {name}: {rows}" for name, rows in found.items() if _canonical(rows, query) != wanted]
    if not shown:
        return Comparison(Outcome.EQUAL)
    return Comparison(Outcome.DIFFERENT, "\n".join((query.text, f"  the query on Neo4j: {wanted}", *shown)))


def _canonical(rows: Rows, query: RandomCypher) -> Rows:
    """Sort rows and lists whose order Cypher leaves open."""
    if query.has_bags:
        rows = [tuple(map(_sorted_list, row)) for row in rows]
    return rows if query.is_ordered else sorted(rows, key=_key)


def _key(value: Any) -> str:
    """Return a key that is the same for `1` and `1.0`, which are equal."""
    match value:
        case tuple():
            return f"({', '.join(map(_key, value))})"
        case float() if value.is_integer():
            return repr(int(value))
    return repr(value)


def _sorted_list(cell: tuple[Any, Any]) -> tuple[Any, Any]:
    return (cell[0], tuple(sorted(cell[1], key=_key))) if cell[0] == "list" else cell


def _converted(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(map(_value, values))


def _value(value: Any) -> Any:
    match value:
        case Node():
            return NodeRef(value.element_id, "")
        case Relationship():
            return RelationshipRef(value.element_id, value.type)
        case list():
            return _converted(value)
        case dict():
            return MapValue(tuple((name, _value(value[name])) for name in sorted(value)))
        case float():
            return rounded(value)
        case Date() | DateTime():
            return value.to_native()
    return value
