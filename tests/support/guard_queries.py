"""Queries for the guard over the graph of films: hostile or broken ones, and harmless ones that look dangerous."""

from tests.support.harmless_queries import HARMLESS_BY_LOOKS
from tests.support.hostile_queries import HOSTILE_BY_TRICK

_FILM = "MATCH (f:Film) "
_END = " RETURN f.title"

_WRITES = (
    "CREATE (x:Film)", "CREATE (f)-[:DIRECTED]->(f)", "MERGE (x:Film {title: 'x'})", "MERGE (f)-[:DIRECTED]->(f)",
    "MERGE (x:Film {title: 'x'}) ON CREATE SET x.year = 1", "MERGE (x:Film {title: 'x'}) ON MATCH SET x.year = 1",
    "SET f.year = 1", "SET f += {year: 1}", "SET f = {}", "SET f:Person", "REMOVE f.year", "REMOVE f:Film",
    "DELETE f", "DETACH DELETE f", "NODETACH DELETE f", "FOREACH (x IN [1] | SET f.year = x)",
    "FOREACH (x IN [1] | CREATE (:Film))", "INSERT (x:Film)",
)  # fmt: skip
_PROCEDURES = (
    "CALL db.labels()", "CALL db.labels() YIELD label", "CALL dbms.components()", "CALL dbms.listConfig()",
    "CALL apoc.load.json('http://127.0.0.1/x')", "CALL apoc.cypher.runWrite('CREATE (n)', {})",
    "CALL apoc.periodic.iterate('MATCH (n) RETURN n', 'DELETE n', {})", "CALL db.createLabel('X')",
    "CALL db.index.fulltext.queryNodes('i', 'x')", "CALL apoc.export.csv.all('x', {})", "CALL dbms.killQuery('1')",
    "CALL tx.setMetaData({})", "CALL { CREATE (x:Film) RETURN x }", "CALL { MATCH (x) DETACH DELETE x }",
    "CALL { MATCH (x) SET x.year = 1 RETURN x } IN TRANSACTIONS", "CALL (f) { SET f.year = 1 RETURN 1 AS one }",
    "CALL { MATCH (x:Film) DELETE x RETURN 1 AS one }", "CALL { WITH f DELETE f RETURN 1 AS one }",
    "LOAD CSV FROM 'file:///etc/passwd' AS line", "LOAD CSV WITH HEADERS FROM 'http://127.0.0.1/x' AS line",
    "USING PERIODIC COMMIT 500 LOAD CSV FROM 'x' AS line", "USE system MATCH (x)", "USE neo4j MATCH (x)",
)  # fmt: skip
_ADMIN = (
    "CREATE INDEX i FOR (f:Film) ON (f.title)", "DROP INDEX i", "DROP INDEX i IF EXISTS", "DROP CONSTRAINT c",
    "CREATE CONSTRAINT c FOR (f:Film) REQUIRE f.title IS UNIQUE", "SHOW INDEXES", "SHOW DATABASES", "SHOW USERS",
    "SHOW TRANSACTIONS", "SHOW PROCEDURES", "SHOW FUNCTIONS", "SHOW SETTINGS", "TERMINATE TRANSACTIONS 'neo4j-1'",
    "CREATE DATABASE x", "DROP DATABASE neo4j", "STOP DATABASE neo4j", "START DATABASE neo4j",
    "ALTER DATABASE neo4j SET ACCESS READ ONLY", "CREATE USER u SET PASSWORD 'password'", "DROP USER neo4j",
    "ALTER USER neo4j SET PASSWORD 'password'", "ALTER CURRENT USER SET PASSWORD FROM 'a' TO 'b'",
    "GRANT ROLE admin TO u", "REVOKE ROLE admin FROM u", "DENY READ {*} ON GRAPH * TO r", "CREATE ROLE r",
    "GRANT ALL ON DBMS TO r", "CREATE ALIAS a FOR DATABASE neo4j", "ENABLE SERVER 's'", "DRYRUN REALLOCATE DATABASES",
    "CREATE FULLTEXT INDEX i FOR (f:Film) ON EACH [f.title]", "CREATE VECTOR INDEX i FOR (f:Film) ON f.title",
)  # fmt: skip
_HIDDEN_WRITES = (
    "MATCH (f:Film) /* RETURN f */ DELETE f", "MATCH (f:Film) // RETURN f\nDELETE f", "MATCH (f:Film) DE/**/LETE f",
    "MATCH (f:Film)/**/DELETE/**/f/**/RETURN 1", "MATCH (f:Film) RETURN f; MATCH (f) DETACH DELETE f",
    "MATCH (f:Film) RETURN f;\nDROP DATABASE neo4j;", "MATCH (f:Film) RETURN f.title /* unclosed",
    "MATCH (f:Film {title: 'x'}) DETACH DELETE f //'}) RETURN f", "MATCH (f:Film {title: 'x' }) SET f.a = '' RETURN f",
    "MATCH (f:Film) \u0044ELETE f", "MATCH (f:Film) \\u0044ELETE f", "MATCH (f:Film) \uff24\uff25LETE f RETURN 1",
    "MATCH (f:Film) \u0405ET f.year = 1 RETURN f", "MATCH (f:Film)\u2028DELETE f", "MATCH (f:Film)\u00a0DELETE f",
    "MATCH (f:Film)\u200bDELETE f", "MATCH (f:Film) DELETE\u200d f", "MATCH (f:Film)\x00 RETURN f", "\ufeffCREATE (n)",
    "\u202eMATCH (f) RETURN f", "MATCH (f:Film)\u0085DELETE f", "MATCH (f:Film {title: 'a\\' }) DELETE f RETURN 1",
    "MATCH (f:Film {title: \u2019x\u2019}) RETURN f", "MATCH (f:`Film` ) DETACH DELETE `f`",
    "MATCH (f:`Film`) WHERE true DELETE f", "MATCH (f:`Film`) RETURN f.title` DELETE f", "match (f:Film) dElEtE f",
    "MATCH (f:`Film`) DETACH DELETE f WITH 1 AS x RETURN x", "CYPHER 5 MATCH (f:Film) DELETE f",
    "CYPHER runtime=slotted MATCH (f:Film) RETURN f", "CYPHER planner=cost CREATE (n) RETURN n",
)  # fmt: skip
_EXPANSIONS = (
    "MATCH (a)-[*]->(b) RETURN count(*)", "MATCH (a)-[*0..]->(b) RETURN b", "MATCH (a)-[*1..50]-(b) RETURN count(b)",
    "MATCH p = (a)-[*..]-(b) RETURN p", "MATCH (a)-[:ACTED_IN*5..]-(b) RETURN b", "MATCH (a)-[r*]-(b) RETURN r",
    "MATCH p = shortestPath((a)-[*]-(b)) RETURN p", "MATCH p = allShortestPaths((a)-[*]-(b)) RETURN p",
    "MATCH (a) ((x)-->(y)){1,100} (b) RETURN count(*)", "MATCH (a)-->+(b) RETURN count(*)", "MATCH (a)-->*(b) RETURN b",
    "UNWIND range(1, 1000000000) AS x RETURN count(x)", "RETURN range(1, 1000000000)",
    "RETURN reduce(s = 'x', i IN range(1, 60) | s + s)", "MATCH (a), (b), (c), (d), (e) RETURN count(*)",
    "MATCH (a), (b), (c), (d), (e) RETURN a, b, c, d, e LIMIT 1", "MATCH (a) MATCH (b) MATCH (c) MATCH (d) RETURN 1",
    "MATCH (a:Film), (b:Film), (c:Film), (d:Film), (e:Film) RETURN count(*)",
    "MATCH (a:Person), (b:Person), (c:Person), (d:Person), (e:Person) RETURN a.name",
    "MATCH (a) WITH a MATCH (b) WITH a, b MATCH (c) WITH a, b, c MATCH (d) WITH a, b, c, d RETURN count(*)",
    "MATCH (a)-->(b), (c)-->(d), (e)-->(f), (g)-->(h) RETURN count(*)",
    "MATCH (f:Film) WHERE EXISTS { MATCH (a), (b), (c), (d), (e) } RETURN f.title",
    "MATCH (f:Film) RETURN COUNT { MATCH (a), (b), (c), (d), (e) }",
    "MATCH (f:Film) WHERE f.title =~ '(a+)+$' RETURN f",
    "RETURN " + "-" * 900 + "1", "RETURN " + "NOT " * 900 + "true",
    "RETURN " + "[" * 900 + "]" * 900, "RETURN " + "+".join("1" * 1500), "MATCH (f) RETURN f" + ".title" * 500,
    "MATCH (f:Film) RETURN f.title // " + "x" * 5000, "RETURN " + "1" * 3000, "MATCH (f) RETURN f LIMIT " + "9" * 30,
    "MATCH (f:Film) RETURN f.title LIMIT -1", "MATCH (f:Film) RETURN f.title LIMIT 1 + 1", "RETURN 1e999",
)  # fmt: skip
_BROKEN = (
    "", " ", ";", "RETURN", "MATCH", "MATCH (f:Film)", "MATCH (f:Film RETURN f", "MATCH f:Film RETURN f", "RETURN f",
    "MATCH (f:Film) RETURN g", "MATCH (f:Film) RETURN f.nothing", "MATCH (f:Movie) RETURN f", "I cannot answer that.",
    "MATCH (f:Film)-[:LIKES]->(p) RETURN p", "MATCH (f:Film)-[:ACTED_IN]->(p:Person) RETURN p.name",
    "MATCH (f:Film) WHERE f.title = RETURN f", "MATCH (f:Film) WHERE f.title = 'x RETURN f", "SELECT title FROM film",
    "MATCH (f:Film) RETURN f.title ORDER", "MATCH (f:Film) RETURN *", "MATCH (f:Film) WITH * RETURN f", "{'a': 1}",
    "MATCH (f:Film) RETURN f.title, count(", "MATCH (f:Film) RETURN $title", "MATCH (f:Film {title: $t}) RETURN f",
    "MATCH (f:Film) RETURN apoc.text.join(['a'], '')", "MATCH (f:Film) RETURN gds.util.asNode(1)", "<think>hm",
    "MATCH (f:Film) RETURN id(f)", "MATCH (f:Film) RETURN elementId(f)", "MATCH (f:Film) RETURN properties(f)",
    "MATCH (f:Film) RETURN f {.*}", "MATCH (f:Film) RETURN f[$key]", "MATCH (f:Film) RETURN file('/etc/passwd')",
    "MATCH (f:Film) RETURN labels(f)[0]()", "MATCH (f:Film) RETURN f.title + ", "\u0000", "MATCH \ud83d\ude00 RETURN 1",
)  # fmt: skip

HOSTILE: tuple[str, ...] = tuple(
    dict.fromkeys(
        [
            *(_FILM + write for write in _WRITES),
            *(_FILM + write + _END for write in _WRITES),
            *(write for write in _WRITES if write.startswith(("CREATE (x", "MERGE (x", "INSERT", "FOREACH"))),
            *_PROCEDURES,
            *(_FILM + call + _END for call in _PROCEDURES),
            *_ADMIN,
            *(prefix + _FILM + _END for prefix in ("EXPLAIN ", "PROFILE ", "explain ", "PROFILE EXPLAIN ")),
            *(prefix + _FILM + "DELETE f" for prefix in ("EXPLAIN ", "PROFILE ")),
            *_HIDDEN_WRITES,
            *_EXPANSIONS,
            *_BROKEN,
            *HOSTILE_BY_TRICK,
        ]
    )
)
"""Queries that must not run."""

_DATA = (
    "delete", "DETACH DELETE f", "CREATE (n)", "merge", "SET f.year = 1", "REMOVE", "DROP DATABASE neo4j",
    "CALL db.x()", "LOAD CSV FROM", "FOREACH", "EXPLAIN", "PROFILE", "USE system", "; MATCH (n) DELETE n", "// comment",
    "/* comment */", "}) DETACH DELETE f RETURN (", " OR 1=1 --", "$parameter", "GRANT ROLE admin", "\u202e delete",
    "D\u200bELETE", "\uff24ELETE", "`; DROP", "((((((((((", "]]]]]]]",
)  # fmt: skip
_PLACES = (
    "MATCH (f:Film {{title: '{word}'}}) RETURN f.title",
    'MATCH (p:Person)-[:ACTED_IN]->(f:Film) WHERE f.title <> "{word}" RETURN p.name, count(f) AS films',
    "MATCH (f:Film) WHERE NOT f.title CONTAINS '{word}' RETURN count(f) AS films",
    "MATCH (f:Film) WHERE f.title IN ['{word}', 'Film 1'] RETURN f.title AS title",
)
_ORDINARY = (
    "MATCH (f:Film) RETURN f.title ORDER BY f.rating DESC, f.title LIMIT 3", "match (f:Film) return count(f) as n;",
    "MATCH (f:Film) /* a comment */ RETURN count(f) AS n", "MATCH (f:Film) RETURN count(f) AS n // DELETE f",
    "MATCH (f:Film) RETURN count(f) AS `delete`", "MATCH (`create`:Film) RETURN count(`create`) AS n",
    "MATCH (f:Film), (p:Person) RETURN count(*) AS pairs", "MATCH (p:Person)-[:ACTED_IN*1..2]-(q) RETURN count(*) AS n",
    "MATCH (f:Film) WHERE NOT (f)<-[:DIRECTED]-() RETURN f.title",
    "MATCH (f:Film) RETURN round(avg(f.rating) * 100) AS mean",
    "MATCH (p:Person) OPTIONAL MATCH (p)-[:DIRECTED]->(f:Film) RETURN p.name, count(f) AS films",
    "MATCH (f:Film) WITH f.year AS year, count(*) AS n WHERE n > 1 RETURN year, n",
    "MATCH (f:Film {title: 'Film 1'}), (g:Film {title: 'Film 2'}), (h:Film {title: 'Film 3'}),"
    " (i:Film {title: 'Film 4'}), (j:Film {title: 'Film 5'})"
    " RETURN f.year + g.year + h.year + i.year + j.year AS years",
)  # fmt: skip

HARMLESS: tuple[str, ...] = (
    *_ORDINARY,
    *(place.format(word=word) for place in _PLACES for word in _DATA),
    *HARMLESS_BY_LOOKS,
)
"""Queries that must run, although many hold words that look dangerous."""
