"""Build three small property graphs for tests of query plans, and load them into both stores."""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime
from operator import attrgetter
from typing import Any

import neo4j

from graph.neo4j.cypher_text import quote
from ingestion.property_graph import Node, PropertyGraph, Relationship
from ingestion.property_graph import write_graph_file as write_graph_file

ODD_KIND = "Odd `kind` \\u0041 é"
ODD_KEY = "a `key\\u0060 ]} $p0 '\""
_NAMES = (
    "Alma",
    "alma",
    "Bo",
    "Bo",
    "Çelik",
    "straße",
    "",
    " trimmed\t",
    "10",
    "10.0",
    "NULL",
    "日本",
    "😀 smile",
    "x'); DROP",
)
_ODD_VALUES = (
    *(0, 1, -3, 7, 2**40, 1.0, 0.25, -2.5, 1e12, True, False),
    *("7", "7.5", "-1e3", "abc", "ABC", "2020-02-29", "2021-02-29", "1996-08-01 00:00:00.000", "true"),
    *(date(2020, 2, 29), date(1999, 12, 31), datetime(2020, 2, 29, 12, 30), datetime(1999, 1, 1)),
    *((1, 2), (1.0, 2.0), (), ("a", "b"), ("b",), (True,), (date(2020, 1, 1),)),
)


def messy_graph() -> PropertyGraph:
    """Build a graph full of missing values, duplicate names, mixed types, lists, dates, and odd identifiers."""
    rng = random.Random(1)
    keys = ("name", "value", "size", "day", "tags", ODD_KEY)
    nodes = []
    for place in range(40):
        kinds = rng.choice([("A",), ("B",), ("A", "B"), (ODD_KIND,), ()])
        properties = {key: _odd_value(rng, key) for key in keys if rng.random() < 0.6}
        nodes.append(Node(place, frozenset(kinds), properties))
    links = []
    for place in range(70):
        source, target = rng.randrange(40), rng.randrange(40)
        properties = {key: _odd_value(rng, key) for key in ("value", "since") if rng.random() < 0.5}
        links.append(Relationship(place, rng.choice(["R", "S", "has `part`"]), source, target, properties))
    links += [
        Relationship(70, "R", 3, 3, {}),
        Relationship(71, "R", 4, 5, {}),
        Relationship(72, "R", 4, 5, {"value": 1}),
    ]
    return PropertyGraph(tuple(nodes), tuple(links))


def shop_graph() -> PropertyGraph:
    """Build a graph of customers, orders, and products, with numbers and dates kept as strings."""
    rng = random.Random(2)
    nodes: list[Node] = []
    links: list[Relationship] = []

    def add(kind: str, **properties: Any) -> int:
        nodes.append(Node(len(nodes), frozenset({kind}), properties))
        return len(nodes) - 1

    def link(type_: str, source: int, target: int, **properties: Any) -> None:
        links.append(Relationship(len(links), type_, source, target, properties))

    products = [
        add(
            "Product",
            title=f"Product {n}",
            price=f"{rng.randint(1, 40) / 4}",
            stock=rng.randint(0, 30),
            active=n % 3 > 0,
        )
        for n in range(15)
    ]
    for n in range(10):
        customer = add("Customer", company=f"Company {n % 7}", city=rng.choice(["Oslo", "Bern", "Rome"]))
        for _ in range(rng.randint(0, 4)):
            day = date(1996 + rng.randint(0, 2), rng.randint(1, 12), rng.randint(1, 28))
            order = add("Order", placed=f"{day} 00:00:00.000", shipped=rng.choice([day.isoformat(), "NULL"]))
            link("PLACED", customer, order)
            for product in rng.sample(products, rng.randint(1, 4)):
                link("CONTAINS", order, product, quantity=rng.randint(1, 9), discount=rng.choice([0.0, 0.25]))
    return PropertyGraph(tuple(nodes), tuple(links))


def film_graph() -> PropertyGraph:
    """Build a graph of films and people with clean types, lists, and dates."""
    rng = random.Random(3)
    films = [
        Node(n, frozenset({"Film"}), {"title": f"Film {n}", "year": 1980 + n % 12, "rating": rng.randint(8, 40) / 4})
        for n in range(20)
    ]
    people = [
        Node(20 + n, frozenset({"Person"}), {"name": f"Person {n}", "born": date(1930 + 2 * n, 1 + n % 12, 5)})
        for n in range(25)
    ]
    links: list[Relationship] = []
    for person in people:
        for film in rng.sample(films, rng.randint(0, 4)):
            roles = tuple(f"Role {rng.randint(0, 5)}" for _ in range(rng.randint(1, 2)))
            links.append(Relationship(len(links), "ACTED_IN", person.id, film.id, {"roles": roles}))
    for film in films[:15]:
        links.append(Relationship(len(links), "DIRECTED", rng.choice(people).id, film.id, {}))
    return PropertyGraph((*films, *people), tuple(links))


GRAPHS: dict[str, Callable[[], PropertyGraph]] = {"messy": messy_graph, "shop": shop_graph, "films": film_graph}


@dataclass(frozen=True)
class Neo4jCopy:
    """Hold a graph as a database orders it, and the ids of its nodes and relationships by element id."""

    graph: PropertyGraph
    node_ids: dict[str, int]
    relationship_ids: dict[str, int]


def fill_neo4j(graph: PropertyGraph, driver: neo4j.Driver) -> Neo4jCopy:
    """Write a graph to an empty database.

    Neo4j may reuse the ids of deleted nodes, so its order may differ from that of the graph.
    """
    nodes: dict[int, str] = {}
    links: dict[int, str] = {}
    for node in graph.nodes:
        labels = "".join(f":{quote(kind)}" for kind in sorted(node.kinds))
        query = f"CREATE (n{labels}) SET n = $properties RETURN elementId(n) AS id"
        nodes[node.id] = driver.execute_query(query, properties=_for_neo4j(node)).records[0]["id"]
    for link in graph.relationships:
        query = (
            f"MATCH (s) WHERE elementId(s) = $source MATCH (t) WHERE elementId(t) = $target "
            f"CREATE (s)-[r:{quote(link.type)}]->(t) SET r = $properties RETURN elementId(r) AS id"
        )
        ends = {"source": nodes[link.source], "target": nodes[link.target]}
        links[link.id] = driver.execute_query(query, {"properties": _for_neo4j(link), **ends}).records[0]["id"]
    new_node = {old: new for new, old in enumerate(sorted(nodes, key=lambda id_: _place(nodes[id_])))}
    new_link = {old: new for new, old in enumerate(sorted(links, key=lambda id_: _place(links[id_])))}
    ordered = PropertyGraph(
        tuple(sorted((replace(node, id=new_node[node.id]) for node in graph.nodes), key=attrgetter("id"))),
        tuple(
            sorted(
                (
                    replace(link, id=new_link[link.id], source=new_node[link.source], target=new_node[link.target])
                    for link in graph.relationships
                ),
                key=attrgetter("id"),
            )
        ),
    )
    return Neo4jCopy(
        ordered,
        {element: new_node[old] for old, element in nodes.items()},
        {element: new_link[old] for old, element in links.items()},
    )


def _place(element_id: str) -> int:
    return int(element_id.split(":")[2])


def _odd_value(rng: random.Random, key: str) -> Any:
    if key == "name":
        return rng.choice(_NAMES)
    if key == "size" and rng.random() < 0.8:
        return rng.randint(-5, 20)
    if key == "day":
        return date(rng.choice([1999, 2020]), rng.randint(1, 12), rng.randint(1, 28))
    return rng.choice(_ODD_VALUES)


def _for_neo4j(element: Node | Relationship) -> dict[str, Any]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in element.properties.items()}
