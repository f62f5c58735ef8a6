"""Build the plans that find the facts behind the rows of a result.

A result row follows from matches of the patterns in its plan, which are its witnesses. A witness plan consists of the
steps before the last `project` or `group`, restricted to the result's rows, and returns the matches themselves.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from services.retriever.execution.stages import Stage, variables_after
from shared.plan.algebra import (
    Aggregate,
    AggregateFunction,
    And,
    Column,
    Comparison,
    Constant,
    CountMatches,
    Exists,
    Expression,
    Filter,
    Group,
    IsMissing,
    Match,
    NodePattern,
    Or,
    Order,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    RelationshipType,
    Slice,
    Step,
    Variable,
)
from shared.plan.traversal import rewrite, walk
from shared.plan.values import NodeRef, RelationshipRef

# Floats in results are rounded to 12 significant digits.
_TOLERANCE = 1e-11
Target = Mapping[str, Any]
"""The values by which a row of a result is recognised, keyed by column."""


@dataclass(frozen=True, slots=True)
class PropertyFact:
    """Read a property of a node or relationship from `column`."""

    read: Property
    column: str


@dataclass(frozen=True, slots=True)
class RelationshipFact:
    """Read a relationship from the column `relationship`, and its ends from `source` and `target`.

    The ends are exchanged if `is_reversed` names a column that is false.
    """

    relationship: str
    source: str
    target: str
    is_forward: str | None = None


@dataclass(frozen=True, slots=True)
class WitnessPlan:
    """A plan for the witnesses of some rows.

    Attributes:
        plan: Returns at most `limit` distinct witnesses per row.
        count: Returns the number of distinct witnesses per row, in the column `number`.
        keys: The columns that identify a row, keyed by the column of the result.
        relationships: How to read relationships from a witness.
        properties: How to read properties from a witness.
    """

    plan: Plan
    count: Plan
    number: str
    keys: Mapping[str, str]
    relationships: tuple[RelationshipFact, ...]
    properties: tuple[PropertyFact, ...]


def witness_plan(stage: Stage, targets: Sequence[Target], limit: int, tested: Match | None = None) -> WitnessPlan:
    """Build the witness plan for the rows `targets` that a stage returns.

    Args:
        stage: The stage; all relationships in its patterns have variables.
        targets: The rows.
        limit: The maximum number of witnesses per row.
        tested: A pattern that a condition of the stage tests; the witnesses then are the matches of this pattern.
    """
    columns = {name: value for name, value in stage.columns.items() if _can_restrict(name, value, targets)}
    steps = _restricted(stage, columns, targets)
    parts: tuple[Any, ...] = (tested,) if tested else (*stage.steps, stage.closing, *_before_closing(stage))
    patterns = [tested] if tested else [step for step in stage.steps if isinstance(step, Match)]
    if tested:
        steps = (*steps, tested)
    variables = variables_after(steps)
    names = _Names({*variables})
    keys = {name: names.new() for name in columns}
    properties = tuple(PropertyFact(read, names.new()) for read in _properties(parts) if read.variable in variables)
    links = tuple(
        RelationshipFact(link.variable, link.source, link.target, names.new() if link.direction == "both" else None)
        for match in patterns
        for link in match.relationships
        if link.variable
    )
    projected = [Column(keys[name], value) for name, value in columns.items()]
    projected += [Column(name, Variable(name)) for name in variables]
    projected += [Column(fact.column, fact.read) for fact in properties]
    both = {link.variable: link for match in patterns for link in match.relationships if link.direction == "both"}
    projected += [
        Column(fact.is_forward, _is_forward(both[fact.relationship], names)) for fact in links if fact.is_forward
    ]
    rows = (*steps, Project(tuple(projected), distinct=True))
    number, key_columns = names.new(), tuple(Column(name, Variable(name)) for name in keys.values())
    counted = Group(key_columns, (Aggregate(number, AggregateFunction.COUNT),))
    cut = Slice(limit, per=tuple(keys.values()))
    return WitnessPlan(Plan((*rows, cut)), Plan((*rows, counted)), number, keys, links, properties)


class _Names:
    """Create column names that are not in use."""

    def __init__(self, used: set[str]) -> None:
        self._used, self._number = used, 0

    def new(self) -> str:
        while (name := f"w{self._number}") in self._used:
            self._number += 1
        self._used.add(name)
        return name


def _can_restrict(name: str, value: Expression, targets: Sequence[Target]) -> bool:
    """Return whether the rows can be recognised by this column."""
    if not all(name in target for target in targets):
        return False
    values = [target[name] for target in targets]
    if any(isinstance(one, NodeRef | RelationshipRef) for one in values):
        return isinstance(value, Variable)
    has_elements = any(isinstance(item, NodeRef | RelationshipRef) for one in values for item in _items(one))
    return not has_elements and not any(isinstance(item, tuple) for one in values for item in _items(one))


def _items(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else ()


def _restricted(stage: Stage, columns: Mapping[str, Expression], targets: Sequence[Target]) -> tuple[Step, ...]:
    """Keep the witnesses whose columns have values of the wanted rows, column by column."""
    steps = stage.opened
    may_move = not any(isinstance(step, Slice | Order) for step in stage.steps)
    for name, value in columns.items():
        wanted = list(dict.fromkeys(target[name] for target in targets))
        if all(isinstance(one, NodeRef) for one in wanted) and isinstance(value, Variable):
            steps = _with_ids(steps, value.name, tuple(one.id for one in wanted), len(stage.before), may_move)
        elif not any(isinstance(one, NodeRef | RelationshipRef) for one in wanted):
            conditions = tuple(_equals(value, one) for one in wanted)
            condition = conditions[0] if len(conditions) == 1 else Or(conditions)
            steps = _with_condition(steps, condition, len(stage.before), may_move)
    return steps


def _with_ids(
    steps: tuple[Step, ...], variable: str, ids: tuple[str, ...], start: int, may_move: bool
) -> tuple[Step, ...]:
    """Restrict a node, in the pattern that binds it if that does not change the result."""
    for place, step in enumerate(steps):
        if may_move and place >= start and isinstance(step, Match) and not step.optional:
            nodes = tuple(_with_these(node, ids) if node.variable == variable else node for node in step.nodes)
            if nodes != step.nodes:
                return (*steps[:place], replace(step, nodes=nodes), *steps[place + 1 :])
    return (*steps, Match((NodePattern(variable, ids=ids),)))


def _with_these(node: NodePattern, ids: tuple[str, ...]) -> NodePattern:
    return replace(node, ids=ids if node.ids is None else tuple(one for one in node.ids if one in ids))


def _with_condition(steps: tuple[Step, ...], condition: Expression, start: int, may_move: bool) -> tuple[Step, ...]:
    last = len(steps) - 1
    step = steps[last] if steps else None
    if may_move and last >= start and isinstance(step, Match) and not step.optional:
        return (*steps[:last], replace(step, where=_both(step.where, condition)))
    return (*steps, Filter(condition))


def _both(first: Expression | None, second: Expression) -> Expression:
    """Require two conditions, in one list, because plans must not be nested deeply."""
    if first is None:
        return second
    return And((*(first.conditions if isinstance(first, And) else (first,)), second))


def _equals(expression: Expression, value: Any) -> Expression:
    if value is None:
        return IsMissing(expression)
    if isinstance(value, float):
        margin = abs(value) * _TOLERANCE
        return And(
            (
                Comparison(">=", expression, Constant(value - margin)),
                Comparison("<=", expression, Constant(value + margin)),
            )
        )
    return Comparison("=", expression, Constant(value))


def _before_closing(stage: Stage) -> tuple[Any, ...]:
    """Return what the steps after `closing` read, in terms of the variables before it."""
    columns = {name: value for name, value in stage.columns.items() if isinstance(value, Variable)}

    def replacement(part: Any) -> Any:
        if isinstance(part, Property):
            known = columns.get(part.variable)
            return replace(part, variable=known.name) if known else Constant(None)
        return None

    return tuple(rewrite(step, replacement) for step in stage.after)


def _properties(parts: Sequence[Any]) -> Iterator[Property]:
    """Yield the distinct properties that steps read, except within tested patterns."""
    seen = set()
    for part in parts:
        if part is None:
            continue
        for inner in walk(part, not_into=(Exists, CountMatches)):
            if isinstance(inner, Property) and (key := (inner.variable, inner.key)) not in seen:
                seen.add(key)
                yield inner


def _is_forward(link: RelationshipPattern, names: _Names) -> Expression:
    """Test whether a relationship that matches in both directions leads from `source` to `target`.

    The types are a condition, because a pattern with types is invalid if they never lead in this direction.
    """
    variable = names.new()
    has_type = Comparison("in", RelationshipType(variable), Constant(link.types)) if link.types else None
    nodes = (NodePattern(link.source), NodePattern(link.target))
    return Exists(Match(nodes, (RelationshipPattern(link.source, link.target, variable=variable),), has_type))
