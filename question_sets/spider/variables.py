"""Name the variables of a plan, and remember which of its nodes a query says are the same."""

from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, TypeVar

from graph.plan.algebra import Expression, NodePattern, Property, RelationshipPattern, Variable
from graph.plan.content_types import words_of
from graph.plan.schema import GraphSchema, PropertySchema
from graph.plan.traversal import rewrite
from question_sets.spider.tables import Database

Part = TypeVar("Part")


@dataclass(slots=True)
class Names:
    """Name the variables of a whole plan, and remember which nodes the query says are the same."""

    database: Database
    schema: GraphSchema
    tables: dict[str, str] = field(default_factory=dict)
    """The table of each node."""
    link_types: dict[str, str] = field(default_factory=dict)
    """The type of each relationship with a variable."""
    _same: dict[str, str] = field(default_factory=dict)
    _used: set[str] = field(default_factory=set)

    def fresh(self, base: str) -> str:
        """Return a new name: `film`, then `film2`."""
        name = next(name for n in count(1) if (name := base if n == 1 else f"{base}{n}") not in self._used)
        self._used.add(name)
        return name

    def node(self, table: str) -> str:
        """Return a new node variable for a row of a table."""
        words = words_of(self.database.tables[table].kind) or ["node"]
        name = self.fresh("_".join(words))
        self.tables[name] = table
        return name

    def find(self, node: str) -> str:
        """Return the node that a node is, which is the node itself unless it was unified with another one."""
        while node in self._same:
            node = self._same[node]
        return node

    def unify(self, first: str, second: str) -> None:
        """State that two nodes are the same; the name of the first one stays."""
        first, second = self.find(first), self.find(second)
        if first != second:
            self._same[second] = first

    def settled(self, part: Part) -> Part:
        """Replace the variables of unified nodes by the one that stays."""

        def replacement(one: Any) -> Any:
            match one:
                case Variable(name=name) if name in self._same:
                    return Variable(self.find(name))
                case Property(variable=name) if name in self._same:
                    return replace(one, variable=self.find(name))
                case NodePattern(variable=name) if name in self._same:
                    return replace(one, variable=self.find(name))
                case RelationshipPattern(source=source, target=target) if {source, target} & self._same.keys():
                    return replace(one, source=self.find(source), target=self.find(target))
            return None

        return rewrite(part, replacement)

    def described(self, value: Expression) -> PropertySchema | None:
        """Return the schema of a property; None for any other expression."""
        if not isinstance(value, Property):
            return None
        if value.variable in self.link_types:
            return self.schema.relationships[self.link_types[value.variable]].properties.get(value.key)
        kind = self.database.tables[self.tables[value.variable]].kind
        return self.schema.kinds[kind].properties.get(value.key)

    def is_name(self, value: Expression) -> bool:
        """Return whether a value is the property that names a node."""
        if not isinstance(value, Property) or value.variable not in self.tables:
            return False
        kind = self.database.tables[self.tables[value.variable]].kind
        return self.schema.kinds[kind].name_property == value.key
