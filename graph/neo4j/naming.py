"""Say which properties name the nodes of a database, and read names and aliases in Cypher."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graph.neo4j.copies import ALIASES, ENTITY_LABEL, NAME
from graph.neo4j.settings import Neo4jSettings
from graph.plan.schema import GraphSchema


@dataclass(frozen=True, slots=True)
class Naming:
    """List the labels and properties that name nodes, in order of preference; the label `""` stands for all nodes.

    `aliases` is the property with other names of a node. `hidden` holds hidden properties by label. `chosen` says which
    properties the settings choose for labels; they come before the names of copies.
    """

    properties: tuple[tuple[str, str], ...]
    aliases: str
    hidden: frozenset[tuple[str, str]] = frozenset()
    chosen: frozenset[tuple[str, str]] = frozenset()

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
        chosen = settings.chosen_names.items()
        first, others = ([pair for pair in visible if (pair in chosen) is wanted] for wanted in (True, False))
        return cls((*first, (ENTITY_LABEL, NAME), *others), aliases, settings.hidden, frozenset(first))

    @property
    def of_others(self) -> tuple[tuple[str, str], ...]:
        """Return the properties that name nodes that kgqa did not copy."""
        return tuple(pair for pair in self.properties if pair != (ENTITY_LABEL, NAME))

    def parameters(self) -> dict[str, Any]:
        """Build the parameters of queries that contain `name_of` or `aliases_of`."""
        names = [
            {"label": label or None, "key": key, "hidden_in": self._hidden_in(key), "is_copied": key == NAME}
            for label, key in self.properties
        ]
        return {
            "names": names,
            "aliases": {"key": self.aliases, "hidden_in": self._hidden_in(self.aliases)},
            "hidden_properties": [{"label": label or None, "key": key} for label, key in sorted(self.hidden)],
        }

    def _hidden_in(self, key: str) -> list[str]:
        return sorted(label for label, hidden in self.hidden if hidden == key)


def name_of(node: str) -> str:
    """Build a Cypher expression for the value of the first property in `$names` that a node has."""
    return f"head([p IN $names WHERE {names_node('p', node)} | {node}[p.key]])"


def names_node(pair: str, node: str) -> str:
    """Build the Cypher condition that an item of `$names` applies to a node."""
    return (
        f"({pair}.label IS NULL OR {pair}.label IN labels({node})) AND {node}[{pair}.key] IS NOT NULL "
        f"AND none(label IN labels({node}) WHERE label IN {pair}.hidden_in) "
        f"AND NOT ({pair}.is_copied AND {_is_hidden_text(node, f'{node}[{pair}.key]')})"
    )


def aliases_of(node: str) -> str:
    """Build a Cypher expression for the aliases of a node: a list, a single value, or null."""
    copied = f"[text IN {node}.{ALIASES} WHERE NOT {_is_hidden_text(node, 'text')}]"
    stored = f"none(label IN labels({node}) WHERE label IN $aliases.hidden_in) THEN {node}[$aliases.key]"
    return f"coalesce({copied}, CASE WHEN {stored} END)"


def copied_names(
    properties: Mapping[str, Any], labels: Collection[str], hidden: Collection[tuple[str, str]]
) -> tuple[str | None, tuple[str, ...]]:
    """Return the name and the aliases that a copy gave to a node, except texts that a hidden property holds."""
    found = [properties.get(key) for owner, key in hidden if not owner or owner in labels]
    texts = [text for value in found if value is not None for text in (value if isinstance(value, list) else [value])]
    taken = {_without_spaces(str(text)) for text in texts}
    name = properties.get(NAME)
    aliases = tuple(alias for alias in properties.get(ALIASES) or () if _without_spaces(alias) not in taken)
    return (None if name is None or _without_spaces(name) in taken else str(name)), aliases


def _is_hidden_text(node: str, text: str) -> str:
    """Build the Cypher condition that a hidden property of a node holds a text, from which a copy took a name.

    Names have single spaces, but properties may have others, so spaces do not count.
    """
    value = f"{node}[hidden.key]"
    same = f"{_spaceless(f'toStringOrNull({value})')} = {_spaceless(text)}"
    return (
        f"any(hidden IN $hidden_properties WHERE (hidden.label IS NULL OR hidden.label IN labels({node})) AND coalesce("
        f"CASE WHEN {value} IS :: LIST<ANY> NOT NULL THEN {text} IN {value} ELSE {same} END, false))"
    )


def _spaceless(text: str) -> str:
    for space in (" ", "\\n", "\\r", "\\t", "\\u00a0"):
        text = f"replace({text}, '{space}', '')"
    return text


def _without_spaces(text: str) -> str:
    return "".join(text.split())
