"""Describe the common table expressions of a compiled plan, and write their columns, aggregates, and sort terms."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from graph.plan.algebra import Aggregate, AggregateFunction
from graph.plan.scope import ELEMENTS, NUMBERS, Scope, Types
from graph.sqlite.plan_context import Columns, PropertyColumns, QueryContext, blob_literal, is_native
from graph.sqlite.plan_patterns import Rows
from graph.sqlite.values import EMPTY_LIST

_AGGREGATES = {
    AggregateFunction.MIN: "k_min",
    AggregateFunction.MAX: "k_max",
    AggregateFunction.SHORTEST: "k_shortest",
    AggregateFunction.LONGEST: "k_longest",
}


@dataclass(frozen=True, slots=True)
class Table:
    """Describe a common table expression: its variables with their columns, and its sort terms, if it is sorted.

    `properties` are further columns, which hold properties of nodes.
    """

    name: str
    scope: Scope
    columns: Columns
    sorted_by: tuple[tuple[str, str], ...] | None = None
    properties: PropertyColumns = field(default_factory=dict)

    def rows(self, context: QueryContext) -> Rows:
        """Return a compiler for expressions over the rows."""
        return Rows(context, self.scope, self.columns, self.properties)


def sort_terms(value: str, types: Types) -> list[str]:
    """Return the SQL values to sort by; nodes and relationships are sorted by row id."""
    if types.names <= ELEMENTS or is_native(types):
        return [value]
    return [f"k_rank({value})", f"k_sort({value})"]


def order_by(table: Table) -> str:
    """Return the ORDER BY clause of a table; empty if it is not sorted."""
    terms = ", ".join(column + suffix for column, suffix in table.sorted_by or ())
    return f" ORDER BY {terms}" if terms else ""


def aggregate_of(aggregate: Aggregate, column: str, types: Types | None) -> str:
    """Return the SQL aggregate of a column that holds values of these types; without types, count the rows."""
    distinct = "DISTINCT " if aggregate.distinct else ""
    if types is None:
        return "count(*)"
    match aggregate.function:
        case AggregateFunction.COUNT:
            return f"count({distinct}{column})"
        case AggregateFunction.AVERAGE:
            return f"avg({distinct}{column if types.names <= NUMBERS else _numbers(column)})"
        case AggregateFunction.COLLECT:
            collected = f"k_collect{'_distinct' if aggregate.distinct else ''}({column}, n)"
            return f"coalesce({collected}, {blob_literal(EMPTY_LIST)})"
        case AggregateFunction.SUM:
            name = "sum" if types.names <= NUMBERS else "k_sum"
            return f"coalesce({name}({distinct}{column}), 0)"
        case AggregateFunction.MIN | AggregateFunction.MAX if is_native(types):
            return f"{aggregate.function}({column})"
    return f"{_AGGREGATES[aggregate.function]}({column})"


def _numbers(column: str) -> str:
    return f"CASE WHEN typeof({column}) IN ('integer', 'real') THEN {column} END"


def column_names(place: int, columns: Sequence[str]) -> tuple[str, ...]:
    """Name the columns of a variable: `c0`, and `c0r` for the relation of a relationship."""
    return tuple(f"c{place}{'r' * number}" for number in range(len(columns)))


def selected_columns(values: Columns, names: Columns) -> str:
    """Return the select list of the columns of all variables."""
    pairs = (pair for variable in names for pair in zip(values[variable], names[variable], strict=True))
    return ", ".join(f"{value} AS {name}" for value, name in pairs) or "1 AS one"
