"""Depots with drivers and parcels: a depot has several drivers or none, and some values are equal."""

from tests.support.reference_evaluator import Node, PropertyGraph, Relationship

_DEPOTS = (
    ("North", 100, "Oslo", 2001),
    ("South", 50, "Bern", 2019),
    ("East", 80, "Oslo", 2019),
    ("West", 10, "Bern", 1990),
)
_DRIVERS = (("Ann", 200, 0), ("Bob", 200, 0), ("Cid", 150, 1), ("Dan", 180, 2), ("Eve", 150, 2))
_PARCELS = ("P1", "P2", "P3")


def depots() -> PropertyGraph:
    """Return four depots, one of them without drivers; Ann drives three parcels, and nobody else any."""
    nodes = [
        Node(place, frozenset({"Depot"}), {"name": name, "capacity": capacity, "city": city, "opened": opened})
        for place, (name, capacity, city, opened) in enumerate(_DEPOTS)
    ]
    first = len(nodes)
    links: list[Relationship] = []
    for name, rate, depot in _DRIVERS:
        nodes.append(Node(len(nodes), frozenset({"Driver"}), {"name": name, "day_rate": rate}))
        links.append(Relationship(len(links), "works_at", nodes[-1].id, depot, {}))
    for code in _PARCELS:
        nodes.append(Node(len(nodes), frozenset({"Parcel"}), {"name": code}))
        links.append(Relationship(len(links), "carries", first, nodes[-1].id, {}))
    return PropertyGraph(tuple(nodes), tuple(links))
