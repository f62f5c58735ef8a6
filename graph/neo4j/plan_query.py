"""Compile a query plan to one parameterised Cypher query that only reads."""

from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from graph.neo4j.cypher_text import quote
from graph.neo4j.plan_calls import of_duration
from graph.neo4j.plan_clauses import End, collects, joined, may_overflow, renamed, split
from graph.neo4j.plan_expressions import ExpressionCompiler, place_of
from graph.neo4j.plan_paths import paths_clause
from graph.neo4j.type_tests import LISTS
from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Column,
    Expression,
    Filter,
    Group,
    Loop,
    Match,
    NodePattern,
    Order,
    Plan,
    Project,
    RelationshipPattern,
    ShortestPaths,
    Slice,
    SortKey,
    Step,
    Union,
    Unnest,
    Variable,
)
from graph.plan.ordering import with_explicit_order
from graph.plan.schema import GraphSchema
from graph.plan.scope import ELEMENTS, NUMBERS, Scope, Types
from graph.plan.traversal import walk

_EXTREME_DURATIONS = {AggregateFunction.SHORTEST: "min", AggregateFunction.LONGEST: "max"}


@dataclass(frozen=True, slots=True)
class CypherQuery:
    """Pair the text of a query with its parameters; `columns` has the name and the types of each variable."""

    text: str
    parameters: dict[str, Any]
    columns: tuple[tuple[str, Types], ...]


def compile_plan(plan: Plan, schema: GraphSchema | None = None, max_rows: int | None = None) -> CypherQuery:
    """Compile a plan that has been checked against the schema; without a schema, all types are uncertain.

    All constants become parameters. Kinds, relationship types, and property names cannot be parameters in Cypher, so
    they are quoted.

    Example:
        >>> match = Match((NodePattern("m", ("Movie",)),))
        >>> print(compile_plan(Plan((match, Project((Column("m", Variable("m")),))))).text)
        MATCH (`m`:`Movie`)
        RETURN `m` AS `m` ORDER BY coalesce(`m`.kgqa_place, toInteger(split(elementId(`m`), ':')[2]))
    """
    expressions = ExpressionCompiler(Scope(schema), taken=names_in(plan))
    lines = _PlanCompiler(expressions).plan(with_explicit_order(plan), max_rows)
    return CypherQuery("\n".join(lines), expressions.parameters, tuple(expressions.scope.variables.items()))


@dataclass(slots=True)
class _PlanCompiler:
    _expressions: ExpressionCompiler
    # What the rows are sorted by, with ` DESC` or nothing; between clauses, columns that are not variables of the plan.
    order: list[tuple[str, str]] = field(default_factory=list)

    def plan(self, plan: Plan, max_rows: int | None = None) -> list[str]:
        """Compile a plan to clauses, and keep its order from clause to clause."""
        self.order = []
        lines: list[str] = []
        steps, end = split(joined(plan.steps))
        before: Step | None = None
        for step in steps:
            if isinstance(before, Order) and isinstance(step, Slice) and not step.per:
                lines[-1] += self._order_by() + self._bounds(step)
            elif isinstance(before, Order) and collects(step):
                lines[-1] += self._order_by()
                lines.append(f"WITH {self._chosen(step)}")
            else:
                lines += self._step(step)
            self._enter(step)
            before = step
        if end.columns and self._is_ambiguous(end.columns):
            lines += self._step(end.columns)
            self._enter(end.columns)
            end = replace(end, columns=None)
        return [*lines, self._returned(end, max_rows)]

    def _is_ambiguous(self, step: Project | Group) -> bool:
        """Return whether a column has the name of another variable, for which Neo4j may take it in ORDER BY."""
        return not renamed(step).isdisjoint(self._expressions.scope.variables)

    def _enter(self, step: Step) -> None:
        """Follow what a step does to the variables and the order."""
        if isinstance(step, Match | Unnest | Group | Union | ShortestPaths) or (
            isinstance(step, Project) and step.distinct
        ):
            self.order = []
        self._expressions.scope = self._expressions.scope.after(step)

    def _returned(self, end: End, max_rows: int | None) -> str:
        if end.columns:
            chosen = self._chosen(end.columns)
            self._enter(end.columns)
        else:
            chosen = ", ".join(map(quote, self._expressions.scope.variables))
        if end.order:
            self.order = self._sort_terms(end.order)
        bounds = ""
        if end.cut:
            limit = end.cut.limit if max_rows is None else min(end.cut.limit, max_rows)
            bounds = self._bounds(replace(end.cut, limit=limit))
        elif max_rows is not None:
            bounds = f" LIMIT {self._expressions.parameter(max_rows)}"
        return f"RETURN {chosen}{self._order_by()}{bounds}"

    def _step(self, step: Step) -> list[str]:
        match step:
            case Match():
                return [self._expressions.match(step)]
            case Filter():
                return [self._filter(step.condition)]
            case Project() if step.distinct:
                return [f"WITH {self._chosen(step)}"]
            case Project():
                return [f"WITH {', '.join([self._chosen(step), *(name for name, _ in self.order)])}"]
            case Group():
                sort = [f"WITH *{self._order_by()}"] if collects(step) else []
                return [*sort, f"WITH {self._chosen(step)}"]
            case Order():
                return self._sorted(step)
            case Slice() if step.per:
                return self._slice_per_group(step)
            case Slice():
                return [f"WITH *{self._order_by()}{self._bounds(step)}"]
            case Unnest():
                return [f"UNWIND {self._expressions.guarded(step.items, LISTS, '{0}')} AS {quote(step.name)}"]
            case Union():
                return self._union(step)
            case ShortestPaths():
                return paths_clause(step, self._expressions)

    def _chosen(self, step: Project | Group) -> str:
        """Compile the columns of a step, without duplicate rows if it drops them."""
        if isinstance(step, Project):
            return ("DISTINCT " if step.distinct else "") + ", ".join(map(self._column, step.columns))
        aggregates = [f"{self._aggregate(one)} AS {quote(one.name)}" for one in step.aggregates]
        distinct = "" if aggregates else "DISTINCT "
        return distinct + ", ".join([*map(self._column, step.keys), *aggregates])

    def _bounds(self, step: Slice) -> str:
        """Compile the bounds of a slice, for a clause that also sorts: Neo4j keeps an order only within one clause."""
        skip = f" SKIP {self._expressions.parameter(step.offset)}" if step.offset else ""
        return f"{skip} LIMIT {self._expressions.parameter(step.limit)}"

    def _filter(self, condition: Expression) -> str:
        """Keep rows; evaluate a condition that may fail only on rows that the steps before it keep.

        Neo4j joins conditions of several clauses, and chooses their order. It computes a column afterwards.
        """
        text = self._expressions.condition(condition)
        if not may_overflow(condition):
            return f"WITH * WHERE {text}"
        name = self._expressions.new_name("b")
        return f"WITH *, {text} AS {name} WHERE {name}"

    def _union(self, step: Union) -> list[str]:
        before = self._expressions.scope
        branches = []
        for plan in step.plans:
            self._expressions.scope = before
            branches.append("\n".join(self.plan(plan)))
        self._expressions.scope = before
        separator = "\nUNION\n" if step.distinct else "\nUNION ALL\n"
        return [f"CALL () {{\n{separator.join(branches)}\n}}"]

    def _sorted(self, step: Order) -> list[str]:
        """Add a column for each sort key; clauses that depend on the order sort by these columns."""
        terms = self._sort_terms(step)
        self.order = [(self._expressions.new_name("s"), suffix) for _, suffix in terms]
        columns = [f"{value} AS {name}" for (value, _), (name, _) in zip(terms, self.order, strict=True)]
        return [f"WITH {', '.join(['*', *columns])}"]

    def _order_by(self) -> str:
        terms = ", ".join(name + suffix for name, suffix in self.order)
        return f" ORDER BY {terms}" if terms else ""

    def _slice_per_group(self, step: Slice) -> list[str]:
        """Number the rows, take some of each group, and sort by the number again."""
        names = list(self._expressions.scope.variables)
        items = ", ".join(f"c{place}: {quote(name)}" for place, name in enumerate(names))
        keys = ", ".join(f"row.c{names.index(name)} AS k{place}" for place, name in enumerate(step.per))
        first, last = self._expressions.parameter(step.offset), self._expressions.parameter(step.offset + step.limit)
        restored = [f"one.row.c{place} AS {quote(name)}" for place, name in enumerate(names)]
        order, self.order = self._order_by(), [(self._expressions.new_name("s"), "")]
        return [
            f"WITH *{order}",
            f"WITH collect({{{items}}}) AS rows",
            "UNWIND range(0, size(rows) - 1) AS n",
            "WITH rows[n] AS row, n",
            "WITH * ORDER BY n",
            f"WITH {keys}, collect({{row: row, n: n}})[{first}..{last}] AS kept",
            "UNWIND kept AS one",
            f"WITH {', '.join([*restored, f'one.n AS {self.order[0][0]}'])}",
        ]

    # Rows

    def _column(self, column: Column) -> str:
        return f"{self._expressions.value(column.value)} AS {quote(column.name)}"

    def _aggregate(self, aggregate: Aggregate) -> str:
        if aggregate.value is None:
            return "count(*)"
        if aggregate.function in _EXTREME_DURATIONS:
            duration = of_duration(aggregate.value, "duration({0})", self._expressions)
            return f"toString({_EXTREME_DURATIONS[aggregate.function]}({duration}))"
        distinct = "DISTINCT " if aggregate.distinct else ""
        if aggregate.function not in {AggregateFunction.SUM, AggregateFunction.AVERAGE}:
            return f"{aggregate.function}({distinct}{self._expressions.value(aggregate.value)})"
        value = distinct + self._expressions.guarded(aggregate.value, NUMBERS, "{0}")
        if aggregate.function is AggregateFunction.SUM:
            return f"sum({value})"
        # avg() adds rounding errors with each row, so that equal averages could differ.
        return f"CASE count({value}) WHEN 0 THEN null ELSE toFloat(sum({value})) / count({value}) END"

    def _sort_terms(self, order: Order) -> list[tuple[str, str]]:
        """Return the sort keys, followed by the whole row, so that the order does not depend on the database."""
        terms: list[tuple[str, str]] = []
        for key in (*order.keys, *(SortKey(Variable(name)) for name in self._expressions.scope.variables)):
            value = self._expressions.value(key.value)
            types = self._expressions.scope.types(key.value)
            if types.names and types.only(*ELEMENTS):
                value = place_of(value)
            if key.missing_first != key.descending:  # Cypher sorts missing values as the largest
                terms.append((f"{value} IS NULL", " DESC" if key.missing_first else ""))
            terms.append((value, " DESC" if key.descending else ""))
        return list(dict.fromkeys(terms))


def names_in(plan: Plan) -> frozenset[str]:
    """Return the names of all variables and columns of a plan."""
    parts = list(walk(plan))
    named = (part.name for part in parts if isinstance(part, Column | Aggregate | Unnest | Variable | Loop))
    matched = (part.variable for part in parts if isinstance(part, NodePattern | RelationshipPattern))
    found = (name for part in parts if isinstance(part, ShortestPaths) for name in (part.node, *part.columns))
    return frozenset(name for name in chain(named, matched, found) if name)
