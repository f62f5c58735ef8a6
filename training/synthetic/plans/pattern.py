"""Collect the pattern that a question describes."""

from dataclasses import dataclass, field

from graph.plan.algebra import (
    And,
    Comparison,
    Constant,
    Exists,
    Expression,
    Match,
    NodePattern,
    Not,
    Property,
    RelationshipPattern,
)
from graph.plan.content_types import words_of
from graph.plan.traversal import walk
from graph.plan.values import Value
from training.synthetic.plans.words import Hop


class NothingToSayError(Exception):
    """Raised if the schema has nothing that a wording needs."""


@dataclass
class Pattern:
    """Collect nodes, relationships, and conditions.

    Attributes:
        repeats: Whether the pattern may match the first node several times, so that lists need `distinct`.
    """

    nodes: dict[str, NodePattern] = field(default_factory=dict)
    links: list[RelationshipPattern] = field(default_factory=list)
    conditions: list[Expression] = field(default_factory=list)
    repeats: bool = False
    _taken: set[str] = field(default_factory=set)

    def node(self, kind: str) -> str:
        """Add a node, and return its variable."""
        variable = self._free(_variable_for(kind))
        self.nodes[variable] = NodePattern(variable, (kind,))
        return variable

    def next(self, variable: str) -> "Pattern":
        """Begin another pattern with one of the nodes of this one."""
        return Pattern(nodes={variable: NodePattern(variable)}, _taken=set(self._taken))

    def follow(self, start: str, hop: Hop, end: str, with_variable: bool = False) -> str:
        """Add a relationship between two nodes, and return its variable."""
        source, target = (end, start) if hop.is_inverse else (start, end)
        variable = self._free("r") if with_variable else None
        self.links.append(RelationshipPattern(source, target, (hop.type,), variable=variable))
        return variable or ""

    def require(self, condition: Expression) -> None:
        """Add a condition."""
        self.conditions.append(condition)

    def forbid(self, start: str, hop: Hop, name: tuple[str, Value] | None) -> None:
        """Require that a node has no relationship, or none to the node with a name."""
        end = self._free(_variable_for(hop.end))
        source, target = (end, start) if hop.is_inverse else (start, end)
        where = Comparison("=", Property(end, name[0]), Constant(name[1])) if name is not None else None
        nodes = (NodePattern(start), NodePattern(end, (hop.end,)))
        match = Match(nodes, (RelationshipPattern(source, target, (hop.type,)),), where)
        self.conditions.append(Not(Exists(match)))

    def copy(self) -> "Pattern":
        """Return a copy, to go back to when a description fails half-way."""
        return Pattern(dict(self.nodes), list(self.links), list(self.conditions), self.repeats, set(self._taken))

    def restore(self, before: "Pattern") -> None:
        """Go back to a copy."""
        self.nodes, self.links, self.conditions = before.nodes, before.links, before.conditions
        self.repeats, self._taken = before.repeats, before._taken

    def reads(self, variable: str) -> set[str]:
        """Return the keys that conditions on a node read."""
        parts = (part for one in self.conditions for part in walk(one))
        return {part.key for part in parts if isinstance(part, Property) and part.variable == variable}

    def match(self) -> Match:
        """Return the pattern as a step."""
        where = And(tuple(self.conditions)) if len(self.conditions) > 1 else next(iter(self.conditions), None)
        return Match(tuple(self.nodes.values()), tuple(self.links), where)

    def _free(self, base: str) -> str:
        name, number = base, 2
        while name in self._taken:
            name, number = f"{base}{number}", number + 1
        self._taken.add(name)
        return name


def _variable_for(kind: str) -> str:
    """Return a variable that reads like a kind: `orderLine` for `OrderLine` and `ORDER_LINE`."""
    first, *rest = words_of(kind) or ["node"]
    return first + "".join(word.capitalize() for word in rest)
