"""Compile a query plan to one SQL statement on the tables of a graph file.

Each step becomes one common table expression over the previous one. A node is the row id of its entity, a relationship
the row ids of its triple and its type, and a value has its stored form; see `values.py`. Conditions are 1, 0, or NULL
in SQL, and become stored booleans only where a value is needed.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from shared.graph.sqlite.schema import ENTITY_NAME
from shared.graph.sqlite.values import BOOLEAN, DATE, DATETIME, EMPTY_LIST, FALSE, TRUE, Stored, encode
from shared.plan.algebra import (
    Aggregate,
    AggregateFunction,
    And,
    Arithmetic,
    Call,
    Comparison,
    Constant,
    CountMatches,
    Exists,
    Expression,
    Filter,
    Function,
    Group,
    HasKind,
    IsMissing,
    ListOf,
    Match,
    NodePattern,
    Not,
    Or,
    Order,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    RelationshipType,
    Slice,
    Step,
    Union,
    Unnest,
    Variable,
)
from shared.plan.ordering import with_explicit_order
from shared.plan.schema import GraphSchema
from shared.plan.scope import ELEMENTS, NUMBERS, Scope, Types
from shared.plan.values import ValueType

_FUNCTIONS = {
    "<": "k_lt",
    "<=": "k_le",
    ">": "k_gt",
    ">=": "k_ge",
    "in": "k_in",
    "contains": "k_contains",
    "starts_with": "k_starts",
    "ends_with": "k_ends",
    "+": "k_add",
    "-": "k_subtract",
    "*": "k_multiply",
    "/": "k_divide",
    "%": "k_remainder",
}
_AGGREGATES = {AggregateFunction.MIN: "k_min", AggregateFunction.MAX: "k_max"}
# Groups of types within which SQLite compares and sorts stored values as plans do.
_NATIVE = tuple(
    map(frozenset, (NUMBERS, {ValueType.STRING}, {ValueType.BOOLEAN}, {ValueType.DATE}, {ValueType.DATETIME}))
)
# SQL literals between which the stored values of a type lie; numbers come first.
_BOUNDS: dict[type, tuple[str, str]] = {int: ("", "''"), float: ("", "''"), str: ("''", "x''")}
_Columns = Mapping[str, tuple[str, ...]]
"""The SQL columns, or values, of each variable."""
_BLOB_BOUNDS = {tag: (f"x'{tag.hex()}'", f"x'{tag[0] + 1:02x}'") for tag in (BOOLEAN, DATE, DATETIME)}


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Map the names in a graph file to row ids."""

    kinds: Mapping[str, int]
    relations: Mapping[str, int]
    keys: Mapping[str, int]

    def is_entity_name(self, key: str) -> bool:
        """Return whether a property stands for the names of entities, because the graph has no property `name`."""
        return key == ENTITY_NAME and key not in self.keys


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
    compiler = _Compiler(catalogue, schema)
    table = compiler.plan(with_explicit_order(plan))
    columns = tuple(table.scope.variables.items())
    selected = ", ".join(column for name, _ in columns for column in table.columns[name])
    final = f"SELECT {selected} FROM {table.name}{_order_by(table)} LIMIT {max_rows}"
    return SqlQuery(f"WITH {', '.join(compiler.tables)} {final}", compiler.parameters, columns)


@dataclass(frozen=True, slots=True)
class _Table:
    """Describe a common table expression: its variables with their columns, and its sort terms, if it is sorted."""

    name: str
    scope: Scope
    columns: _Columns
    sorted_by: tuple[tuple[str, str], ...] | None = None


@dataclass(slots=True)
class _Compiler:
    catalogue: Catalogue
    schema: GraphSchema
    tables: list[str] = field(default_factory=list)
    parameters: dict[str, Stored] = field(default_factory=dict)
    _names: int = 0

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
                rows = _Rows(self, table.scope, table.columns)
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

    def new_name(self, prefix: str) -> str:
        self._names += 1
        return f"{prefix}{self._names}"

    def parameter(self, value: Stored) -> str:
        name = f"p{len(self.parameters)}"
        self.parameters[name] = value
        return f":{name}"

    def _add(
        self,
        query: str,
        scope: Scope,
        columns: _Columns,
        sorted_by: tuple[tuple[str, str], ...] | None = None,
    ) -> _Table:
        name = self.new_name("t")
        self.tables.append(f"{name} AS ({query})")
        return _Table(name, scope, columns, sorted_by)

    def _select(self, table: _Table, rest: str) -> _Table:
        return self._add(f"SELECT * FROM {table.name} {rest}", table.scope, table.columns, table.sorted_by)

    # Steps

    def _match(self, table: _Table, match: Match) -> _Table:
        scope = table.scope.within(match)
        queries, columns = [], {}
        for links in _directions(match.relationships):
            source = _Source(self, table.columns, f"FROM {table.name}")
            conditions = source.add(match, links, scope)
            found = {name: source.columns[name] for name in scope.variables}
            columns = {name: _column_names(place, found[name]) for place, name in enumerate(found)}
            queries.append(f"SELECT {_selected(found, columns)} {source.text}{_where(conditions)}")
        return self._add(" UNION ALL ".join(queries), scope, columns)

    def _optional_match(self, table: _Table, match: Match) -> _Table:
        matched = self._match(table, replace(match, optional=False))
        rows = _Rows(self, table.scope, table.columns)
        kept = {name: table.columns.get(name, ("NULL",) * len(new)) for name, new in matched.columns.items()}
        unmatched = (
            f"SELECT {_selected(kept, matched.columns)} FROM {table.name} "
            f"WHERE NOT {rows.condition(Exists(replace(match, optional=False)))}"
        )
        query = f"SELECT {_selected(matched.columns, matched.columns)} FROM {matched.name} UNION ALL {unmatched}"
        return self._add(query, matched.scope, matched.columns)

    def _project(self, table: _Table, step: Project) -> _Table:
        scope = table.scope.after(step)
        rows = _Rows(self, table.scope, table.columns)
        values = {column.name: rows.columns_of(column.value, grouped=step.distinct) for column in step.columns}
        columns = {name: _column_names(place, values[name]) for place, name in enumerate(values)}
        selected = _selected(values, columns)
        if step.distinct or table.sorted_by is None:
            keyword = "SELECT DISTINCT" if step.distinct else "SELECT"
            return self._add(f"{keyword} {selected} FROM {table.name}", scope, columns)
        # The sort terms stay available under new names, because the projection may drop their columns.
        hidden = [(self.new_name("s"), suffix) for _, suffix in table.sorted_by]
        terms = [f"{old} AS {new}" for (old, _), (new, _) in zip(table.sorted_by, hidden, strict=True)]
        return self._add(f"SELECT {', '.join([selected, *terms])} FROM {table.name}", scope, columns, tuple(hidden))

    def _group(self, table: _Table, step: Group) -> _Table:
        rows = _Rows(self, table.scope, table.columns)
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
        rows = _Rows(self, table.scope, table.columns)
        terms = []
        for key in step.keys:
            suffix = (" DESC" if key.descending else "") + (" NULLS FIRST" if key.missing_first else " NULLS LAST")
            values = _sort_terms(rows.value(key.value), table.scope.types(key.value))
            terms += [(value, suffix) for value in values]
        for name, types in table.scope.variables.items():
            terms += [(value, " NULLS LAST") for value in _sort_terms(table.columns[name][0], types)]
        names = [self.new_name("s") for _ in terms]
        computed = [f"{value} AS {name}" for (value, _), name in zip(terms, names, strict=True)]
        query = f"SELECT {', '.join([_selected(table.columns, table.columns), *computed])} FROM {table.name}"
        sorted_by = tuple((name, suffix) for name, (_, suffix) in zip(names, terms, strict=True))
        return self._add(query, table.scope, table.columns, sorted_by)

    def _slice(self, table: _Table, step: Slice) -> _Table:
        if not step.per:
            bounds = f"LIMIT {self.parameter(step.limit)} OFFSET {self.parameter(step.offset)}"
            return self._select(table, f"{_order_by(table)} {bounds}")
        rows = _Rows(self, table.scope, table.columns)
        by = [column for name in step.per for column in rows.columns_of(Variable(name), grouped=True)]
        place = self.new_name("n")
        window = f"row_number() OVER (PARTITION BY {', '.join(by)}{_order_by(table)}) AS {place}"
        first, last = self.parameter(step.offset), self.parameter(step.offset + step.limit)
        numbered = self._add(f"SELECT *, {window} FROM {table.name}", table.scope, table.columns, table.sorted_by)
        return self._select(numbered, f"WHERE {place} > {first} AND {place} <= {last}")

    def _unnest(self, table: _Table, step: Unnest) -> _Table:
        values = _Rows(self, table.scope, table.columns).value(step.items)
        scope = table.scope.after(step)
        item = "k_item(items, place.value)"
        found = {**table.columns, step.name: _element(item, scope.variables[step.name])}
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
            rows = _Rows(self, table.scope, table.columns)
            values = {name: rows.columns_of(Variable(name), grouped=step.distinct) for name in scope.variables}
            columns = {name: _column_names(place, values[name]) for place, name in enumerate(values)}
            queries.append(f"SELECT {_selected(values, columns)} FROM {table.name}")
        return self._add((" UNION " if step.distinct else " UNION ALL ").join(queries), scope, columns)


class _Source:
    """Collect the tables and conditions of a pattern, and the columns of its variables."""

    def __init__(self, compiler: _Compiler, columns: _Columns, text: str) -> None:
        self._compiler = compiler
        self.columns = dict(columns)
        self.text = text

    def add(self, match: Match, links: Sequence[RelationshipPattern], scope: Scope) -> list[str]:
        """Add a pattern, whose relationships `links` have directions, and return its conditions."""
        conditions = [f"{self.columns[name][0]} IS NOT NULL" for name in _variables(match) if name in self.columns]
        aliases = []
        for link, original in zip(links, match.relationships, strict=True):
            aliases.append(self._join("triples", "r"))
            conditions += self._relationship(link, aliases[-1])
            if link.source != original.source:
                conditions.append(f"{aliases[-1]}.s <> {aliases[-1]}.o")  # a self-loop matches in one direction only
        conditions += _all_different(aliases, links)
        for node in match.nodes:
            conditions += self._node(node)
        rows = _Rows(self._compiler, scope, self.columns)
        if match.where is not None:
            conditions += self._conditions(match.where, rows)
        return conditions

    def _join(self, table: str, prefix: str) -> str:
        alias = self._compiler.new_name(prefix)
        self.text += f"{', ' if self.text else 'FROM '}{table} AS {alias}"
        return alias

    def _relationship(self, link: RelationshipPattern, alias: str) -> list[str]:
        relations = self._compiler.catalogue.relations
        conditions = []
        if link.types:
            known = [str(relations[name]) for name in link.types if name in relations]
            conditions.append(f"{alias}.r IN ({', '.join(known)})")
        for end, variable in (("s", link.source), ("o", link.target)):
            if variable in self.columns:
                conditions.append(f"{alias}.{end} = {self.columns[variable][0]}")
            else:
                self.columns[variable] = (f"{alias}.{end}",)
        if link.variable:
            self.columns[link.variable] = (f"{alias}.id", f"{alias}.r")
        return conditions

    def _node(self, node: NodePattern) -> list[str]:
        conditions = []
        kinds = self._compiler.catalogue.kinds
        for kind in node.kinds:
            alias = self._join("node_labels", "k")
            conditions.append(f"{alias}.label = {kinds.get(kind, -1)}")
            conditions += self._same(node.variable, f"{alias}.entity")
        if node.ids is not None or node.variable not in self.columns:
            alias = self._join("entities", "e")
            conditions += self._same(node.variable, f"{alias}.id")
            if node.ids is not None:
                # One parameter, because SQLite takes quadratic time to read many of them.
                keys = self._compiler.parameter(json.dumps(node.ids))
                conditions.append(f"{alias}.key IN (SELECT value FROM json_each({keys}))")
        return conditions

    def _same(self, variable: str, column: str) -> list[str]:
        if variable in self.columns:
            return [f"{column} = {self.columns[variable][0]}"]
        self.columns[variable] = (column,)
        return []

    def _conditions(self, where: Expression, rows: "_Rows") -> list[str]:
        """Return the conjuncts; comparisons of a node's property with a constant can use the index."""
        if isinstance(where, And):
            return [condition for one in where.conditions for condition in self._conditions(one, rows)]
        if isinstance(where, Comparison) and (indexed := self._indexed(where, rows)):
            return indexed
        return [rows.condition(where)]

    def _indexed(self, where: Comparison, rows: "_Rows") -> list[str] | None:
        target, constant = where.left, where.right
        if where.ignore_case or where.operator not in {"=", "<", "<=", ">", ">="}:
            return None
        if not isinstance(target, Property) or not isinstance(constant, Constant):
            return None
        stored = encode(constant.value)
        bounds = _BLOB_BOUNDS.get(stored[:1]) if isinstance(stored, bytes) else _BOUNDS.get(type(stored))
        if self._compiler.catalogue.is_entity_name(target.key):
            return None
        if bounds is None or not rows.scope.variables[target.variable].only(ValueType.NODE):
            return None
        alias = self._join("node_properties", "q")
        key = self._compiler.catalogue.keys.get(target.key, -1)
        parameter = self._compiler.parameter
        conditions = [
            f"{alias}.entity = {self.columns[target.variable][0]} AND {alias}.key = {key}",
            f"{alias}.value {where.operator} {parameter(stored)}",
        ]
        low, high = bounds
        if where.operator in {">", ">="}:
            conditions.append(f"{alias}.value < {high}")
        if where.operator in {"<", "<="} and low:
            conditions.append(f"{alias}.value >= {low}")
        return conditions


@dataclass(frozen=True, slots=True)
class _Rows:
    """Compile expressions over the rows of a table."""

    compiler: _Compiler
    scope: Scope
    columns: _Columns

    def columns_of(self, expression: Expression, grouped: bool) -> tuple[str, ...]:
        """Return the columns that hold a value, a node, or a relationship; `grouped` makes equal values identical."""
        match expression:
            case Variable():
                columns = self.columns[expression.name]
            case Call(function=Function.FIRST | Function.LAST):
                columns = _element(self._call(expression), self.scope.types(expression))
            case Call(function=Function.COALESCE) if self._is_element(expression):
                arguments = [self.columns_of(one, grouped) for one in expression.arguments if self._is_element(one)]
                columns = tuple(f"k_coalesce({', '.join(column)})" for column in zip(*arguments, strict=True))
            case _:
                columns = (self.value(expression),)
        if grouped and self.scope.types(expression).may_be(ValueType.LIST):
            return (f"k_grouped({columns[0]})",)
        return columns

    def argument(self, aggregate: Aggregate) -> str:
        """Return the argument of an aggregate; lists hold nodes in their stored form."""
        if aggregate.value is None:
            return "1"
        if aggregate.function is AggregateFunction.COLLECT:
            return self._list_item(aggregate.value, grouped=aggregate.distinct)
        return self.columns_of(aggregate.value, grouped=aggregate.distinct)[0]

    def value(self, expression: Expression) -> str:
        """Compile an expression to its stored value."""
        match expression:
            case Variable():
                return self.columns[expression.name][0]
            case Constant():
                return self.compiler.parameter(encode(expression.value))
            case Property():
                return self._property(expression)
            case RelationshipType():
                relation = self.columns[expression.variable][1]
                return f"(SELECT name FROM relations WHERE id = {relation})"
            case Call(function=Function.FIRST | Function.LAST | Function.COALESCE) if self._is_element(expression):
                return self.columns_of(expression, grouped=False)[0]
            case Call():
                return self._call(expression)
            case Arithmetic():
                return (
                    f"{_FUNCTIONS[expression.operator]}({self.value(expression.left)}, {self.value(expression.right)})"
                )
            case ListOf():
                return f"k_list({', '.join(self._list_item(item, grouped=False) for item in expression.items)})"
            case CountMatches():
                counts = " UNION ALL ".join(self._matches(expression.match, "count(*) AS n"))
                return f"(SELECT sum(n) FROM ({counts}))"
        return f"CASE {self.condition(expression)} WHEN 1 THEN {_blob(TRUE)} WHEN 0 THEN {_blob(FALSE)} END"

    def condition(self, expression: Expression) -> str:
        """Compile an expression to 1, 0, or NULL."""
        match expression:
            case Comparison():
                return self._comparison(expression)
            case IsMissing():
                return f"({self.value(expression.value)} IS NULL)"
            case Not():
                return f"(NOT {self.condition(expression.condition)})"
            case And():
                return f"({' AND '.join(map(self.condition, expression.conditions))})"
            case Or():
                return f"({' OR '.join(map(self.condition, expression.conditions))})"
            case HasKind():
                return self._has_kind(expression)
            case Exists():
                return f"({' OR '.join(f'EXISTS ({query})' for query in self._matches(expression.match, '1'))})"
        return f"CASE {self.value(expression)} WHEN {_blob(TRUE)} THEN 1 WHEN {_blob(FALSE)} THEN 0 END"

    def _is_element(self, expression: Expression) -> bool:
        types = self.scope.types(expression)
        return bool(types.names) and types.only(*ELEMENTS)

    def _list_item(self, expression: Expression, grouped: bool) -> str:
        """Compile an item of a list, in which nodes and relationships have a stored form."""
        columns = ", ".join(self.columns_of(expression, grouped))
        types = self.scope.types(expression)
        if types.names and types.only(ValueType.NODE):
            return f"k_node({columns})"
        return f"k_relationship({columns})" if types.names and types.only(ValueType.RELATIONSHIP) else columns

    def _property(self, expression: Property) -> str:
        element = self.columns[expression.variable][0]
        is_relationship = self.scope.variables[expression.variable].only(ValueType.RELATIONSHIP)
        if self.compiler.catalogue.is_entity_name(expression.key) and not is_relationship:
            return f"(SELECT name FROM entities WHERE id = {element})"
        key = self.compiler.catalogue.keys.get(expression.key, -1)
        table, owner = ("relationship_properties", "triple") if is_relationship else ("node_properties", "entity")
        return f"(SELECT value FROM {table} WHERE {owner} = {element} AND key = {key})"

    def _has_kind(self, expression: HasKind) -> str:
        node, kind = self.columns[expression.variable][0], self.compiler.catalogue.kinds.get(expression.kind, -1)
        exists = f"EXISTS (SELECT 1 FROM node_labels WHERE label = {kind} AND entity = {node})"
        return f"CASE WHEN {node} IS NOT NULL THEN {exists} END"

    def _call(self, call: Call) -> str:
        arguments = ", ".join(map(self.value, call.arguments))
        match call.function:
            case Function.FIRST:
                return f"k_item({arguments}, 0)"
            case Function.LAST:
                return f"k_item({arguments}, -1)"
        return f"k_{call.function}({arguments})"

    def _comparison(self, expression: Comparison) -> str:
        left, right = self.value(expression.left), self.value(expression.right)
        types = self.scope.types(expression.left), self.scope.types(expression.right)
        operator = expression.operator
        if operator == "in":
            left = self._list_item(expression.left, grouped=False)
        if expression.ignore_case:
            left, right = _lower(left, types[0]), _lower(right, types[1])
        if operator in {"=", "!="}:
            if any(one.may_be(ValueType.LIST) for one in types):
                return f"(k_eq({left}, {right}) = {int(operator == '=')})"
            return f"({left} {operator} {right})"
        if operator in {"<", "<=", ">", ">="} and any(all(one.names <= some for one in types) for some in _NATIVE):
            return f"({left} {operator} {right})"
        return f"{_FUNCTIONS[operator]}({left}, {right})"

    def _matches(self, match: Match, selected: str) -> list[str]:
        """Return queries over the matches of a pattern, one per combination of directions."""
        queries = []
        for links in _directions(match.relationships):
            source = _Source(self.compiler, self.columns, "")
            conditions = source.add(match, links, self.scope.within(match))
            queries.append(f"SELECT {selected} {source.text or 'FROM (SELECT 1)'}{_where(conditions)}")
        return queries


def _directions(links: Sequence[RelationshipPattern]) -> Iterator[list[RelationshipPattern]]:
    """Yield the relationships with each combination of directions; those of direction `both` are also turned round."""
    turned = [replace(link, source=link.target, target=link.source) for link in links]
    is_open = [link.direction == "both" and link.source != link.target for link in links]
    choices = [(a, b) if both else (a,) for a, b, both in zip(links, turned, is_open, strict=True)]
    yield from map(list, product(*choices))


def _sort_terms(value: str, types: Types) -> list[str]:
    """Return the SQL values to sort by; nodes and relationships are sorted by row id."""
    if types.names <= ELEMENTS or any(types.names <= some for some in _NATIVE):
        return [value]
    return [f"k_rank({value})", f"k_sort({value})"]


def _order_by(table: _Table) -> str:
    terms = ", ".join(column + suffix for column, suffix in table.sorted_by or ())
    return f" ORDER BY {terms}" if terms else ""


def _element(item: str, types: Types) -> tuple[str, ...]:
    """Return the columns of an item of a list, which may be a node or a relationship."""
    if types.names and types.only(ValueType.RELATIONSHIP):
        return (f"k_row({item})", f"k_relation({item})")
    return (f"k_row({item})",) if types.names and types.only(ValueType.NODE) else (item,)


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
            return f"coalesce({collected}, {_blob(EMPTY_LIST)})"
        case AggregateFunction.SUM:
            name = "sum" if types.names <= NUMBERS else "k_sum"
            return f"coalesce({name}({distinct}{column}), 0)"
        case AggregateFunction.MIN | AggregateFunction.MAX if any(types.names <= some for some in _NATIVE):
            return f"{aggregate.function}({column})"
    return f"{_AGGREGATES[aggregate.function]}({column})"


def _numbers(column: str) -> str:
    return f"CASE WHEN typeof({column}) IN ('integer', 'real') THEN {column} END"


def _lower(value: str, types: Types) -> str:
    return f"k_lower({value})" if types.only(ValueType.STRING) else f"coalesce(k_lower({value}), {value})"


def _all_different(aliases: Sequence[str], links: Sequence[RelationshipPattern]) -> list[str]:
    return [
        f"{aliases[a]}.id <> {aliases[b]}.id"
        for a in range(len(links))
        for b in range(a)
        if not links[a].types or not links[b].types or set(links[a].types) & set(links[b].types)
    ]


def _variables(match: Match) -> Iterator[str]:
    yield from (node.variable for node in match.nodes)
    for link in match.relationships:
        yield from (link.source, link.target)


def _column_names(place: int, columns: Sequence[str]) -> tuple[str, ...]:
    """Name the columns of a variable: `c0`, and `c0r` for the relation of a relationship."""
    return tuple(f"c{place}{'r' * number}" for number in range(len(columns)))


def _selected(values: _Columns, names: _Columns) -> str:
    """Return the select list of the columns of all variables."""
    pairs = (pair for variable in names for pair in zip(values[variable], names[variable], strict=True))
    return ", ".join(f"{value} AS {name}" for value, name in pairs) or "1 AS one"


def _where(conditions: Sequence[str]) -> str:
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""


def _blob(value: bytes) -> str:
    return f"x'{value.hex()}'"
