"""Say which properties name the nodes of a database, and read names and aliases in Cypher."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shared.graph.neo4j.copies import ALIASES, ENTITY_LABEL, NAME
from shared.graph.neo4j.settings import Neo4jSettings
from shared.plan.schema import GraphSchema


@dataclass(frozen=True, slots=True)
class Naming:
    """List the labels and properties that name nodes, in order of preference; the label `""` stands for all nodes.

    `aliases` is the property with other names of a node. `hidden` holds hidden properties by label.
    """

    properties: tuple[tuple[str, str], ...]
    aliases: str
    hidden: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def of_settings(cls, settings: Neo4jSettings) -> "Naming":
        """Use the properties in the settings for all nodes."""
        return cls._visible([("", key) for key in settings.name_properties], settings)

    @classmethod
    def of_schema(cls, schema: GraphSchema, settings: Neo4jSettings) -> "Naming":
        """Use the property that the schema chose for each label."""
        chosen = sorted((label, kind.name_property) for label, kind in schema.kinds.items() if kind.name_property)
        return cls._visible([(label, key) for label, key in chosen if key], settings)

    @classmethod
    def _visible(cls, properties: Sequence[tuple[str, str]], settings: Neo4jSettings) -> "Naming":
        visible = [(label, key) for label, key in properties if not settings.is_hidden(label, key)]
        aliases = "" if settings.is_hidden("", settings.aliases_property) else settings.aliases_property
        return cls(((ENTITY_LABEL, NAME), *visible), aliases, settings.hidden)

    @property
    def of_others(self) -> tuple[tuple[str, str], ...]:
        """Return the properties that name nodes that kgqa did not copy."""
        return tuple(pair for pair in self.properties if pair != (ENTITY_LABEL, NAME))

    def parameters(self) -> dict[str, Any]:
        """Build the parameters of queries that contain `name_of` or `aliases_of`."""
        names = [
            {"label": label or None, "key": key, "hidden_in": self._hidden_in(key)} for label, key in self.properties
        ]
        return {"names": names, "aliases": {"key": self.aliases, "hidden_in": self._hidden_in(self.aliases)}}

    def _hidden_in(self, key: str) -> list[str]:
        return sorted(label for label, hidden in self.hidden if hidden == key)


def name_of(node: str) -> str:
    """Build a Cypher expression for the value of the first property in `$names` that a node has."""
    return f"head([p IN $names WHERE {names_node('p', node)} | {node}[p.key]])"


def names_node(pair: str, node: str) -> str:
    """Build the Cypher condition that an item of `$names` applies to a node."""
    return (
        f"({pair}.label IS NULL OR {pair}.label IN labels({node})) AND {node}[{pair}.key] IS NOT NULL "
        f"AND none(label IN labels({node}) WHERE label IN {pair}.hidden_in)"
    )


def aliases_of(node: str) -> str:
    """Build a Cypher expression for the aliases of a node: a list, a single value, or null."""
    return (
        f"coalesce({node}.{ALIASES}, CASE WHEN none(label IN labels({node}) WHERE label IN $aliases.hidden_in) "
        f"THEN {node}[$aliases.key] END)"
    )
