"""Cypher that fills an empty Neo4j with databases as their owners keep them: without indexes, order, or clean types."""

WAREHOUSE = (
    """
    UNWIND range(1, 200) AS i
    CREATE (:`Product Item` {`Product-Name`: 'Thing ' + i, `added on`: CASE i % 2 WHEN 0 THEN '2020-01-15'
        ELSE '2021-03-02 10:00:00' END, `unit.price`: CASE i % 20 WHEN 0 THEN 'NULL' ELSE toString(i * 0.25) END,
        `größe (cm)`: CASE i % 3 WHEN 0 THEN i WHEN 1 THEN toString(i) ELSE i + 0.5 END,
        active: CASE i % 3 WHEN 0 THEN true WHEN 1 THEN 'yes' ELSE 1 END,
        tags: CASE i % 4 WHEN 0 THEN [] WHEN 1 THEN ['a', 'b'] WHEN 2 THEN 'a' END})
    """,
    "UNWIND range(1, 50) AS i CREATE (:`lager:ort` {bezeichnung: 'Lager ' + i, id: i})",
    "UNWIND range(1, 30) AS i CREATE ({note: 'loose ' + i, weight: i})",
    "UNWIND range(1, 5) AS i CREATE (:`😀` {`💡 ``x```: 'idea ' + i})",
    """
    MATCH (p:`Product Item`), (l:`lager:ort`) WHERE p.`Product-Name` ENDS WITH toString(l.id)
    CREATE (p)-[:`is stored in` {`since when`: '2020-0' + (1 + l.id % 9) + '-01', `qty.`: toString(l.id)}]->(l)
    """,
    "MATCH (l:`lager:ort`) WHERE l.id < 5 CREATE (l)-[:`SELF-LOOP`]->(l)",
    "MATCH (n), (l:`lager:ort` {id: 1}) WHERE n.weight > 10 CREATE (n)-[:`->`]->(l), (l)-[:HAS]->(n)",
)
"""Names with spaces, dots, and emoji, numbers and dates as strings, mixed types, and nodes without labels."""

DOCUMENTS = (
    """
    UNWIND range(1, 3000) AS i
    CREATE (:Chunk:Node:`__KGBuilder__` {uid: randomUUID(), idx: i, embedding: [k IN range(1, 384) | rand()],
        text: reduce(s = 'Paragraph ' + i, k IN range(1, 60) | s + ' lorem ipsum dolor sit amet,')})
    """,
    """
    UNWIND range(1, 20) AS i
    CREATE (:Document:Node {uri: 'https://example.org/' + i + '.pdf', place: point({latitude: 1.0, longitude: i}),
        took: duration({hours: i}), body: reduce(s = '', k IN range(1, 2000) | s + 'lorem ipsum ')})
    """,
    "UNWIND range(1, 300) AS i CREATE (:Node:Thing {value: CASE i % 5 WHEN 0 THEN i WHEN 1 THEN 'v' + i "
    "WHEN 2 THEN date('2020-01-01') WHEN 3 THEN [1, 2] ELSE true END, count: CASE i WHEN 9 THEN 'many' ELSE i END})",
    """
    MATCH (c:Chunk), (d:Document) WHERE d.uri = 'https://example.org/' + (1 + c.idx % 20) + '.pdf'
    CREATE (c)-[:PART_OF {score: c.idx / 8.0, embedding: [k IN range(1, 200) | 0.5]}]->(d)
    """,
    "MATCH (t:Thing) WHERE t.count = 7 CREATE (t)-[:SAME_AS]->(t)",
)
"""Documents, chunks, and vectors, as tools for retrieval store them: several labels, and nothing that is a name."""

SENSORS = (
    "UNWIND range(1, 20000) AS i CREATE (:Event {at: datetime('2020-01-01T00:00:00+02:00') + duration({minutes: i}), "
    "type: 'e' + (i % 7), level: i % 100})",
    "UNWIND range(1, 40) AS i CREATE (s:Sensor:$('Sensor_' + i) {name: 'Sensor ' + i})",
    "CREATE (m:Meter {name: 'Meter'}) WITH m UNWIND range(1, 400) AS day SET m['day ' + day] = day",
    "MATCH (s:Sensor), (m:Meter) CREATE (s)-[:$('feeds ' + s.name) {rate: 1.5}]->(m)",
    "MATCH (e:Event), (s:Sensor_1) CREATE (e)-[:AT]->(s)",
)
"""Many nodes of one kind, a label and a relationship type for each thing, and a key for each day."""

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

PASSAGES = (
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

DATABASES = {
    "warehouse": WAREHOUSE,
    "documents": DOCUMENTS,
    "sensors": SENSORS,
    "unlabelled": UNLABELLED,
    "passages": PASSAGES,
    "crowded": CROWDED,
}
