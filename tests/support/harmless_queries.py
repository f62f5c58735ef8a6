"""Further harmless queries over the graph of films that look dangerous: by their texts, names, and constructs."""

_TEXTS = (
    "Delete", "create", "Call me", "// not a comment", "/* nor this */", "a /* b", "*/", "SET", "MERGE INTO", "DETACH",
    "LOAD CSV FROM \\'x\\'", "EXPLAIN PROFILE", "\\u0044ELETE", "\\n; DROP", "$(rm -rf)", "{{7*7}}", "--", "#",
    "\ufeffx", "0x41", "NULL", "NONE", "```", "<|im_end|>", "}", "\\' + \\'x", "\\\\", "\u65e5\u672c DELETE",
    "\U0001f600; CREATE",
)  # fmt: skip
_NAMES = (
    "delete", "CREATE (n)", "SET", "call db.x()", "// x", "/* x */", "a``b", "RETURN", "\u65e5\u672c", "; DROP",
)  # fmt: skip
_CONSTRUCTS = (
    "MATCH (set:Film) RETURN count(set) AS n", "MATCH (delete:Film) RETURN delete.title AS create",
    "MATCH (call:Person)-[merge:ACTED_IN]->(f:Film) RETURN count(merge) AS drop",
    "MATCH (f:Film) WITH f AS remove RETURN remove.title AS load",
    "MATCH (f:`Film`)<-[:`DIRECTED`]-(p:`Person`) RETURN f.`title` AS t, p.`name` AS n",
    "MATCH (p:Person)-[:ACTED_IN]->(f:Film)<-[:DIRECTED]-(q:Person)-[:ACTED_IN]->(g:Film) RETURN count(*) AS n",
    "MATCH (f:Film {title: 'Film 1'})-[*1..3]-(g:Film) RETURN count(DISTINCT g) AS n",
    "MATCH (p:Person {name: 'Person 1'})-[*1..4]-(x) RETURN count(*) AS n",
    "MATCH (f:Film {title: 'Film 1'})-[*2]-(g) RETURN count(DISTINCT g) AS n",
    "MATCH (f:Film) RETURN f.title AS t UNION MATCH (p:Person) RETURN p.name AS t",
    "MATCH (f:Film) RETURN f.title AS t UNION ALL MATCH (g:Film) RETURN g.title AS t",
    "MATCH (f:Film) RETURN CASE WHEN f.year < 1985 THEN 'delete' WHEN f.year < 1990 THEN 'create' "
    "ELSE 'call' END AS era, count(*) AS n",
    "MATCH (f:Film) RETURN CASE f.year WHEN 1980 THEN 'set' ELSE 'merge' END AS x",
    "MATCH (f:Film) WHERE EXISTS { (f)<-[:DIRECTED]-(:Person) } RETURN f.title AS t",
    "MATCH (f:Film) WHERE NOT EXISTS { MATCH (f)<-[:ACTED_IN]-(p:Person) WHERE p.name = 'DELETE' } "
    "RETURN count(f) AS n",
    "MATCH (f:Film) RETURN f.title AS t, COUNT { (f)<-[:ACTED_IN]-() } AS n",
    "MATCH (f:Film) WHERE COUNT { (f)<-[:ACTED_IN]-() } > 2 RETURN f.title AS t",
    "MATCH (f:Film) WHERE f.title =~ 'Film [0-9]+' RETURN count(f) AS n",
    "MATCH (f:Film) WHERE f.title =~ '(?i).*DELETE.*' RETURN count(f) AS n",
    "MATCH (f:Film) WHERE f.title STARTS WITH 'Film' AND f.title ENDS WITH '1' RETURN f.title AS t",
    "MATCH (f:Film) RETURN f.title AS t ORDER BY t SKIP 3 LIMIT 4",
    "MATCH (f:Film) RETURN f.title AS t ORDER BY t LIMIT 1000000",
    "MATCH (f:Film) WHERE f.year IN [1980, 1981, 1982] RETURN count(f) AS n",
    "MATCH (f:Film) WHERE f.year IN [" + ", ".join(map(str, range(1900, 2050))) + "] RETURN count(f) AS n",
    "UNWIND ['delete', 'create'] AS word RETURN word", "WITH ['a', '// b'] AS words UNWIND words AS word RETURN word",
    "MATCH (f:Film) /* DELETE f */ WHERE f.year > 1985 // SET f.year = 1\nRETURN count(f) AS n",
    "// DELETE everything\nMATCH (f:Film) RETURN count(f) AS n",
    "/* CREATE */ MATCH (f:Film) /* MERGE */ RETURN count(f) AS n /* DROP */",
    "MATCH (f:Film)\r\nRETURN count(f) AS n;\r\n", "MATCH (f:Film)\n\n\tRETURN count(f) AS n",
    "MATCH (f:Film)\xa0RETURN count(f) AS n", "MATCH (p:Person) WHERE p.born > date('1950-01-01') RETURN count(p) AS n",
    "MATCH (p:Person) RETURN p.born.year / 10 * 10 AS decade, count(*) AS n",
    "MATCH (f:Film) RETURN max(f.year) - min(f.year) AS span", "MATCH (f:Film) RETURN sum(f.year) / count(f) AS mean",
    "MATCH (f:Film) RETURN f.year % 10 AS x, count(*) AS n", "MATCH (f:Film) RETURN toUpper('delete ' + f.title) AS t",
    "MATCH (f:Film) WHERE f.title CONTAINS '1' XOR f.year = 1981 RETURN count(f) AS n",
    "MATCH (p:Person)-[r:ACTED_IN]->(f:Film) WHERE 'Role 1' IN r.roles RETURN count(*) AS n",
    "MATCH (p:Person)-[:ACTED_IN|DIRECTED]->(f:Film) RETURN count(DISTINCT f) AS n",
    "MATCH (a:Film), (b:Film) WHERE a.year = b.year AND a.title < b.title RETURN count(*) AS n",
    "MATCH (a:Film), (b:Film), (c:Film), (d:Film) RETURN count(*) AS n",
    "CALL { MATCH (f:Film) RETURN count(f) AS n } RETURN n", "MATCH (n) RETURN count(n) AS n",
    "MATCH (f:Film) WHERE f:Film RETURN count(f) AS n",
    "MATCH (f:Film) RETURN coalesce(f.rating, 0) AS r ORDER BY r LIMIT 1", "MATCH (a)-[*0]-(b) RETURN count(*) AS n",
    "MATCH (a), (b), (c), (d) WHERE a.title = b.title AND c.title = d.title RETURN count(*) AS n",
    "MATCH (f:Film) WHERE f.title =~ "
    "'a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?' RETURN count(f) AS n",

)  # fmt: skip

HARMLESS_BY_LOOKS: tuple[str, ...] = (
    *(f"MATCH (f:Film) WHERE f.title <> '{text}' RETURN count(f) AS n" for text in _TEXTS),
    *(f"MATCH (f:Film) RETURN f.title AS `{name}` ORDER BY f.title LIMIT 2" for name in _NAMES),
    *(f"MATCH (`{name}`:Film) RETURN count(`{name}`) AS n" for name in _NAMES),
    *_CONSTRUCTS,
)
