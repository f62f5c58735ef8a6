"""Compile a query plan to one SQL statement on the tables of a graph file.

Each step becomes one common table expression over the previous one. A node is the row id of its entity, a relationship
the row ids of its triple and its type, and a value has its stored form; see `values.py`. Conditions are 1, 0, or NULL
in SQL, and become stored booleans only where a value is needed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from shared.graph.sqlite.plan_expressions import (
    NATIVE_TYPES,
    Catalogue,
    Columns,
    QueryContext,
    Rows,
    Source,
    blob_literal,
    directions,
    element_columns,
    where_clause,
)
from shared.graph.sqlite.values import EMPTY_LIST, Stored
from shared.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Exists,
    Filter,
    Group,
    Match,
    Order,
    Plan,
    Project,
    Slice,
    Step,
    Union,
    Unnest,
    Variable,
)
from shared.plan.ordering import with_explicit_order
from shared.plan.schema import GraphSchema
from shared.plan.scope import ELEMENTS, NUMBERS, Scope, Types

_AGGREGATES = {AggregateFunction.MIN: "k_min", AggregateFunction.MAX: "k_max"}


@dataclass(frozen=True, slots=True)
class SqlQuery:
    """Pair the text of a query with its parameters; `columns` has the name and the types of each variable.

    A relationship takes two columns of the result: the triple and the relation.
    """

    text: str
    parameters: dict[str, Stored]
    columns: tuple[tuple[str, Types], ...]


def compile_plan(plan: Plan, catalogue: Catalogue, schema: GraphSchema, max_rows: int) -> SqlQuery:
    """Compile a plan; the query returns at most `max_rows` rows. All constants become parameters."""
    compiler = _Compiler(QueryContext(catalogue), schema)
    table = compiler.plan(with_explicit_order(plan))
    columns = tuple(table.scope.variables.items())
    selected = ", ".join(column for name, _ in columns for column in table.columns[name])
    final = f"SELECT {selected} FROM {table.name}{_order_by(table)} LIMIT {max_rows}"
    return SqlQuery(f"WITH {', '.join(compiler.tables)} {final}", compiler.context.parameters, columns)


@dataclass(frozen=True, slots=True)
class _Table:
    """Describe a common table expression: its variables with their columns, and its sort terms, if it is sorted."""

    name: str
    scope: Scope
    columns: Columns
    sorted_by: tuple[tuple[str, str], ...] | None = None


@dataclass(slots=True)
class _Compiler:
    context: QueryContext
    schema: GraphSchema
    tables: list[str] = field(default_factory=list)

    def plan(self, plan: Plan) -> _Table:
        table = self._add("SELECT 1 AS one", Scope(self.schema), {})
        for step in plan.steps:
            table = self._step(table, step)
        return table

    def _step(self, table: _Table, step: Step) -> _Table:
        match step:
            case Match():
                return self._optional_match(table, step) if step.optional else self._match(table, step)
            case Filter():
                rows = Rows(self.context, table.scope, table.columns)
                return self._select(table, f"WHERE {rows.condition(step.condition)}")
            case Project():
                return self._project(table, step)
            case Group():
                return self._group(table, step)
            case Order():
                return self._sorted(table, step)
            case Slice():
                return self._slice(table, step)
            case Unnest():
                return self._unnest(table, step)
            case Union():
                return self._union(step)

    # Tables

    def _add(
        self,
        query: str,
        scope: Scope,
        columns: Columns,
        sorted_by: tuple[tuple[str, str], ...] | None = None,
    ) -> _Table:
        name = self.context.new_name("t")
        self.tables.append(f"{name} AS ({query})")
        return _Table(name, scope, columns, sorted_by)

    def _select(self, table: _Table, rest: str) -> _Table:
        return self._add(f"SELECT * FROM {table.name} {rest}", table.scope, table.columns, table.sorted_by)

    # Steps

    def _match(self, table: _Table, match: Match) -> _Table:
        scope = table.scope.within(match)
        queries, columns = [], {}
        for links in directions(match.relationships):
            source = Source(self.context, table.columns, f"FROM {table.name}")
            conditions = source.add(match, links, scope)
            found = {name: source.columns[name] for name in scope.variables}
            columns = {name: _column_names(place, found[name]) for place, name in enumerate(found)}
            queries.append(f"SELECT {_selected(found, columns)} {source.text}{where_clause(conditions)}")
        return self._add(" UNION ALL ".join(queries), scope, columns)

    def _optional_match(self, table: _Table, match: Match) -> _Table:
        matched = self._match(table, replace(match, optional=False))
        rows = Rows(self.context, table.scope, table.columns)
        kept = {name: table.columns.get(name, ("NULL",) * len(new)) for name, new in matched.columns.items()}
        unmatched = (
            f"SELECT {_selected(kept, matched.columns)} FROM {table.name} "
            f"WHERE NOT {rows.condition(Exists(replace(match, optional=False)))}"
        )
        query = f"SELECT {_selected(matched.columns, matched.columns)} FROM {matched.name} UNION ALL {unmatched}"
        return self._add(query, matched.scope, matched.columns)

    def _project(self, table: _Table, step: Project) -> _Table:
        scope = table.scope.after(step)
        rows = Rows(self.context, table.scope, table.columns)
        values = {column.name: rows.columns_of(column.value, grouped=step.distinct) for column in step.columns}
        columns = {name: _column_names(place, values[name]) for place, name in enumerate(values)}
        selected = _selected(values, columns)
        if step.distinct or table.sorted_by is None:
            keyword = "SELECT DISTINCT" if step.distinct else "SELECT"
            return self._add(f"{keyword} {selected} FROM {table.name}", scope, columns)
        # The sort terms stay available under new names, because the projection may drop their columns.
        hidden = [(self.context.new_name("s"), suffix) for _, suffix in table.sorted_by]
        terms = [f"{old} AS {new}" for (old, _), (new, _) in zip(table.sorted_by, hidden, strict=True)]
        return self._add(f"SELECT {', '.join([selected, *terms])} FROM {table.name}", scope, columns, tuple(hidden))

    def _group(self, table: _Table, step: Group) -> _Table:
        rows = Rows(self.context, table.scope, table.columns)
        values = {key.name: rows.columns_of(key.value, grouped=True) for key in step.keys}
        columns = {name: _column_names(place, values[name]) for place, name in enumerate(values)}
        arguments = [_selected(values, columns)] if values else []
        keys = [column for name in values for column in columns[name]]
        results = []
        for place, one in enumerate(step.aggregates, len(values)):
            arguments.append(f"{rows.argument(one)} AS a{place}")
            columns[one.name] = _column_names(place, ("",))
            types = table.scope.types(one.value) if one.value is not None else None
            results.append(f"{_aggregate(one, f'a{place}', types)} AS {columns[one.name][0]}")
        if any(one.function is AggregateFunction.COLLECT for one in step.aggregates):
            arguments.append(f"row_number() OVER ({_order_by(table)}) AS n")
        inner = f"SELECT {', '.join(arguments) or '1 AS one'} FROM {table.name}"
        by = f" GROUP BY {', '.join(keys)}" if keys else ""
        outer = f"SELECT {', '.join([*keys, *results])} FROM ({inner}){by}"
        return self._add(outer, table.scope.after(step), columns)

    def _sorted(self, table: _Table, step: Order) -> _Table:
        rows = Rows(self.context, table.scope, table.columns)
        terms = []
        for key in step.keys:
            suffix = (" DESC" if key.descending else "") + (" NULLS FIRST" if key.missing_first else " NULLS LAST")
            values = _sort_terms(rows.value(key.value), table.scope.types(key.value))
            terms += [(value, suffix) for value in values]
        for name, types in table.scope.variables.items():
            terms += [(value, " NULLS LAST") for value in _sort_terms(table.columns[name][0], types)]
        names = [self.context.new_name("s") for _ in terms]
        computed = [f"{value} AS {name}" for (value, _), name in zip(terms, names, strict=True)]
        query = f"SELECT {', '.join([_selected(table.columns, table.columns), *computed])} FROM {table.name}"
        sorted_by = tuple((name, suffix) for name, (_, suffix) in zip(names, terms, strict=True))
        return self._add(query, table.scope, table.columns, sorted_by)

    def _slice(self, table: _Table, step: Slice) -> _Table:
        if not step.per:
            bounds = f"LIMIT {self.context.parameter(step.limit)} OFFSET {self.context.parameter(step.offset)}"
            return self._select(table, f"{_order_by(table)} {bounds}")
        rows = Rows(self.context, table.scope, table.columns)
        by = [column for name in step.per for column in rows.columns_of(Variable(name), grouped=True)]
        place = self.context.new_name("n")
        window = f"row_number() OVER (PARTITION BY {', '.join(by)}{_order_by(table)}) AS {place}"
        first, last = self.context.parameter(step.offset), self.context.parameter(step.offset + step.limit)
        numbered = self._add(f"SELECT *, {window} FROM {table.name}", table.scope, table.columns, table.sorted_by)
        return self._select(numbered, f"WHERE {place} > {first} AND {place} <= {last}")

    def _unnest(self, table: _Table, step: Unnest) -> _Table:
        values = Rows(self.context, table.scope, table.columns).value(step.items)
        scope = table.scope.after(step)
        item = "k_item(items, place.value)"
        found = {**table.columns, step.name: element_columns(item, scope.variables[step.name])}
        found = {name: found[name] for name in scope.variables}
        columns = {name: _column_names(place, found[name]) for place, name in enumerate(found)}
        source = f"(SELECT *, {values} AS items FROM {table.name}), json_each(k_places(items)) AS place"
        return self._add(f"SELECT {_selected(found, columns)} FROM {source} WHERE items IS NOT NULL", scope, columns)

    def _union(self, step: Union) -> _Table:
        scope = Scope(self.schema).after(step)
        queries: list[str] = []
        columns: dict[str, tuple[str, ...]] = {}
        for plan in step.plans:
            table = self.plan(plan)
            rows = Rows(self.context, table.scope, table.columns)
            values = {name: rows.columns_of(Variable(name), grouped=step.distinct) for name in scope.variables}
            columns = {name: _column_names(place, values[name]) for place, name in enumerate(values)}
            queries.append(f"SELECT {_selected(values, columns)} FROM {table.name}")
        return self._add((" UNION " if step.distinct else " UNION ALL ").join(queries), scope, columns)


def _sort_terms(value: str, types: Types) -> list[str]:
    """Return the SQL values to sort by; nodes and relationships are sorted by row id."""
    if types.names <= ELEMENTS or any(types.names <= some for some in NATIVE_TYPES):
        return [value]
    return [f"k_rank({value})", f"k_sort({value})"]


def _order_by(table: _Table) -> str:
    terms = ", ".join(column + suffix for column, suffix in table.sorted_by or ())
    return f" ORDER BY {terms}" if terms else ""


def _aggregate(aggregate: Aggregate, column: str, types: Types | None) -> str:
    distinct = "DISTINCT " if aggregate.distinct else ""
    if types is None:
        return "count(*)"
    match aggregate.function:
        case AggregateFunction.COUNT:
            return f"count({distinct}{column})"
        case AggregateFunction.AVERAGE:
            return f"avg({distinct}{_numbers(column)})"
        case AggregateFunction.COLLECT:
            collected = f"k_collect{'_distinct' if aggregate.distinct else ''}({column}, n)"
            return f"coalesce({collected}, {blob_literal(EMPTY_LIST)})"
        case AggregateFunction.SUM:
            name = "sum" if types.names <= NUMBERS else "k_sum"
            return f"coalesce({name}({distinct}{column}), 0)"
        case AggregateFunction.MIN | AggregateFunction.MAX if any(types.names <= some for some in NATIVE_TYPES):
            return f"{aggregate.function}({column})"
    return f"{_AGGREGATES[aggregate.function]}({column})"


def _numbers(column: str) -> str:
    return f"CASE WHEN typeof({column}) IN ('integer', 'real') THEN {column} END"


def _column_names(place: int, columns: Sequence[str]) -> tuple[str, ...]:
    """Name the columns of a variable: `c0`, and `c0r` for the relation of a relationship."""
    return tuple(f"c{place}{'r' * number}" for number in range(len(columns)))


def _selected(values: Columns, names: Columns) -> str:
    """Return the select list of the columns of all variables."""
    pairs = (pair for variable in names for pair in zip(values[variable], names[variable], strict=True))
    return ", ".join(f"{value} AS {name}" for value, name in pairs) or "1 AS one"
