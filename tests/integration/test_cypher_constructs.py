"""Cypher queries that are read as plans give the rows that Neo4j gives for the query itself."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import neo4j
import pytest

from graph.cypher.reader import read_cypher
from graph.plan.checks import check_plan
from graph.plan.values import MapValue
from tests import neo4j_server
from tests.support.both_stores import BothStores, both_stores
from tests.support.plan_results import comparable
from tests.support.reference_evaluator import Node, PropertyGraph, Relationship, evaluate

pytestmark = neo4j_server.needs_neo4j

_PEOPLE: tuple[tuple[set[str], dict[str, Any]], ...] = (
    ({"Pilot"}, {"name": "Una", "age": 61, "rank": 1, "tags": ("old", "calm"), "born": date(1960, 5, 1)}),
    ({"Pilot", "Cook"}, {"name": "Ben", "age": 38, "rank": 2, "tags": ("calm",), "score": 2.5}),
    ({"Cook"}, {"name": "cleo\nKay", "age": 27, "tags": (), "score": 4.0}),
    ({"Guest"}, {"name": "Dag", "age": 44, "rank": 3, "score": -1.5}),
    ({"Guest"}, {"name": "É\u212ay", "nick": ""}),
)
_LINKS = ((0, 1), (1, 2), (3, 0), (1, 0), (2, 2))
_GRAPH = PropertyGraph(
    tuple(Node(place, frozenset(kinds), properties) for place, (kinds, properties) in enumerate(_PEOPLE)),
    tuple(Relationship(place, "KNOWS", source, target) for place, (source, target) in enumerate(_LINKS)),
)

_SUBQUERIES = (
    "CALL { MATCH (p:Pilot) RETURN p, p.rank AS r UNION MATCH (p:Cook) RETURN p, p.rank AS r } "
    "WITH DISTINCT p RETURN p.name",
    "CALL { MATCH (p:Pilot)-[a:KNOWS]->(q) RETURN p, q UNION MATCH (p)-[a:KNOWS]->(q:Pilot) RETURN p, q } "
    "RETURN p.name, q.name",
    "CALL { MATCH (p:Pilot) RETURN p UNION ALL MATCH (p:Cook) RETURN p } RETURN count(p), count(DISTINCT p)",
    "CALL { MATCH (p:Guest) RETURN p UNION MATCH (p:Cook) RETURN p } MATCH (p)-->(q) RETURN p.name, q.name",
    "CALL { MATCH (p) RETURN p.age AS a ORDER BY a LIMIT 2 } RETURN max(a)",
)
_CASES = (
    "MATCH (p) RETURN p.name, CASE WHEN p.age > 40 THEN 'old' WHEN p.age > 30 THEN p.rank ELSE p.tags END AS x",
    "MATCH (p) RETURN p.name, CASE p.rank WHEN 1 THEN 'first' WHEN 2.0 THEN 'second' END AS x",
    "MATCH (p) RETURN p.name, CASE p.nick WHEN null THEN 1 ELSE 2 END AS x",
    "MATCH (p) RETURN sum(CASE WHEN p.age > 40 THEN 1 ELSE 0 END) AS n, "
    "count(CASE WHEN p.age > 40 THEN p ELSE NULL END) AS m, count(DISTINCT CASE WHEN p:Pilot THEN p END) AS k",
    "MATCH (p)-->(q) RETURN p.name, collect(CASE WHEN q.age > p.age THEN q.name END) AS older",
    "MATCH (p) RETURN CASE WHEN p:Pilot THEN 'pilot' ELSE 'other' END AS kind, count(*), avg(p.age)",
    "MATCH (p) WHERE CASE WHEN p.rank IS NULL THEN p.age < 30 ELSE p.rank > 1 END RETURN p.name",
    "MATCH (p) WITH CASE WHEN p:Guest THEN p END AS g RETURN g.name, g.age",
    "MATCH (p) RETURN p.name ORDER BY CASE WHEN p.name = 'Dag' THEN 0 ELSE 1 END, p.name LIMIT 2",
    "MATCH (p {name: 'Una'}), (q {name: 'Ben'}) RETURN CASE WHEN p.age > q.age THEN p.name ELSE q.name END AS a",
    "MATCH (p) WITH count(p) AS n, sum(p.rank) AS s RETURN CASE WHEN n > 0 THEN toFloat(s) / n ELSE 0 END AS share",
    "MATCH (p) RETURN CASE WHEN count(p) > 3 THEN 'many' ELSE 'few' END AS x",
    "MATCH (p) RETURN p.name, CASE WHEN (p)-->(:Pilot) THEN COUNT { (p)-->() } ELSE 0 END AS n",
)
_TYPES = (
    "MATCH (p) WHERE p.rank IN [1, null] RETURN p.name",
    "MATCH (p) WHERE NOT p.rank IN [1, null] RETURN p.name",
    "MATCH (p) WHERE NOT p.rank IN [1, p.age] RETURN p.name",
    "MATCH (p) WHERE p.rank IN [] OR NOT p.rank IN [] RETURN p.name",
    "MATCH (p)-->(q) WHERE p IN [q, null] RETURN p.name",
    "MATCH (p) RETURN p.name, p.rank IN [p.age - 36, 1] AS x, null IN [1] AS y",
    "MATCH (p) RETURN p.name + ' is ' + 1 AS x, 1 + 2 + 'a' + 3 AS y",
    "MATCH (p) WITH p.name AS name, count(*) AS n RETURN n + ' x ' + name AS x",
    "MATCH (p) RETURN 'all ' + count(p) AS x",
    "MATCH (p:Pilot) UNWIND 5 AS x RETURN p.name, x",
    "MATCH (p) WITH count(p) AS n UNWIND n AS x RETURN x",
    "MATCH (p) UNWIND null AS x RETURN x",
    "MATCH (p) WITH collect(p.rank) AS ranks UNWIND ranks AS x RETURN x",
)
_DURATIONS = (
    "MATCH (p)-->(q) WHERE duration.between(p.born, q.born) > duration('P1M') RETURN p.name",
    "MATCH (p) WITH p WHERE NOT duration.between(p.born, date('2000-01-01')) <= duration('P1M') RETURN p.name",
    "MATCH (p) WHERE p.age > 40 OR duration.between(p.born, date('2000-01-01')) > duration('P1Y') RETURN p.name",
    "MATCH (p) RETURN p.name, duration.between(p.born, date('2000-01-01')) > duration('P1Y') AS x",
    "MATCH (p) RETURN p.name ORDER BY duration.between(p.born, date('2000-01-01')), p.name",
    "MATCH (p) RETURN p.name, duration.inMonths(p.born, datetime('2000-02-29T10:00Z')).months AS x",
    "MATCH (p) WHERE duration.between(p.born, date('2000-01-01')).years > 38 RETURN p.name",
)
_PATTERNS = (
    ".*", ".*e.*", "(?i).*E.*", "(?s).*k.*", "(?is)CLEO.*", "(?i).*k.*", "(?i)é.*", "[A-Z][a-z]+", "[^B].*", ".{3}",
    "[D|U]..", r"\\w+", r"\\W.*", r"[\\w\\s]+", "U(na|mo)", "(B|D)?(en|ag)", "B?.{2,}", "[U-]na", "^Ben$", "",
    r"[\\S\\s]*K..", "U.*?a", "U+n+a", r"[^\\d]{3,}", "cleo\\nKay", "(?i)[^u]..", "Una", "Ben|Dag",
)  # fmt: skip
_REGULAR = tuple(
    f"MATCH (p) RETURN p.name, p.name =~ '{pattern}' AS x, p.nick =~ '{pattern}' AS y" for pattern in _PATTERNS
)
_TEXTS = (
    "MATCH (p) RETURN p.name, substring(p.name, 1) AS a, substring(p.name, 1, 2) AS b, substring(p.name, 0, 9) AS c, "
    "substring(p.name, 20) AS d, right(p.name, 2) AS e, right(p.name, 20) AS f, left(p.name, 2) AS g",
    "MATCH (p) RETURN replace(p.name, 'n', '') AS a, replace(p.name, 'a', 'aa') AS b, replace(p.nick, 'x', '') AS c",
    "MATCH (p) RETURN split(p.name, 'e') AS a, split(p.name, '\\n')[1] AS b, size(split(p.name, 'a')) AS c",
    "MATCH (p) RETURN p.tags[0] AS a, p.tags[1] AS b, p.tags[-2] AS c, [1, 2, 3][p.rank] AS d, p.tags[5] AS e",
    "MATCH (p) RETURN toFloat(replace('1,5', ',', '.')) + p.age AS x",
    "MATCH (p) WITH collect(p) AS all UNWIND [0, 1] AS n WITH all[n] AS q RETURN q.age IS NULL AS x, count(*)",
    "MATCH (p) WITH p ORDER BY p.age WITH collect(p)[1] AS q RETURN q.name",
    "MATCH (p) UNWIND split(p.name, 'n') AS c RETURN c",
)
_LENGTHS = (
    "MATCH (p:Guest)-[:KNOWS*1..3]->(q) RETURN p.name, q.name",
    "MATCH (p {name: 'Ben'})<-[:KNOWS*..2]-(q) RETURN p.name, q.name",
    "MATCH (p {name: 'Una'})-[*0..2]-(q) RETURN q.name",
    "MATCH (p)-[:KNOWS*2]->(q) RETURN p.name, q.name",
    "MATCH (p)-[:KNOWS*0..1]->(q:Pilot)-[:KNOWS*1..2]->(r) WHERE p <> r RETURN p.name, q.name, r.name",
    "MATCH (p:Pilot) WITH p ORDER BY p.age LIMIT 1 MATCH (p)-[*1..2]-(q) WHERE q.age > 30 RETURN p.name, count(q)",
    "MATCH (p) WHERE (p)-[:KNOWS*2..3]->(:Pilot) RETURN p.name",
    "MATCH (p) WHERE NOT EXISTS { (p)-[:KNOWS*1..3]->(:Cook) } RETURN p.name",
    "MATCH (p) RETURN p.name, COUNT { (p)-[:KNOWS*1..3]->() } AS n",
    "CALL { MATCH (p:Pilot) RETURN p UNION MATCH (p:Cook) RETURN p } MATCH (p)-[*1..2]->(q) RETURN p.name, q.name",
    "MATCH (p)-[:KNOWS*1..2]->(q) OPTIONAL MATCH (q)-->(r:Cook) RETURN p.name, count(r) AS n",
)
_QUANTIFIERS = (
    "MATCH (p) WHERE any(x IN p.tags WHERE x = 'calm') RETURN p.name",
    "MATCH (p) WHERE none(x IN p.tags WHERE 'old' = x) RETURN p.name",
    "MATCH (p) WHERE all(x IN p.tags WHERE x <> 'old') RETURN p.name",
    "MATCH (p) RETURN p.name, any(x IN p.tags WHERE x IN ['old', 'new']) AS a, any(x IN p.tags WHERE x = p.nick) AS b",
    "MATCH (p) RETURN p.name, any(x IN [p.age, p.rank] WHERE x > 40) AS a, all(x IN [p.age, p.rank] WHERE x > 2) AS b, "
    "none(x IN [p.age, null] WHERE x = 38) AS c, all(x IN [] WHERE x > 1) AS d, none(x IN [] WHERE x > 1) AS e",
    "MATCH (p)-->(q) WHERE any(x IN [p, q] WHERE x.age < 30 AND x:Cook) RETURN p.name, q.name",
    "MATCH (p)-->(q) WITH p, collect(q.name) AS names WHERE any(name IN names WHERE name = 'Una') RETURN p.name",
    "MATCH (p) RETURN p.name, size([(p)-->(q) WHERE q.age > 30 | q.rank]) AS n, size([(p)--(:Pilot) | 1]) AS m",
)
_LOOPS = (
    "MATCH (p) RETURN p.name, any(x IN p.tags WHERE x STARTS WITH 'c') AS a, all(x IN p.tags WHERE size(x) > 3) AS b, "
    "none(x IN p.tags WHERE x <> 'calm') AS c, single(x IN p.tags WHERE x CONTAINS 'l') AS d",
    "MATCH (p) WITH [1, null, 3] AS l, p.rank AS r RETURN any(x IN l WHERE x > r) AS a, all(x IN l WHERE x > r) AS b, "
    "none(x IN l WHERE x > r) AS c, single(x IN l WHERE x > r) AS d",
    "UNWIND [[1], [1, 1], [], [null], [1, null], [2, null], [1, 1, null]] AS l "
    "RETURN single(x IN l WHERE x = 1) AS a, all(x IN l WHERE x = 1) AS b, any(x IN l WHERE x = 1) AS c, l",
    "MATCH (p)-->(q) WITH p, q ORDER BY q.name WITH p, collect(q) AS found RETURN p.name, "
    "[x IN found WHERE x.age > 30 | x.name] AS a, size([x IN found WHERE x:Cook]) AS b, "
    "[x IN found | x.rank] AS c, single(x IN found WHERE x.rank = 1) AS d",
    "MATCH (p) RETURN p.name, [x IN p.tags | x + '!'] AS a, [x IN p.tags WHERE x <> 'old'] AS b, [x IN p.tags] AS c",
    "MATCH (p) WITH collect(p.born) AS days RETURN [d IN days | d.year] AS years",
    "MATCH (p)-->(q) WITH p, collect(q) AS found UNWIND [x IN found | x.rank] AS rank RETURN p.name, rank",
    "MATCH (p) WITH p, [x IN [3, 1, 2] WHERE x > p.rank | [y IN [x, 10] | x * y]] AS a RETURN p.name, a",
    "MATCH (p)-[r]->(q) WITH p, collect(r) AS links RETURN p.name, size([r IN links WHERE type(r) = 'KNOWS']) AS n",
    "MATCH (p) RETURN any(x IN collect(p) WHERE x.age > 60) AS a, [x IN collect(p.rank) WHERE x > 1] AS b",
    "MATCH (p) WITH collect(p) AS all MATCH (q:Guest) RETURN q.name, any(x IN all WHERE (x)-->(q)) AS a, "
    "all(x IN all WHERE EXISTS { (x)-->(:Pilot) } OR x.age > 40) AS b",
    "MATCH (p) WITH [x IN [p.age, p.rank] WHERE x IS NOT NULL] AS l RETURN l, size(l) AS n ORDER BY n, l",
    "MATCH (x {name: 'Una'}) RETURN [x IN x.tags WHERE x = 'old'] AS a, x.name, all(x IN [x.age] WHERE x = 61) AS b",
)
_NULLS = (
    "MATCH (p) RETURN p.name, [p.age, p.rank] AS a, [p.age, p.rank][1] AS b, size([p.nick, null]) AS c",
    "MATCH (p) RETURN [p.rank, 1] = [1, 1] AS a, [p.rank, 1] <> [1, 2] AS b, [p.rank] = [null] AS c, count(*) AS n",
    "MATCH (p) RETURN p.name, 1 IN [p.rank, 5] AS a, null IN [1] AS b, null IN [] AS c, [1] IN [[p.rank]] AS d",
    "MATCH (p) RETURN DISTINCT [p.nick, p:Guest] AS a",
    "MATCH (p) UNWIND [p.rank, null] AS x RETURN p.name, x",
    "MATCH (p) RETURN min([p.rank, 1]) AS a, max([p.nick, 2]) AS b, count(DISTINCT [p.score > 3]) AS c",
)
_MAPS = (
    "MATCH (p) RETURN {name: p.name, rank: p.rank, two: [p.rank, 2]} AS m",
    "MATCH (p)-->(q) WITH p, q ORDER BY q.name RETURN p.name, collect({name: q.name, rank: q.rank}) AS all",
    "MATCH (p)-->(q) WITH p, collect({who: q, rank: q.rank}) AS all UNWIND all AS m "
    "WITH p, m, m.who AS w RETURN p.name, m.rank AS rank, w.name AS a, m.nothing AS b",
    "MATCH (p) WITH p ORDER BY p.name WITH collect({name: p.name, n: p.age}) AS l "
    "RETURN l[0].n - l[1].n AS a, head(l).name AS b, last(l).name AS c, size(l) AS d",
    "MATCH (p) WITH {born: p.born, year: p.age} AS m RETURN m.year AS a, m.born.year AS b",
    "MATCH (p) WITH p ORDER BY p.age DESC WITH collect({p: p, n: p.rank}) AS l WITH l[0].p AS x RETURN x.name",
    "MATCH (p) WITH collect({name: p.name, n: p.rank}) AS all RETURN [m IN all WHERE m.n = 1 | m.name] AS a, "
    "any(m IN all WHERE m.n > 2) AS b",
    "MATCH (p) WITH p ORDER BY p.name RETURN p:Cook AS cook, {n: count(*), ages: collect(p.age)} AS m",
    "MATCH (p) WHERE p.rank IS NULL OR p.rank > 0 RETURN CASE WHEN p.rank = 1 THEN {first: p.name} END AS m",
    "MATCH (p) WITH {a: {b: p.rank}} AS m RETURN m",
)
_COLLECTED = (
    "MATCH (p) UNWIND [(p)-->(q) | q.name] AS name RETURN p.name, name",
    "MATCH (p) UNWIND [(p)--(q:Pilot) WHERE q.age > p.age OR q.rank = 2 | {p: p.name, q: q.name}] AS m RETURN m",
    "MATCH (p) WITH p, [(p)-[k:KNOWS]->(q) | q] AS l RETURN p.name, any(q IN l WHERE q:Cook) AS a, size(l) AS b",
    "MATCH (p) RETURN p.name, [(p)-->(q) WHERE q.age > 60 | q.age] AS a, [(p)<--(:Guest) | p.rank] AS b",
    "MATCH (p) WHERE size([(p)-->(q) | q.rank]) > 1 OR 1 IN [(p)-->(q) | q.rank] RETURN p.name",
    "MATCH (p:Pilot) WITH count(*) AS n, collect(p) AS all RETURN n, [x IN all | size([(x)-->(q) | q.name])] AS a",
)
_SPELLINGS = (
    r"RETURN 'a\q \\d \% \'b' AS x",
    "MATCH (p:Guest)\u2013[:KNOWS]\u2013>(q) RETURN q.name",
)
_UNKNOWN = (
    "MATCH (p) WHERE p.votes > 3 OR p.rank = 1 RETURN p.name, p.votes",
    "MATCH (p) WHERE NOT p.votes > 3 OR p.rank = 1 RETURN p.name",
    "MATCH (p)-[k:KNOWS]->(q) WHERE k.name IS NULL RETURN p.name, count(k.name), max(k.name)",
    "MATCH (p) RETURN p.name ORDER BY p.votes DESC, p.name LIMIT 2",
)
QUERIES = (
    *_UNKNOWN,
    *_QUANTIFIERS,
    *_LOOPS,
    *_NULLS,
    *_MAPS,
    *_COLLECTED,
    *_SPELLINGS,
    *_SUBQUERIES,
    *_CASES,
    *_DURATIONS,
    *_TYPES,
    *_REGULAR,
    *_TEXTS,
    *_LENGTHS,
)


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
    check_plan(plan, stores.runner.run(stores.sqlite.schema()))

    assert _sorted(evaluate(plan, stores.copy.graph).rows) == expected
    for store in (stores.sqlite, stores.neo4j):
        assert _sorted(stores.runner.run(store.run(plan, 1_000)).rows) == expected


def _values(record: neo4j.Record) -> str:
    """Return the values of a record, in a form that sorts."""
    return repr(comparable([tuple(map(_plan_value, record.values()))])[0])


def _plan_value(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_plan_value, value))
    if isinstance(value, dict):
        return MapValue(tuple((name, _plan_value(value[name])) for name in sorted(value)))
    if isinstance(value, float):
        return float(f"{value:.12g}")
    return value.to_native() if isinstance(value, neo4j.time.Date) else value


def _sorted(rows: Any) -> list[str]:
    return sorted(map(repr, comparable(rows)))
