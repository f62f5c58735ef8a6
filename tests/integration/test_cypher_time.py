"""Cypher queries over dates, datetimes, and durations give the rows of Neo4j when they run as plans."""

from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any

import neo4j
import pytest

from graph.cypher.reader import read_cypher
from graph.plan.values import as_utc
from tests import neo4j_server
from tests.support.both_stores import BothStores, both_stores
from tests.support.plan_results import comparable
from tests.support.reference_evaluator import Node, PropertyGraph, evaluate

pytestmark = neo4j_server.needs_neo4j

_VISITS: tuple[dict[str, Any], ...] = (
    {"n": 1, "day": date(2020, 1, 31), "at": datetime(2020, 1, 31, 23, 59, 59, 500_000)},
    {"n": 2, "day": date(2020, 2, 29), "at": datetime(2019, 12, 31, 12)},
    {"n": 3, "day": date(1999, 12, 31), "at": datetime(1970, 1, 1)},
    {"n": 4, "day": date(5, 1, 1), "at": datetime(1, 1, 1, 0, 0, 1)},
    {"n": 5, "day": date(9999, 12, 31), "at": datetime(9999, 12, 31, 23, 59, 59)},
)
_GRAPH = PropertyGraph(tuple(Node(place, frozenset(("Visit",)), one) for place, one in enumerate(_VISITS)), ())
_UNITS = ("century", "decade", "year", "quarter", "month", "week", "day")
_TRUNCATIONS = (
    *(
        f"MATCH (v:Visit) WHERE v.n <> 4 RETURN v.n, date.truncate('{unit}', v.day) AS a, "
        f"localdatetime.truncate('{unit}', v.at) AS b, date.truncate('{unit}', v.at) AS c"
        for unit in _UNITS
    ),
    *(f"MATCH (v:Visit) RETURN v.n, localdatetime.truncate('{unit}', v.at) AS a" for unit in ("hour", "minute")),
    "MATCH (v:Visit) RETURN v.n, localdatetime.truncate('second', v.at) AS a, date.truncate('week', v.day) AS b",
    "MATCH (v:Visit) RETURN date.truncate('quarter', v.day) AS quarter, count(*) AS visits",
    "MATCH (v:Visit) WHERE date.truncate('month', v.day) = date('2020-02-01') RETURN v.n",
)
_SHIFTS = (
    *(
        f"MATCH (v:Visit) WHERE 1000 < v.at.year < 9999 RETURN v.n, v.day {sign} duration('{text}') AS a, "
        f"v.at {sign} duration('{text}') AS b"
        for sign in "+-"
        for text in ("P1M", "P1Y-2M3D", "PT25H", "PT86399.5S", "PT-86399.5S", "P-1M1DT-0.000001S", "PT0S")
    ),
    "MATCH (v:Visit) WHERE v.n < 4 RETURN v.n, duration({days: 7}) + v.day AS a, v.at - duration({months: 1}) AS b",
    "MATCH (v:Visit) WHERE v.day > date('2020-03-01') - duration('P2M') RETURN v.n",
    "MATCH (v:Visit) WHERE v.n < 4 RETURN v.n, v.day + duration.between(v.at, v.day) AS a",
    "MATCH (v:Visit) RETURN v.n, v.missing + duration('P1D') AS a, null - duration('P1D') AS b",
)
_EPOCHS = (
    "MATCH (v:Visit) RETURN v.n, datetime({epochSeconds: v.n * 500000000}) AS a, datetime({epochMillis: -v.n}) AS b",
    "MATCH (v:Visit) WHERE datetime({epochSeconds: v.n * 500000000}).year > 2000 RETURN v.n",
    "MATCH (v:Visit) RETURN v.n, datetime(v.at).epochSeconds AS a, datetime.fromEpochMillis(v.n) AS b",
)
_LENGTHS = (
    "MATCH (v:Visit) RETURN v.n ORDER BY duration.between(v.day, v.at), v.n LIMIT 3",
    "MATCH (v:Visit) WITH duration.inDays(v.day, v.at) AS took, count(*) AS n RETURN n ORDER BY took DESC LIMIT 2",
    "MATCH (v:Visit) RETURN toString(max(duration.between(v.day, v.at))) AS a, "
    "toString(min(duration.inSeconds(v.day, v.at))) AS b",
    "MATCH (v:Visit) RETURN v.n, toString(duration.inDays(v.day, v.at)) AS a, "
    "toString(duration.inMonths(v.day, v.at)) AS b, "
    "toString(duration.inSeconds(v.day, v.at)) AS c, duration.inDays(v.day, v.at).seconds AS d",
)
QUERIES = (*_TRUNCATIONS, *_SHIFTS, *_EPOCHS, *_LENGTHS)


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BothStores]:
    neo4j_server.require_empty()
    file: Path = tmp_path_factory.mktemp("graph") / "graph.sqlite"
    with both_stores(_GRAPH, file, neo4j_server.settings()) as loaded:
        yield loaded


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_and_its_plan_give_the_same_rows(stores: BothStores, query: str) -> None:
    expected = sorted(_values(record) for record in neo4j_server.ask(query))
    plan = read_cypher(query)

    assert expected
    assert _sorted(evaluate(plan, stores.copy.graph).rows) == expected
    for store in (stores.sqlite, stores.neo4j):
        assert _sorted(stores.runner.run(store.run(plan, 1_000)).rows) == expected


def _values(record: neo4j.Record) -> str:
    """Return the values of a record, in a form that sorts."""
    return repr(comparable([tuple(map(_plan_value, record.values()))])[0])


def _plan_value(value: Any) -> Any:
    match value:
        case neo4j.time.DateTime():
            return as_utc(value.to_native())
        case neo4j.time.Date():
            return value.to_native()
    return value


def _sorted(rows: Any) -> list[str]:
    return sorted(map(repr, comparable(rows)))
