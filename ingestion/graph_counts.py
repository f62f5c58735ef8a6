"""Count the contents of a graph file."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from graph.plan.schema import GraphSchema


@dataclass(frozen=True, slots=True)
class GraphCounts:
    """Count the contents of a graph file.

    `duplicates` counts repeated triples, which are stored once. `unused_names` counts names of entities without
    triples, which are dropped. `cleaned_names` counts names from which invisible characters were removed.
    `unstorable_literals` counts literals whose datatype or value no property can hold, and `empty_literals` those
    without text, which are dropped. `kinds` counts the nodes of each kind, most frequent first, and `without_kind`
    those that have none. `node_values` and `relationship_values` count the values of properties.
    """

    triples: int
    entities: int
    relations: int
    aliases: int
    duplicates: int
    unused_names: int
    cleaned_names: int
    unstorable_literals: int
    empty_literals: int
    node_values: int
    relationship_values: int
    without_kind: int
    kinds: Mapping[str, int]


def without_kind(schema: GraphSchema) -> int:
    """Return the number of nodes without a kind."""
    return schema.kinds[""].count if "" in schema.kinds else 0


def kind_counts(schema: GraphSchema) -> dict[str, int]:
    """Return the number of nodes of each kind, most frequent first."""
    return dict(Counter({kind: described.count for kind, described in schema.kinds.items() if kind}).most_common())
