"""Estimate the rows of a plan and the sizes of its lists from the counts in the schema, on average over all rows."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Comparison,
    Constant,
    Expression,
    Filter,
    Group,
    Match,
    NodePattern,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    ShortestPaths,
    Slice,
    Step,
    Union,
    Unnest,
    Variable,
)
from graph.plan.expression_sizes import Shape, shape_of
from graph.plan.schema import GraphSchema
from graph.plan.traversal import conjuncts, variables_of


@dataclass(frozen=True, slots=True)
class Estimate:
    """Describe a variable: how many different values it has, its shape if it is a list, and its kinds if a node."""

    values: float
    shape: Shape = ()
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TableEstimate:
    """Describe the rows between two steps."""

    schema: GraphSchema
    rows: float = 1.0
    variables: Mapping[str, Estimate] = field(default_factory=dict)

    def shapes(self) -> dict[str, Shape]:
        """Return the shapes of all variables."""
        return {name: one.shape for name, one in self.variables.items()}

    def after(self, step: Step) -> "TableEstimate":
        """Return the estimate of the rows that a step returns."""
        match step:
            case Match():
                return self.matched(step)
            case Filter():
                return self._restricted(conjuncts(step.condition))
            case Project():
                columns = {one.name: self._column(one.value) for one in step.columns}
                most = self._different(one.value for one in step.columns)
                return replace(self, rows=min(self.rows, most) if step.distinct else self.rows, variables=columns)
            case Group():
                return self._grouped(step)
            case Slice():
                most = step.limit * self._different(map(Variable, step.per))
                return replace(self, rows=min(self.rows, most))
            case Unnest():
                size, *inner = shape_of(step.items, self.shapes(), self.schema) or (1.0,)
                item = Estimate(self.rows * size, tuple(inner))
                return replace(self, rows=self.rows * size, variables={**self.variables, step.name: item})
            case ShortestPaths():
                rows = self.rows * step.limit
                lists = {name: Estimate(rows, (step.max_length + 1.0,)) for name in step.columns[1:]}
                ranks = {step.rank: Estimate(float(step.limit))}
                return replace(self, rows=rows, variables={**self.variables, **ranks, **lists})
            case Union():
                return self._union([TableEstimate(self.schema).after_all(plan) for plan in step.plans])
        return self

    def after_all(self, plan: Plan) -> "TableEstimate":
        """Return the estimate of the result of a plan."""
        found = self
        for step in plan.steps:
            found = found.after(step)
        return found

    def matched(self, match: Match) -> "TableEstimate":
        """Return the estimate of the rows with their matches of a pattern."""
        variables, rows = dict(self.variables), self.rows
        for node in match.nodes:
            if node.variable not in variables:
                variables[node.variable] = self._node(node)
                rows *= variables[node.variable].values
        for link in match.relationships:
            # The share of all pairs of nodes that a relationship connects.
            ends = [node_count(variables[end].kinds, self.schema) for end in (link.source, link.target)]
            rows *= min(1.0, relationship_count(link, self.schema) / max(1, math.prod(ends)))
            if link.variable:
                variables[link.variable] = Estimate(relationship_count(link, self.schema))
        found = replace(self, rows=max(1.0, rows), variables=variables)
        return found._restricted(conjuncts(match.where))

    def _node(self, node: NodePattern) -> Estimate:
        count = node_count(node.kinds, self.schema)
        return Estimate(max(1.0, count if node.ids is None else min(count, len(node.ids))), (), node.kinds)

    def _restricted(self, conditions: Sequence[Expression]) -> "TableEstimate":
        """Keep the rows that meet equations of a property, each with one of its values; other conditions may hold."""
        variables, rows = dict(self.variables), self.rows
        for condition in conditions:
            match condition:
                case Comparison(operator="=", left=Property(variable=name) as left) if name in variables:
                    known = variables[name]
                    share = min(1.0, 1 / self._different([left]))
                    rows *= share
                    variables[name] = replace(known, values=max(1.0, known.values * share))
        return replace(self, rows=max(1.0, rows), variables=variables)

    def _column(self, value: Expression) -> Estimate:
        if isinstance(value, Variable) and value.name in self.variables:
            return self.variables[value.name]
        return Estimate(self._different([value]), shape_of(value, self.shapes(), self.schema))

    def _grouped(self, group: Group) -> "TableEstimate":
        # A group without keys has one row, also if nothing matches.
        rows = max(1.0, min(self.rows, self._different(one.value for one in group.keys)))
        keys = {one.name: self._column(one.value) for one in group.keys}
        aggregates = {one.name: self._aggregated(one, self.rows / rows, rows) for one in group.aggregates}
        return replace(self, rows=rows, variables=keys | aggregates)

    def _aggregated(self, aggregate: Aggregate, size: float, rows: float) -> Estimate:
        if aggregate.function is not AggregateFunction.COLLECT or aggregate.value is None:
            return Estimate(rows)
        most = self._different([aggregate.value]) if aggregate.distinct else math.inf
        return Estimate(rows, (min(size, most), *shape_of(aggregate.value, self.shapes(), self.schema)))

    def _union(self, tables: Sequence["TableEstimate"]) -> "TableEstimate":
        columns = {
            name: max((table.variables[name] for table in tables if name in table.variables), key=_size)
            for name in tables[0].variables
        }
        return replace(self, rows=sum(table.rows for table in tables), variables=columns)

    def _different(self, values: Iterable[Expression]) -> float:
        """Return how many different combinations some values have, at most."""
        return max(1.0, math.prod(map(self._different_values, values)))

    def _different_values(self, value: Expression) -> float:
        match value:
            case Constant():
                return 1.0
            case Property():
                return min(self._values_of(value.variable), self._distinct(value))
        return math.prod(map(self._values_of, variables_of(value)))

    def _values_of(self, variable: str) -> float:
        return self.variables[variable].values if variable in self.variables else 1.0

    def _distinct(self, value: Property) -> float:
        kinds = self.variables[value.variable].kinds if value.variable in self.variables else ()
        described = [kind for name, kind in self.schema.kinds.items() if name in kinds or not kinds]
        found = [one.properties[value.key] for one in described if value.key in one.properties]
        return max(1.0, sum(one.count * one.distinct for one in found)) if found else math.inf


def _size(estimate: Estimate) -> float:
    return math.prod(estimate.shape)


def node_count(kinds: Sequence[str], schema: GraphSchema) -> int:
    """Return the largest number of nodes that have all of the kinds; of all nodes without kinds."""
    if kinds:
        return min(schema.kinds[kind].count for kind in kinds)
    return sum(kind.count for kind in schema.kinds.values())


def relationship_count(link: RelationshipPattern, schema: GraphSchema) -> int:
    """Return how often relationships match a pattern: twice if either end may be the source."""
    known = schema.relationships
    counted = sum(known[type_].count for type_ in link.types or known)
    return counted * 2 if link.direction == "both" else counted
