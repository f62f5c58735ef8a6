"""Read a query plan as stages: a pattern with conditions, then a group, a sort, and a limit, each of them optional."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Column,
    CountMatches,
    Exists,
    Expression,
    Filter,
    Group,
    HasKind,
    Match,
    NodePattern,
    Order,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    Slice,
    SortKey,
    Step,
    Variable,
)
from graph.plan.traversal import conjuncts, rewrite, walk
from shared.errors import KGQAError


class InexpressibleError(KGQAError):
    """Raised if the actions cannot build a plan."""


class UnstatedValueError(InexpressibleError):
    """Raised if a question does not state a value of its plan; the message says what its author can do."""


@dataclass(slots=True)
class Stage:
    """Hold a pattern, and what happens to its rows before the next pattern."""

    nodes: dict[str, NodePattern] = field(default_factory=dict)
    links: list[RelationshipPattern] = field(default_factory=list)
    conditions: list[Expression] = field(default_factory=list)
    group: Group | None = None
    having: list[Expression] = field(default_factory=list)
    order: list[SortKey] = field(default_factory=list)
    slice: Slice | None = None
    distinct: bool = False

    @property
    def is_ended(self) -> bool:
        """Return whether a further pattern begins another stage."""
        return self.group is not None or bool(self.order) or self.slice is not None

    def add_nodes(self, nodes: Sequence[NodePattern]) -> None:
        """Add nodes, or kinds to the nodes that the pattern has."""
        for node in nodes:
            before = self.nodes.get(node.variable)
            kinds = tuple(dict.fromkeys((*(before.kinds if before else ()), *node.kinds)))
            self.nodes[node.variable] = NodePattern(node.variable, kinds)


def read_stages(plan: Plan) -> tuple[list[Stage], list[Expression]]:
    """Return the stages of a plan, and the columns of its result.

    Names of columns are replaced by what the columns hold. Raises InexpressibleError for a step without an action.
    """
    stages, columns = _Reader().read(plan)
    for stage in stages:
        _inline_subpatterns(stage)
        if (counted := _count_by_group(stage)) is not None:
            columns = [counted[1] if one == counted[0] else one for one in columns]
    return stages, columns


class _Reader:
    def __init__(self) -> None:
        self._stages = [Stage()]
        self._environment: dict[str, Expression] = {}
        self._aggregates = 0

    def read(self, plan: Plan) -> tuple[list[Stage], list[Expression]]:
        for step in _without_truth(plan.steps):
            self._read(step)
        return self._stages, list(self._environment.values())

    def _stage(self, is_new: bool) -> Stage:
        if is_new:
            self._stages.append(Stage())
        return self._stages[-1]

    def _read(self, step: Step) -> None:
        stage = self._stages[-1]
        match step:
            case Match(optional=False):
                self._match(step)
            case Filter():
                self._filter(step)
            case Group():
                self._group(step)
            case Order():
                stage = self._stage(is_new=stage.slice is not None)
                stage.order = [replace(key, value=self._resolve(key.value)) for key in step.keys]
            case Slice(per=()):
                self._stage(is_new=stage.slice is not None).slice = step
            case Project():
                self._environment = {column.name: self._resolve(column.value) for column in step.columns}
                stage.distinct = step.distinct
            case _:
                raise InexpressibleError(f"{step.op} steps, or their options")

    def _match(self, step: Match) -> None:
        stage = self._stage(is_new=self._stages[-1].is_ended)
        names = {}
        for node in step.nodes:
            if node.ids is not None:
                raise InexpressibleError("ids")
            known = self._environment.get(node.variable)
            name = names[node.variable] = known.name if isinstance(known, Variable) else node.variable
            self._environment.setdefault(node.variable, Variable(name))
            stage.add_nodes([replace(node, variable=name)])
        for link in step.relationships:
            if link.variable is not None:
                self._environment.setdefault(link.variable, Variable(link.variable))
            stage.links.append(replace(link, source=names[link.source], target=names[link.target]))
        if step.where is not None:
            stage.conditions += conjuncts(self._resolve(step.where))

    def _filter(self, step: Filter) -> None:
        condition = self._resolve(step.condition)
        stage = self._stages[-1]
        stage = self._stage(is_new=stage.slice is not None or (bool(stage.order) and stage.group is None))
        target = stage.having if stage.group is not None else stage.conditions
        target += conjuncts(condition)

    def _group(self, step: Group) -> None:
        stage = self._stages[-1]
        if stage.group is None and stage.slice is None:
            stage.order = []
        else:
            stage = self._stage(is_new=True)
        environment = {column.name: self._resolve(column.value) for column in step.keys}
        keys = list(dict.fromkeys(environment.values()))
        aggregates = []
        for one in step.aggregates:
            name = f"#{self._aggregates}"
            self._aggregates += 1
            value = self._resolve(one.value) if one.value is not None else None
            aggregates.append(Aggregate(name, one.function, value, one.distinct))
            environment[one.name] = Variable(name)
        # Columns are compared by their values; their names do not matter.
        stage.group = Group(tuple(Column("", key) for key in keys), tuple(aggregates))
        self._environment = environment

    def _resolve(self, expression: Expression) -> Expression:
        def replacement(part: Any) -> Any:
            match part:
                case Variable():
                    return self._environment.get(part.name, part)
                case Property() | HasKind():
                    return replace(part, variable=self._node(part.variable))
                case Match():
                    return self._resolved_match(part)
            return None

        return rewrite(expression, replacement)

    def _node(self, name: str) -> str:
        found = self._environment.get(name)
        if found is None:
            return name
        if not isinstance(found, Variable):
            raise InexpressibleError("properties of columns")
        return found.name

    def _resolved_match(self, match: Match) -> Match:
        names = {
            node.variable: found.name
            for node in match.nodes
            if isinstance(found := self._environment.get(node.variable), Variable)
        }

        def name(variable: str) -> str:
            return names.get(variable, variable)

        nodes = tuple(replace(node, variable=name(node.variable)) for node in match.nodes)
        links = tuple(replace(link, source=name(link.source), target=name(link.target)) for link in match.relationships)
        where = self._resolve(match.where) if match.where is not None else None
        return Match(nodes, links, where, match.optional)


def _without_truth(steps: Sequence[Step]) -> Sequence[Step]:
    """Count the matches of a pattern instead of asking whether it has any, as plans for yes and no do."""
    match steps:
        case [Project(columns=(Column(value=Exists(match=found)),))]:
            return [found, Group((), (Aggregate("count", AggregateFunction.COUNT),))]
    return steps


def _inline_subpatterns(stage: Stage) -> None:
    """Make the patterns that must exist a part of the pattern, unless they would change what a group counts."""
    if stage.group is not None:
        return
    for condition in list(stage.conditions):
        if not isinstance(condition, Exists) or condition.match.optional:
            continue
        inner = condition.match
        new = [node.variable for node in inner.nodes if node.variable not in stage.nodes]
        if any(_is_bound_elsewhere(variable, stage, condition) for variable in new):
            continue
        stage.conditions.remove(condition)
        stage.add_nodes(inner.nodes)
        stage.links += inner.relationships
        stage.conditions += conjuncts(inner.where)
        stage.distinct = True


def _is_bound_elsewhere(variable: str, stage: Stage, condition: Expression) -> bool:
    """Return whether another condition of the stage binds a variable of the same name."""
    others = [one for one in stage.conditions if one is not condition]
    return any(isinstance(part, NodePattern) and part.variable == variable for one in others for part in walk(one))


def _count_by_group(stage: Stage) -> tuple[Expression, Expression] | None:
    """Sort by the size of a group instead of by the matches of a subpattern, which ranks the same nodes.

    Returns the expression that the sort replaces, and the new one.
    """
    if stage.group is not None or stage.links or len(stage.order) != 1 or stage.slice is None:
        return None
    [key] = stage.order
    if not isinstance(key.value, CountMatches) or len(stage.nodes) != 1:
        return None
    [root] = stage.nodes
    inner = key.value.match
    if root not in {node.variable for node in inner.nodes}:
        return None
    for node in inner.nodes:
        before = stage.nodes.get(node.variable)
        stage.nodes[node.variable] = NodePattern(node.variable, (*(before.kinds if before else ()), *node.kinds)[:1])
    stage.links += inner.relationships
    stage.conditions += conjuncts(inner.where)
    count = Variable(f"#order{root}")
    stage.group = Group((Column("", Variable(root)),), (Aggregate(count.name, AggregateFunction.COUNT),))
    stage.order = [replace(key, value=count)]
    return key.value, count
