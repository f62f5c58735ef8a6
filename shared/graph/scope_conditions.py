"""Define the conditions that limit what a caller may see of a graph, such as `Document.tenant = 42`."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shared.errors import InvalidInputError
from shared.plan.algebra import (
    And,
    Comparison,
    Constant,
    Expression,
    HasKind,
    Match,
    NodePattern,
    Not,
    Or,
    Plan,
    Property,
)
from shared.plan.checks import check_plan
from shared.plan.schema import GraphSchema
from shared.plan.traversal import rewrite

MAX_CONDITIONS, MAX_CHARACTERS = 20, 500
_EXPECTED = 'expected KIND.PROPERTY = VALUE, such as Document.tenant = 42 or Document.team = "sales"'


@dataclass(frozen=True, slots=True)
class ScopeCondition:
    """Let nodes of a kind be visible only if a property has a value; nodes of other kinds stay visible."""

    kind: str
    key: str
    value: str | int | float | bool

    def __str__(self) -> str:
        return f"{self.kind}.{self.key} = {json.dumps(self.value, ensure_ascii=False)}"

    def holds(self, node: NodePattern) -> Expression:
        """Return the condition under which the node of a pattern is visible."""
        has_value = Comparison("=", Property(node.variable, self.key), Constant(self.value))
        if self.kind in node.kinds:
            return has_value
        return Or((Not(HasKind(node.variable, self.kind)), has_value))


def read_condition(text: str) -> ScopeCondition:
    """Read a condition; raise InvalidInputError if it is malformed."""
    name, equals, value = text.partition("=")
    kind, _, key = name.strip().rpartition(".")
    if len(text) > MAX_CHARACTERS or not (equals and kind and key):
        raise InvalidInputError(f"a scope is malformed: {_EXPECTED}")
    try:
        read = json.loads(value)
    except ValueError:
        read = None
    if not isinstance(read, str | int | float | bool):
        raise InvalidInputError(f"the value of the scope on {kind}.{key} is malformed: {_EXPECTED}")
    return ScopeCondition(kind, key, read)


def check_condition(condition: ScopeCondition, schema: GraphSchema) -> None:
    """Raise InvalidInputError unless a condition names a property of the graph that can have its value."""
    kind, node = schema.kinds.get(condition.kind), NodePattern("n", (condition.kind,))
    if kind is None or condition.key not in kind.properties:
        raise InvalidInputError(f"there is no property {condition.kind}.{condition.key}")
    check_plan(Plan((Match((node,), where=condition.holds(node)),)), schema, strict=True)


def scoped_plan(plan: Plan, conditions: Sequence[ScopeCondition]) -> Plan:
    """Return a plan in which every pattern, also within conditions and counts, matches visible nodes only.

    Nodes enter the rows of a plan through patterns alone, and every node of a pattern has a variable of its own, so
    nothing else in a plan can reach a node that is not visible.
    """

    def replacement(part: Any) -> Match | None:
        if not isinstance(part, Match):
            return None
        visible = [condition.holds(node) for node in part.nodes for condition in conditions]
        where = [] if part.where is None else [rewrite(part.where, replacement)]
        return Match(part.nodes, part.relationships, And((*where, *visible)), part.optional)

    return rewrite(plan, replacement)
