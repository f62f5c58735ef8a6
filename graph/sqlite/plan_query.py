"""Compile a query plan to one SQL statement on the tables of a graph file.

Each step becomes one common table expression over the previous one. A node is the row id of its entity, a relationship
the row ids of its triple and its type, and a value has its stored form; see `values.py`. Conditions are 1, 0, or NULL
in SQL, and become stored booleans only where a value is needed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from graph.plan.algebra import (
    AggregateFunction,
    Exists,
    Filter,
    Group,
    Match,
    Order,
    Plan,
    Project,
    Property,
    ShortestPaths,
    Slice,
    Step,
    Union,
    Unnest,
    Variable,
)
from graph.plan.ordering import with_explicit_order
from graph.plan.required_properties import required_properties
from graph.plan.schema import GraphSchema
from graph.plan.scope import Scope, Types
from graph.sqlite.path_search import PathSearch
from graph.sqlite.plan_context import (
    Catalogue,
    Columns,
    PropertyColumns,
    QueryContext,
    is_native,
    where_clause,
)
from graph.sqlite.plan_loops import element_columns
from graph.sqlite.plan_paths import compile_search
from graph.sqlite.plan_patterns import Source, directions
from graph.sqlite.plan_rewriting import TopRows, is_selective, top_rows, with_selective_matches
from graph.sqlite.plan_tables import Table, aggregate_of, column_names, order_by, selected_columns, sort_terms
from graph.sqlite.values import Stored

_ONE_ROW = "(SELECT 1 AS one)"
_PYTHON_FUNCTION = re.compile(r"\bk_[a-z_]+\(")


@dataclass(frozen=True, slots=True)
class SqlQuery:
    """Pair the text of a query with its parameters; `columns` has the name and the types of each variable.

    A relationship takes two columns of the result: the triple and the relation. The first argument of `k_paths` is the
    place of its search in `searches`.
    """

    text: str
    parameters: dict[str, Stored]
    columns: tuple[tuple[str, Types], ...]
    searches: tuple[PathSearch, ...] = ()


def compile_plan(plan: Plan, catalogue: Catalogue, schema: GraphSchema, max_rows: int) -> SqlQuery:
    """Compile a plan; the query returns at most `max_rows` rows. All constants become parameters."""
    compiler = _Compiler(QueryContext(catalogue), schema)
    table = compiler.plan(with_selective_matches(with_explicit_order(plan)))
    columns = tuple(table.scope.variables.items())
    selected = ", ".join(column for name, _ in columns for column in table.columns[name])
    final = f"SELECT {selected} FROM {table.name}{order_by(table)} LIMIT {max_rows}"
    text = f"WITH {', '.join(compiler.tables)} {final}"
    return SqlQuery(text, compiler.context.parameters, columns, tuple(compiler.searches))


@dataclass(slots=True)
class _Compiler:
    context: QueryContext
    schema: GraphSchema
    tables: list[str] = field(default_factory=list)
    searches: list[PathSearch] = field(default_factory=list)

    def plan(self, plan: Plan) -> Table:
        table = Table(_ONE_ROW, Scope(self.schema), {})
        for place, step in enumerate(plan.steps):
            top = top_rows(plan.steps[1:]) if place == 0 else None
            table = self._step(table, step, top)
        return table

    def _step(self, table: Table, step: Step, top: TopRows | None) -> Table:
        match step:
            case Match():
                if step.optional:
                    return self._optional_match(table, step)
                return self._top_match(step, top) if top else self._match(table, step)
            case Filter():
                rows = table.rows(self.context)
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
            case ShortestPaths():
                return self._paths(table, step)

    # Tables

    def _add(
        self,
        query: str,
        scope: Scope,
        columns: Columns,
        sorted_by: tuple[tuple[str, str], ...] | None = None,
        properties: PropertyColumns | None = None,
    ) -> Table:
        name = self.context.new_name("t")
        # SQLite would evaluate an expression once for each use of its column.
        is_slow = _PYTHON_FUNCTION.search(query)
        self.tables.append(f"{name} AS {'MATERIALIZED ' if is_slow else ''}({query})")
        return Table(name, scope, columns, sorted_by, properties or {})

    def _select(self, table: Table, rest: str) -> Table:
        query = f"SELECT * FROM {table.name} {rest}"
        return self._add(query, table.scope, table.columns, table.sorted_by, table.properties)

    # Steps

    def _match(self, table: Table, match: Match, condition: str = "") -> Table:
        """Extend each row by the matches of a pattern, if `condition` holds."""
        scope = table.scope.within(match)
        sources = []
        for links in directions(match.relationships):
            text = "" if table.name == _ONE_ROW else f"FROM {table.name}"
            source = Source(self.context, table.columns, table.properties, text)
            conditions = source.add(match, links, scope)
            sources.append((source, [*conditions, condition] if condition else conditions))
        return self._matched(scope, sources)

    def _matched(self, scope: Scope, sources: Sequence[tuple[Source, list[str]]]) -> Table:
        """Add a table of the rows of all sources, which have the same variables and properties."""
        first, _ = sources[0]
        columns = {name: column_names(place, first.columns[name]) for place, name in enumerate(scope.variables)}
        properties = {name: self.context.new_name("v") for name in first.properties}
        queries = []
        for source, conditions in sources:
            selected = [selected_columns({name: source.columns[name] for name in columns}, columns)]
            selected += [f"{source.properties[name]} AS {column}" for name, column in properties.items()]
            queries.append(f"SELECT {', '.join(selected)} {source.text}{where_clause(conditions)}")
        return self._add(" UNION ALL ".join(queries), scope, columns, properties=properties)

    def _top_match(self, match: Match, top: TopRows) -> Table:
        """Match a pattern, and keep at least the first rows in the order of a property.

        The index of the property gives the value at which the rows are cut off.
        """
        start = Table(_ONE_ROW, Scope(self.schema), {})
        scope = start.scope.within(match)
        if not self._can_cut(match, top, scope):
            return self._match(start, match)
        name = (top.variable, top.key)
        source = Source(self.context, {}, {})
        conditions = source.add_in_order(name, match, scope)
        if conditions is None:
            return self._match(start, match)
        value = source.properties[name]
        order = f"ORDER BY {value}{' DESC' if top.descending else ''}"
        place = self.context.parameter(top.count - 1)
        cut = self.context.new_name("t")
        last = f"SELECT {value} AS last {source.text}{where_clause(conditions)} {order} LIMIT 1 OFFSET {place}"
        self.tables.append(f"{cut} AS MATERIALIZED ({last})")
        in_time = f"{value} {'>=' if top.descending else '<='} (SELECT last FROM {cut})"
        found = self._matched(scope, [(source, [*conditions, in_time])])
        # If too few rows have the property, all rows are needed.
        everything = self._match(start, match, f"NOT EXISTS (SELECT 1 FROM {cut})")
        return self._both(found, everything)

    def _both(self, first: Table, second: Table) -> Table:
        """Concatenate the rows of two tables with the same variables."""
        shared = {name: column for name, column in first.properties.items() if name in second.properties}
        columns = selected_columns(first.columns, first.columns)
        queries = [
            f"SELECT {', '.join([columns, *(f'{table.properties[name]} AS {shared[name]}' for name in shared)])} "
            f"FROM {table.name}"
            for table in (first, second)
        ]
        return self._add(" UNION ALL ".join(queries), first.scope, first.columns, properties=shared)

    def _can_cut(self, match: Match, top: TopRows, scope: Scope) -> bool:
        """Return whether the first rows in the order of a property can be found in its index."""
        if top.variable not in {node.variable for node in match.nodes}:
            return False
        types = scope.types(Property(top.variable, top.key, as_stored=True))
        if top.key not in self.context.catalogue.keys or not is_native(types) or is_selective(match, top):
            return False
        if len(list(directions(match.relationships))) > 1:
            return False
        return not top.missing_first or self._has_all(match, top)

    def _has_all(self, match: Match, top: TopRows) -> bool:
        """Return whether all nodes that can match have the property."""
        if (top.variable, top.key) in required_properties(match.where):
            return True
        kinds = (kind for node in match.nodes if node.variable == top.variable for kind in node.kinds)
        described = (self.schema.kinds[kind] for kind in kinds if kind in self.schema.kinds)
        return any(top.key in one.properties and one.properties[top.key].count == one.count for one in described)

    def _optional_match(self, table: Table, match: Match) -> Table:
        matched = self._match(table, replace(match, optional=False))
        rows = table.rows(self.context)
        kept = {name: table.columns.get(name, ("NULL",) * len(new)) for name, new in matched.columns.items()}
        unmatched = (
            f"SELECT {selected_columns(kept, matched.columns)} FROM {table.name} "
            f"WHERE NOT {rows.condition(Exists(replace(match, optional=False)))}"
        )
        query = f"SELECT {selected_columns(matched.columns, matched.columns)} FROM {matched.name} UNION ALL {unmatched}"
        return self._add(query, matched.scope, matched.columns)

    def _project(self, table: Table, step: Project) -> Table:
        scope = table.scope.after(step)
        rows = table.rows(self.context)
        values = {column.name: rows.columns_of(column.value, grouped=step.distinct) for column in step.columns}
        columns = {name: column_names(place, values[name]) for place, name in enumerate(values)}
        selected = selected_columns(values, columns)
        if step.distinct or table.sorted_by is None:
            keyword = "SELECT DISTINCT" if step.distinct else "SELECT"
            return self._add(f"{keyword} {selected} FROM {table.name}", scope, columns)
        # The sort terms stay available under new names, because the projection may drop their columns.
        hidden = [(self.context.new_name("s"), suffix) for _, suffix in table.sorted_by]
        terms = [f"{old} AS {new}" for (old, _), (new, _) in zip(table.sorted_by, hidden, strict=True)]
        return self._add(f"SELECT {', '.join([selected, *terms])} FROM {table.name}", scope, columns, tuple(hidden))

    def _group(self, table: Table, step: Group) -> Table:
        rows = table.rows(self.context)
        values = {key.name: rows.columns_of(key.value, grouped=True) for key in step.keys}
        columns = {name: column_names(place, values[name]) for place, name in enumerate(values)}
        arguments = [selected_columns(values, columns)] if values else []
        keys = [column for name in values for column in columns[name]]
        results = []
        for place, one in enumerate(step.aggregates, len(values)):
            arguments.append(f"{rows.argument(one)} AS a{place}")
            columns[one.name] = column_names(place, ("",))
            types = table.scope.types(one.value) if one.value is not None else None
            results.append(f"{aggregate_of(one, f'a{place}', types)} AS {columns[one.name][0]}")
        if any(one.function is AggregateFunction.COLLECT for one in step.aggregates):
            arguments.append(f"row_number() OVER ({order_by(table)}) AS n")
        inner = f"SELECT {', '.join(arguments) or '1 AS one'} FROM {table.name}"
        by = f" GROUP BY {', '.join(keys)}" if keys else ""
        outer = f"SELECT {', '.join([*keys, *results])} FROM ({inner}){by}"
        return self._add(outer, table.scope.after(step), columns)

    def _sorted(self, table: Table, step: Order) -> Table:
        rows = table.rows(self.context)
        terms = []
        for key in step.keys:
            suffix = (" DESC" if key.descending else "") + (" NULLS FIRST" if key.missing_first else " NULLS LAST")
            values = sort_terms(rows.value(key.value), table.scope.types(key.value))
            terms += [(value, suffix) for value in values]
        for name, types in table.scope.variables.items():
            terms += [(value, " NULLS LAST") for value in sort_terms(table.columns[name][0], types)]
        names = [self.context.new_name("s") for _ in terms]
        computed = [f"{value} AS {name}" for (value, _), name in zip(terms, names, strict=True)]
        kept = [selected_columns(table.columns, table.columns), *table.properties.values()]
        query = f"SELECT {', '.join([*kept, *computed])} FROM {table.name}"
        sorted_by = tuple((name, suffix) for name, (_, suffix) in zip(names, terms, strict=True))
        return self._add(query, table.scope, table.columns, sorted_by, table.properties)

    def _slice(self, table: Table, step: Slice) -> Table:
        if not step.per:
            bounds = f"LIMIT {self.context.parameter(step.limit)} OFFSET {self.context.parameter(step.offset)}"
            return self._select(table, f"{order_by(table)} {bounds}")
        rows = table.rows(self.context)
        by = [column for name in step.per for column in rows.columns_of(Variable(name), grouped=True)]
        place = self.context.new_name("n")
        window = f"row_number() OVER (PARTITION BY {', '.join(by)}{order_by(table)}) AS {place}"
        first, last = self.context.parameter(step.offset), self.context.parameter(step.offset + step.limit)
        query = f"SELECT *, {window} FROM {table.name}"
        numbered = self._add(query, table.scope, table.columns, table.sorted_by, table.properties)
        return self._select(numbered, f"WHERE {place} > {first} AND {place} <= {last}")

    def _unnest(self, table: Table, step: Unnest) -> Table:
        values = table.rows(self.context).value(step.items)
        scope = table.scope.after(step)
        item = "k_unpacked(place.value)"
        known = {**table.columns, step.name: element_columns(item, scope.variables[step.name])}
        found = {name: known[name] for name in scope.variables}
        columns = {name: column_names(place, found[name]) for place, name in enumerate(found)}
        source = f"(SELECT *, {values} AS items FROM {table.name}), json_each(k_packed(items)) AS place"
        query = f"SELECT {selected_columns(found, columns)} FROM {source}"
        return self._add(query, scope, columns)

    def _paths(self, table: Table, step: ShortestPaths) -> Table:
        self.searches.append(compile_search(step, self.context.catalogue, self.schema))
        ends = ", ".join(table.columns[end][0] for end in (step.source, step.target))
        found = f"SELECT *, k_paths({len(self.searches) - 1}, {ends}) AS found FROM {table.name}"
        path = "k_unpacked(place.value)"
        added = {name: (f"k_item({path}, {number})",) for number, name in enumerate(step.columns)}
        scope = table.scope.after(step)
        values = {**table.columns, **added}
        columns = {name: column_names(place, values[name]) for place, name in enumerate(scope.variables)}
        source = f"({found}), json_each(k_packed(found)) AS place"
        return self._add(f"SELECT {selected_columns(values, columns)} FROM {source}", scope, columns)

    def _union(self, step: Union) -> Table:
        scope = Scope(self.schema).after(step)
        queries: list[str] = []
        columns: dict[str, tuple[str, ...]] = {}
        for plan in step.plans:
            table = self.plan(plan)
            rows = table.rows(self.context)
            values = {name: rows.columns_of(Variable(name), grouped=step.distinct) for name in scope.variables}
            columns = {name: column_names(place, values[name]) for place, name in enumerate(values)}
            queries.append(f"SELECT {selected_columns(values, columns)} FROM {table.name}")
        return self._add((" UNION " if step.distinct else " UNION ALL ").join(queries), scope, columns)
