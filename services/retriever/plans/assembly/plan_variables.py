"""Name the variables of a plan that is being assembled."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from graph.plan.content_types import words_of
from services.retriever.plans.schema.schema_elements import SchemaElements


@dataclass
class PlanVariables:
    """Hold the variables of nodes, by number as in a `State`, and those of relationships.

    Attributes:
        names: The name of each node variable.
        kinds: The kinds that each node can have.
        visible: The node variables that actions can name.
        focus: The node variable that steps and conditions start from.
        links: The connection and the variable of each relationship that is in scope.
        used_links: The relationship variables that an expression reads.
        reserved: The names of columns, which new nodes cannot have.
    """

    elements: SchemaElements
    names: list[str] = field(default_factory=list)
    kinds: list[frozenset[str]] = field(default_factory=list)
    visible: list[int] = field(default_factory=list)
    focus: int = -1
    links: list[tuple[int, str]] = field(default_factory=list)
    used_links: set[str] = field(default_factory=set)
    reserved: set[str] = field(default_factory=set)

    @property
    def focused(self) -> str:
        """Return the name of the focus."""
        return self.names[self.focus]

    def bind(self, kinds: frozenset[str]) -> str:
        """Add a node, make it the focus, and return its name."""
        base = ("_".join(words_of(next(iter(kinds)))) if len(kinds) == 1 else "") or "node"
        self.visible.append(len(self.names))
        self.focus = len(self.names)
        self.names.append(unused_name(base, (*self.names, *self.reserved)))
        self.kinds.append(kinds)
        return self.names[-1]

    def bind_same(self, number: int) -> str:
        """Make a node the focus that a step reaches again, and return its name."""
        # A state keeps a hidden variable for the node that turned out to be another one.
        self.names.append(f"#{len(self.names)}")
        self.kinds.append(frozenset())
        self.focus = number
        return self.focused

    def narrow(self, kind: str) -> None:
        """Let the focus have only this kind, if it could have several."""
        if kind in self.kinds[self.focus]:
            self.kinds[self.focus] = frozenset((kind,))

    def link(self, connection: int) -> str:
        """Add a relationship, and return its variable."""
        name = f"link{len(self.links) + 1}_{len(self.names)}"
        self.links.append((connection, name))
        return name

    def owner(self, number: int) -> str:
        """Return the variable that a property belongs to: the focus if possible, and the latest variable otherwise."""
        found = self.elements.properties[number]
        if found.of_relationship:
            connections = self.elements.connections
            link = next(name for place, name in reversed(self.links) if connections[place].type == found.owner)
            self.used_links.add(link)
            return link
        order = [self.focus, *reversed(self.visible)] if self.focus in self.visible else reversed(self.visible)
        return self.names[next(one for one in order if found.owner in self.kinds[one])]

    def keep(self, names: Collection[str]) -> None:
        """Hide all nodes but those with these names."""
        self.visible = [number for number in self.visible if self.names[number] in names]

    def refocus(self) -> None:
        """Focus the first visible node."""
        self.focus = self.visible[0] if self.visible else -1


def unused_name(base: str, used: Iterable[str]) -> str:
    """Return a name that is not in use: the base, or the base with a number."""
    taken = set(used)
    number = 1
    while (name := base if number == 1 else f"{base}{number}") in taken:
        number += 1
    return name
