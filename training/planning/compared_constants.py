"""Find the constants that plans compare properties with."""

from collections.abc import Iterator
from typing import Any

from graph.plan.algebra import Comparison, Constant, Match, Plan, Property
from graph.plan.patterns import NodePattern
from graph.plan.traversal import walk

Owner = tuple[str, str]
"""A kind or a relationship type, which is empty where the pattern names none, and a property key."""


def compared_constants(plan: Plan) -> Iterator[tuple[Owner, Any]]:
    """Yield the constants that a plan compares whole values of properties with, each after its property.

    The items of a list come one by one. Parts of texts, and regular expressions, are left out.
    """
    parts = list(walk(plan))
    owners = {one.variable: one.kinds[0] for one in parts if isinstance(one, NodePattern) and one.kinds}
    for one in parts:
        if isinstance(one, Match):
            owners |= {link.variable: link.types[0] for link in one.relationships if link.variable and link.types}
    for one in parts:
        match one:
            case Comparison("=" | "!=" | "<" | "<=" | ">" | ">=" | "in", Property() as left, Constant(value)):
                for item in value if isinstance(value, tuple) else (value,):
                    yield (owners.get(left.variable, ""), left.key), item
