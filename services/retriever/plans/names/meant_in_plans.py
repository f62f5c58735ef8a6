"""Let plans find the nodes that whoever asks means by the names of a question, and none with the same names."""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from graph.plan.algebra import (
    And,
    Comparison,
    Constant,
    Exists,
    Expression,
    Group,
    ListOf,
    Match,
    NodePattern,
    Not,
    Or,
    Order,
    Plan,
    Project,
    Property,
    Variable,
)
from graph.plan.traversal import rewrite, walk
from graph.plan.value_text import value_text
from language.question import Question
from shared.errors import InvalidInputError

_Ids = Mapping[str, tuple[str, ...]]
_Reading = Variable | Property
_Replacement = Callable[[Any], Expression | Match | None]


@dataclass(frozen=True, slots=True)
class _Named:
    """Hold that a node has the name of some meant nodes, or has another name."""

    variable: str
    ids: tuple[str, ...]
    is_same: bool

    @property
    def is_meant(self) -> Exists:
        """Return the condition that the node is one of them."""
        return Exists(Match((NodePattern(self.variable, ids=self.ids),)))


def with_meant_nodes_only(plan: Plan, question: Question, name_keys: Set[str]) -> Plan:
    """Return a plan in which a name is that of the node that the question means by it.

    Args:
        plan: The plan, which compares properties that name nodes with the names in the graph.
        question: The question, which says what is meant by some of its names.
        name_keys: The properties that name nodes.
    """
    if not question.meant:
        return plan
    ids: dict[str, tuple[str, ...]] = {}
    for one in question.meant.values():
        ids[one.name] = (*ids.get(one.name, ()), one.id)

    def replacement(part: Any) -> Expression | Match | None:
        if isinstance(part, Match) and not part.optional:
            return _with_ids(part, ids, name_keys, replacement)
        return _this_node(part, ids, name_keys)

    return rewrite(plan, replacement)


def _with_ids(match: Match, ids: _Ids, name_keys: Set[str], replacement: _Replacement) -> Match:
    """Return a pattern whose nodes have the ids of the names that all its rows must have."""
    if match.where is None:
        return match
    conditions = match.where.conditions if isinstance(match.where, And) else (match.where,)
    bound = {node.variable for node in match.nodes}
    named = [_named(one, ids, name_keys) for one in conditions]
    of_variable = {one.variable: one.ids for one in named if one and one.is_same and one.variable in bound}
    nodes = tuple(replace(node, ids=of_variable.get(node.variable, node.ids)) for node in match.nodes)
    kept = tuple(
        condition if one and one.is_same and one.variable in bound else rewrite(condition, replacement)
        for condition, one in zip(conditions, named, strict=True)
    )
    return replace(match, nodes=nodes, where=kept[0] if len(kept) == 1 else And(kept))


def _named(condition: Any, ids: _Ids, name_keys: Set[str]) -> _Named | None:
    """Return what a condition says of a node by the name of a meant one; None for other conditions."""
    if not isinstance(condition, Comparison) or condition.operator not in ("=", "!="):
        return None
    left, right = condition.left, condition.right
    if not isinstance(left, Property) or left.key not in name_keys or not isinstance(right, Constant):
        return None
    found = ids.get(value_text(right.value))
    return _Named(left.variable, found, condition.operator == "=") if found else None


def _this_node(condition: Any, ids: _Ids, name_keys: Set[str]) -> Expression | None:
    """Return a condition on a name, wherever it is, as one on the node; None for other parts."""
    if isinstance(condition, Comparison) and condition.operator == "in" and isinstance(condition.right, ListOf):
        others = [Comparison("!=", condition.left, one) for one in condition.right.items]
        kept = [Or((one, found.is_meant)) for one in others if (found := _named(one, ids, name_keys))]
        return And((condition, *kept)) if kept else None
    if (named := _named(condition, ids, name_keys)) is None:
        return None
    return And((condition, named.is_meant)) if named.is_same else Or((condition, Not(named.is_meant)))


def with_nodes_among(plan: Plan, ids: Sequence[str], kinds: Set[str]) -> Plan:
    """Return a plan that asks about no other nodes than some.

    They are what the result shows, compares, or aggregates first, if that is of their kind; else the first nodes of
    their kind.

    Args:
        plan: The plan.
        ids: The nodes; none for all.
        kinds: Their kinds.

    Raises:
        InvalidInputError: The plan is about nodes of other kinds.
    """
    if not ids:
        return plan
    matches = [step for step in plan.steps if isinstance(step, Match) and not step.optional]
    fitting = [
        node.variable for one in matches for node in one.nodes if not node.kinds or not kinds.isdisjoint(node.kinds)
    ]
    shown = [part for step in plan.steps if isinstance(step, Project | Group | Order) for part in walk(step)]
    named = (part.name if isinstance(part, Variable) else part.variable for part in shown if isinstance(part, _Reading))
    subject = next((one for one in named if one in fitting), next(iter(fitting), None))
    if subject is None:
        raise InvalidInputError("the plan is about nodes of other kinds than those that the question asks about")

    def kept(node: NodePattern) -> NodePattern:
        return replace(node, ids=tuple(ids)) if node.variable == subject else node

    steps = tuple(replace(step, nodes=tuple(map(kept, step.nodes))) if step in matches else step for step in plan.steps)
    return Plan(steps)
