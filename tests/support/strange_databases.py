"""Fill a Neo4j as strangers do: without indexes, with odd names, and with values of any type."""

UNLABELLED = (
    """
    UNWIND range(1, 60) AS n
    CREATE (a {code: n, `weight (kg)`: n * 0.5}) CREATE (b:Station:Depot:`In use` {code: toString(n), open: n % 2 = 0})
    CREATE (a)-[:LINKED {km: n}]->(a) CREATE (a)-[:LINKED {km: toString(n)}]->(b)
    CREATE (b)-[:LINKED {km: 1.5 * n, since: date('2020-01-01') + duration({days: n})}]->(a)
    CREATE (b)-[:`goes to`]->(b) CREATE (b)-[:`goes to`]->(b)
    """,
)
"""Nodes without labels or with several, self-loops, parallel relationships, mixed types, and nothing like a name."""

DOCUMENTS = (
    """
    UNWIND range(1, 4000) AS n
    CREATE (d:Chunk {id: randomUUID(), text: reduce(t = '', i IN range(1, 40) | t + 'word ' + n + ' '),
        embedding: [i IN range(1, 256) | 1.0 * i / n], price: toString(n) + '.50', sold: '2021-0' + (1 + n % 9) + '-15',
        active: CASE n % 2 WHEN 0 THEN 'true' ELSE 'false' END,
        score: CASE n % 3 WHEN 0 THEN 'NULL' ELSE toString(n) END})
    """,
    "MATCH (d:Chunk) WITH d ORDER BY toFloat(d.price) LIMIT 3 SET d.body = reduce(t = 'x', i IN range(1, 20) | t + t)",
    "MATCH (d:Chunk) WITH d LIMIT 1000 CREATE (:Source {title: 'Source ' + d.price})-[:HAS {rank: 1}]->(d)",
    "MATCH (d:Chunk) WITH d LIMIT 1 SET d.place = point({x: 1, y: 2}), d.took = duration('P1D')",
)
"""Thousands of nodes with vectors, long texts, identifiers, and numbers, dates, and booleans as strings."""

_WIDE = ", ".join(f"`Column {number}`: {number}" for number in range(200))
CROWDED = (
    *(f"CREATE (:`Label {number}` {{`Name `: 'N{number}'}})" for number in range(40)),
    f"CREATE (:Wide {{{_WIDE}}})",
    "MATCH (a), (b) WHERE any(l IN labels(a) WHERE l STARTS WITH 'Label 1') AND b:Wide CREATE (a)-[:PART_OF]->(b)",
    "UNWIND range(1, 120) AS n MATCH (w:Wide) MATCH (l:`Label 2`) CREATE (w)-[:R {n: n}]->(l)",
    *(f"MATCH (w:Wide) CREATE (w)-[:`REL-{number}` {{`at`: {number}}}]->(w)" for number in range(40)),
)
"""Many labels, relationship types, and keys, with spaces and dashes in their names."""
