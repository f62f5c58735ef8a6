"""Compile a query plan to one parameterised Cypher query that only reads."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from shared.graph.neo4j.cypher_text import quote
from shared.graph.neo4j.plan_expressions import LISTS, ExpressionCompiler, place_of
from shared.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Arithmetic,
    Call,
    Column,
    Expression,
    Filter,
    Function,
    Group,
    Loop,
    Match,
    NodePattern,
    Order,
    Plan,
    Project,
    RelationshipPattern,
    Slice,
    SortKey,
    Step,
    Union,
    Unnest,
    Variable,
)
from shared.plan.ordering import with_explicit_order
from shared.plan.schema import GraphSchema
from shared.plan.scope import ELEMENTS, NUMBERS, Scope, Types
from shared.plan.traversal import walk

_EXTREME_DURATIONS = {AggregateFunction.SHORTEST: "min", AggregateFunction.LONGEST: "max"}
_MAY_OVERFLOW = {Function.ABS, Function.TO_INTEGER}


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
        WITH `m` AS `m`
        WITH *, coalesce(`m`.kgqa_place, toInteger(split(elementId(`m`), ':')[2])) AS s1
        RETURN `m` ORDER BY s1
    """
    expressions = ExpressionCompiler(Scope(schema), taken=names_in(plan))
    lines = _PlanCompiler(expressions).plan(with_explicit_order(plan))
    if max_rows is not None:
        lines.append(f"LIMIT {expressions.parameter(max_rows)}")
    return CypherQuery("\n".join(lines), expressions.parameters, tuple(expressions.scope.variables.items()))


@dataclass(slots=True)
class _PlanCompiler:
    _expressions: ExpressionCompiler
    # The columns that hold the sort keys of the rows, with ` DESC` or nothing; they are not variables of the plan.
    order: list[tuple[str, str]] = field(default_factory=list)

    def plan(self, plan: Plan) -> list[str]:
        self.order = []
        lines = []
        for step in plan.steps:
            lines += self._step(step)
            if isinstance(step, Match | Unnest | Group | Union) or (isinstance(step, Project) and step.distinct):
                self.order = []
            self._expressions.scope = self._expressions.scope.after(step)
        return [*lines, f"RETURN {', '.join(map(quote, self._expressions.scope.variables))}{self._order_by()}"]

    def _step(self, step: Step) -> list[str]:
        match step:
            case Match():
                return [self._expressions.match(step)]
            case Filter():
                return [self._filter(step.condition)]
            case Project():
                columns = list(map(self._column, step.columns))
                if step.distinct:
                    return [f"WITH DISTINCT {', '.join(columns)}"]
                return [f"WITH {', '.join([*columns, *(name for name, _ in self.order)])}"]
            case Group():
                aggregates = [f"{self._aggregate(one)} AS {quote(one.name)}" for one in step.aggregates]
                distinct = "" if aggregates else "DISTINCT "
                if any(one.function is AggregateFunction.COLLECT for one in step.aggregates):
                    return self._collected(step.keys, aggregates)
                return [f"WITH {distinct}{', '.join([*map(self._column, step.keys), *aggregates])}"]
            case Order():
                return self._sorted(step)
            case Slice() if step.per:
                return self._slice_per_group(step)
            case Slice():
                bounds = " ".join(
                    f"{word} {self._expressions.parameter(number)}"
                    for word, number in (("SKIP", step.offset), ("LIMIT", step.limit))
                )
                # Neo4j keeps an order only within one clause.
                return [f"WITH *{self._order_by()} {bounds}"]
            case Unnest():
                return [f"UNWIND {self._expressions.guarded(step.items, LISTS, '{0}')} AS {quote(step.name)}"]
            case Union():
                return self._union(step)

    def _filter(self, condition: Expression) -> str:
        """Keep rows; evaluate a condition that may fail only on rows that the steps before it keep.

        Neo4j joins conditions of several clauses, and chooses their order. It computes a column afterwards.
        """
        text = self._expressions.condition(condition)
        if not _may_overflow(condition):
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

    def _collected(self, keys: Iterable[Column], aggregates: Sequence[str]) -> list[str]:
        return [f"WITH *{self._order_by()}", f"WITH {', '.join([*map(self._column, keys), *aggregates])}"]

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
            duration = self._expressions.of_duration(aggregate.value, "duration({0})")
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


def _may_overflow(expression: Expression) -> bool:
    """Return whether a number in an expression may become too large for 64 bits, which Neo4j reports as an error."""
    return any(
        isinstance(part, Arithmetic) or (isinstance(part, Call) and part.function in _MAY_OVERFLOW)
        for part in walk(expression)
    )


def names_in(plan: Plan) -> frozenset[str]:
    """Return the names of all variables and columns of a plan."""
    parts = list(walk(plan))
    named = (part.name for part in parts if isinstance(part, Column | Aggregate | Unnest | Variable | Loop))
    matched = (part.variable for part in parts if isinstance(part, NodePattern | RelationshipPattern))
    return frozenset(name for name in chain(named, matched) if name)
