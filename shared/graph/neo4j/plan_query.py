"""Compile a query plan to one parameterised Cypher query that only reads.

Cypher ends a query with an error where an argument has an unsuitable type, whereas plans continue with a missing value.
The compiler therefore tests types at run time, except where the schema makes them certain.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from shared.plan.algebra import (
    Aggregate,
    AggregateFunction,
    And,
    Arithmetic,
    Call,
    Column,
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
    SortKey,
    Step,
    Union,
    Unnest,
    Variable,
)
from shared.plan.ordering import with_explicit_order
from shared.plan.schema import GraphSchema
from shared.plan.scope import DATES, ELEMENTS, NUMBERS, Scope, Types
from shared.plan.text_functions import DECIMAL_NUMBER, LEADING_DATE, TIME_OF_DAY
from shared.plan.traversal import walk
from shared.plan.values import ValueType

_COMPARATORS = {
    "!=": "<>",
    "contains": "CONTAINS",
    "starts_with": "STARTS WITH",
    "ends_with": "ENDS WITH",
    "in": "IN",
}
_STRING = frozenset((ValueType.STRING,))
_LIST = frozenset((ValueType.LIST,))
_BOOLEAN = frozenset((ValueType.BOOLEAN,))
# By function: the types of the first argument for which it has a result, and the result in Cypher.
_FUNCTIONS: dict[Function, tuple[frozenset[ValueType], str]] = {
    Function.LOWER: (_STRING, "toLower({0})"),
    Function.UPPER: (_STRING, "toUpper({0})"),
    Function.TRIM: (_STRING, "trim({0})"),
    Function.LEFT: (_STRING, "left({0}, {1})"),
    Function.SIZE: (_STRING | _LIST, "size({0})"),
    Function.ABS: (NUMBERS, "abs({0})"),
    Function.ROUND: (NUMBERS, "round({0})"),
    Function.FLOOR: (NUMBERS, "floor({0})"),
    Function.CEIL: (NUMBERS, "ceil({0})"),
    Function.TO_STRING: (_STRING | _BOOLEAN | {ValueType.INTEGER, ValueType.DATE}, "toString({0})"),
    Function.YEAR: (DATES, "{0}.year"),
    Function.MONTH: (DATES, "{0}.month"),
    Function.DAY: (DATES, "{0}.day"),
    Function.FIRST: (_LIST, "head({0})"),
    Function.LAST: (_LIST, "last({0})"),
    Function.TAKE: (_LIST, "{0}[..{1}]"),
}
_TYPE_NAMES = {
    ValueType.INTEGER: ("INTEGER",),
    ValueType.FLOAT: ("FLOAT",),
    ValueType.BOOLEAN: ("BOOLEAN",),
    ValueType.STRING: ("STRING",),
    ValueType.DATE: ("DATE",),
    ValueType.DATETIME: ("LOCAL DATETIME", "ZONED DATETIME"),
    ValueType.LIST: ("LIST<ANY>",),
}


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
        WITH *, toInteger(split(elementId(`m`), ':')[2]) AS s1
        RETURN `m` ORDER BY s1
    """
    compiler = _Compiler(Scope(schema), taken=names_in(plan))
    lines = compiler.plan(with_explicit_order(plan))
    if max_rows is not None:
        lines.append(f"LIMIT {compiler.parameter(max_rows)}")
    return CypherQuery("\n".join(lines), compiler.parameters, tuple(compiler.scope.variables.items()))


@dataclass(slots=True)
class _Compiler:
    scope: Scope
    taken: frozenset[str]
    parameters: dict[str, Any] = field(default_factory=dict)
    # The columns that hold the sort keys of the rows, with ` DESC` or nothing; they are not variables of the plan.
    order: list[tuple[str, str]] = field(default_factory=list)
    _names: int = 0

    def plan(self, plan: Plan) -> list[str]:
        self.order = []
        lines = []
        for step in plan.steps:
            lines += self._step(step)
            if isinstance(step, Match | Unnest | Group | Union) or (isinstance(step, Project) and step.distinct):
                self.order = []
            self.scope = self.scope.after(step)
        return [*lines, f"RETURN {', '.join(map(quote, self.scope.variables))}{self._order_by()}"]

    def _step(self, step: Step) -> list[str]:
        match step:
            case Match():
                return [self._match(step)]
            case Filter():
                return [f"WITH * WHERE {self._condition(step.condition)}"]
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
                bounds = f"SKIP {self.parameter(step.offset)} LIMIT {self.parameter(step.limit)}"
                # Neo4j keeps an order only within one clause.
                return [f"WITH *{self._order_by()} {bounds}"]
            case Unnest():
                return [f"UNWIND {self._guarded(step.items, _LIST, '{0}')} AS {quote(step.name)}"]
            case Union():
                return self._union(step)

    def _union(self, step: Union) -> list[str]:
        before = self.scope
        branches = []
        for plan in step.plans:
            self.scope = before
            branches.append("\n".join(self.plan(plan)))
        self.scope = before
        separator = "\nUNION\n" if step.distinct else "\nUNION ALL\n"
        return [f"CALL () {{\n{separator.join(branches)}\n}}"]

    def _sorted(self, step: Order) -> list[str]:
        """Add a column for each sort key; clauses that depend on the order sort by these columns."""
        terms = self._sort_terms(step)
        self.order = [(self._new_name("s"), suffix) for _, suffix in terms]
        columns = [f"{value} AS {name}" for (value, _), (name, _) in zip(terms, self.order, strict=True)]
        return [f"WITH {', '.join(['*', *columns])}"]

    def _order_by(self) -> str:
        terms = ", ".join(name + suffix for name, suffix in self.order)
        return f" ORDER BY {terms}" if terms else ""

    def _collected(self, keys: Iterable[Column], aggregates: Sequence[str]) -> list[str]:
        return [f"WITH *{self._order_by()}", f"WITH {', '.join([*map(self._column, keys), *aggregates])}"]

    def _slice_per_group(self, step: Slice) -> list[str]:
        """Number the rows, take some of each group, and sort by the number again."""
        names = list(self.scope.variables)
        items = ", ".join(f"c{place}: {quote(name)}" for place, name in enumerate(names))
        keys = ", ".join(f"row.c{names.index(name)} AS k{place}" for place, name in enumerate(step.per))
        first, last = self.parameter(step.offset), self.parameter(step.offset + step.limit)
        restored = [f"one.row.c{place} AS {quote(name)}" for place, name in enumerate(names)]
        order, self.order = self._order_by(), [(self._new_name("s"), "")]
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

    # Patterns

    def _match(self, match: Match) -> str:
        outer, self.scope = self.scope, self.scope.within(match)
        conditions = [self._id_test(node) for node in match.nodes if node.ids is not None]
        if match.where is not None:
            conditions.append(self._condition(match.where))
        self.scope = outer
        patterns = [*map(self._node, match.nodes), *map(self._relationship, match.relationships)]
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        return f"{'OPTIONAL ' if match.optional else ''}MATCH {', '.join(patterns)}{where}"

    def _node(self, node: NodePattern) -> str:
        return f"({quote(node.variable)}{''.join(':' + quote(kind) for kind in node.kinds)})"

    def _relationship(self, link: RelationshipPattern) -> str:
        variable = quote(link.variable) if link.variable else ""
        types = ":" + "|".join(map(quote, link.types)) if link.types else ""
        arrow = "->" if link.direction == "out" else "-"
        return f"({quote(link.source)})-[{variable}{types}]{arrow}({quote(link.target)})"

    def _id_test(self, node: NodePattern) -> str:
        return f"elementId({quote(node.variable)}) IN {self.parameter(list(node.ids or ()))}"

    # Rows

    def _column(self, column: Column) -> str:
        return f"{self._value(column.value)} AS {quote(column.name)}"

    def _aggregate(self, aggregate: Aggregate) -> str:
        if aggregate.value is None:
            return "count(*)"
        distinct = "DISTINCT " if aggregate.distinct else ""
        if aggregate.function not in {AggregateFunction.SUM, AggregateFunction.AVERAGE}:
            return f"{aggregate.function}({distinct}{self._value(aggregate.value)})"
        value = distinct + self._guarded(aggregate.value, NUMBERS, "{0}")
        if aggregate.function is AggregateFunction.SUM:
            return f"sum({value})"
        # avg() adds rounding errors with each row, so that equal averages could differ.
        return f"CASE count({value}) WHEN 0 THEN null ELSE toFloat(sum({value})) / count({value}) END"

    def _sort_terms(self, order: Order) -> list[tuple[str, str]]:
        """Return the sort keys, followed by the whole row, so that the order does not depend on the database."""
        terms: list[tuple[str, str]] = []
        for key in (*order.keys, *(SortKey(Variable(name)) for name in self.scope.variables)):
            value = self._value(key.value)
            types = self.scope.types(key.value)
            if types.names and types.only(*ELEMENTS):
                value = f"toInteger(split(elementId({value}), ':')[2])"
            if key.missing_first != key.descending:  # Cypher sorts missing values as the largest
                terms.append((f"{value} IS NULL", " DESC" if key.missing_first else ""))
            terms.append((value, " DESC" if key.descending else ""))
        return list(dict.fromkeys(terms))

    # Expressions

    def _value(self, value: Expression) -> str:
        """Compile an expression; operators are in parentheses."""
        match value:
            case Variable():
                return quote(value.name)
            case Constant():
                return self.parameter(_parameter_value(value.value))
            case Property():
                return self._property(value)
            case HasKind():
                return f"{quote(value.variable)}:{quote(value.kind)}"
            case RelationshipType():
                return f"type({quote(value.variable)})"
            case Call():
                return self._call(value)
            case Arithmetic():
                return self._arithmetic(value)
            case Comparison():
                return self._comparison(value)
            case IsMissing():
                return f"({self._value(value.value)} IS NULL)"
            case Not():
                return f"(NOT {self._condition(value.condition)})"
            case And():
                return f"({' AND '.join(map(self._condition, value.conditions))})"
            case Or():
                return f"({' OR '.join(map(self._condition, value.conditions))})"
            case ListOf():
                return self._list(value)
            case Exists():
                return f"EXISTS {{ {self._match(value.match)} }}"
            case CountMatches():
                return f"COUNT {{ {self._match(value.match)} }}"

    def _condition(self, value: Expression) -> str:
        """Compile an expression to true, false, or null, whatever its type."""
        return self._guarded(value, _BOOLEAN, "{0}")

    def _guarded(self, value: Expression, accepted: frozenset[ValueType], result: str) -> str:
        """Compile to `result`, in which `{0}` stands for the value, or to null if the value has another type."""
        text, types = self._value(value), self.scope.types(value)
        if not types.names & accepted:
            return "null"
        if types.names <= accepted:
            return result.format(text)
        return self._let(text, lambda name: f"CASE WHEN {_is_one_of(name, accepted)} THEN {result.format(name)} END")

    def _let(self, value: str, result: Callable[[str], str]) -> str:
        """Evaluate an expression once, and use its value several times."""
        name = self._new_name()
        return f"head([{name} IN [{value}] | {result(name)}])"

    def _new_name(self, prefix: str = "v") -> str:
        """Return a name that the plan does not use."""
        while True:
            self._names += 1
            if (name := f"{prefix}{self._names}") not in self.taken:
                return name

    def _property(self, value: Property) -> str:
        types = self.scope.types(value)
        if not types.names:
            return "null"  # the schema does not have the property, or it is hidden
        text = self._unhidden(value, f"{quote(value.variable)}.{quote(value.key)}")
        if not types.may_be(ValueType.DATETIME):
            return text
        utc = "localdatetime({{datetime: datetime({{datetime: {0}, timezone: 'UTC'}})}})"
        return self._let(
            text, lambda name: f"CASE WHEN {name} IS :: ZONED DATETIME NOT NULL THEN {utc.format(name)} ELSE {name} END"
        )

    def _unhidden(self, value: Property, text: str) -> str:
        """Read a property only if its owner has none of the labels, or not the type, for which it is hidden."""
        hidden = self.scope.schema.hidden if self.scope.schema else frozenset()
        owners = sorted(owner for owner, key in hidden if key == value.key)
        if not owners:
            return text
        variable = quote(value.variable)
        if self.scope.variables[value.variable].only(ValueType.RELATIONSHIP):
            tests = [f"type({variable}) = {self.parameter(owner)}" for owner in owners]
        else:
            tests = [f"{variable}:{quote(owner)}" for owner in owners]
        return f"CASE WHEN NOT ({' OR '.join(tests)}) THEN {text} END"

    def _call(self, call: Call) -> str:
        first, *others = call.arguments
        match call.function:
            case Function.COALESCE:
                return f"coalesce({', '.join(map(self._value, call.arguments))})"
            case Function.LEFT | Function.TAKE:
                accepted, result = _FUNCTIONS[call.function]
                number = self._guarded(
                    others[0], frozenset((ValueType.INTEGER,)), "CASE WHEN {0} < 0 THEN 0 ELSE {0} END"
                )
                return self._guarded(
                    first, accepted, result.replace("{1}", number.replace("{", "{{").replace("}", "}}"))
                )
            case Function.TO_INTEGER:
                return self._converted(first, NUMBERS | _BOOLEAN, "toIntegerOrNull({0})", DECIMAL_NUMBER)
            case Function.TO_FLOAT:
                return self._converted(first, NUMBERS, "toFloatOrNull({0})", DECIMAL_NUMBER)
            case Function.TO_DATE:
                return self._converted(first, DATES, "date({0})", f"{LEADING_DATE}(?s:.*)", "date(left({0}, 10))")
            case Function.TO_DATETIME:
                pattern, of_text = (
                    f"{LEADING_DATE}{TIME_OF_DAY}(?s:.*)",
                    "localdatetime(replace(left({0}, 19), ' ', 'T'))",
                )
                return self._converted(first, frozenset((ValueType.DATETIME,)), "{0}", pattern, of_text)
        accepted, result = _FUNCTIONS[call.function]
        return self._guarded(first, accepted, result)

    def _converted(
        self, value: Expression, accepted: frozenset[ValueType], result: str, pattern: str, of_text: str = ""
    ) -> str:
        """Convert a value of an accepted type, or a string that matches a pattern."""
        types = self.scope.types(value)
        if not types.names & (accepted | _STRING):
            return "null"
        if types.names <= accepted:
            return result.format(self._value(value))
        expression = self.parameter(pattern)

        def convert(name: str) -> str:
            text = (
                f"WHEN {_is_one_of(name, _STRING)} AND {name} =~ {expression} THEN {(of_text or result).format(name)}"
            )
            converted = f"WHEN {_is_one_of(name, accepted)} THEN {result.format(name)}"
            # Neo4j rejects a conversion of a type that it infers, even where it never runs.
            branches = [converted] * types.may_be(*accepted) + [text] * types.may_be(ValueType.STRING)
            return f"CASE {' '.join(branches)} END"

        return self._let(self._value(value), convert)

    def _list(self, value: ListOf) -> str:
        items = f"[{', '.join(map(self._value, value.items))}]"
        name = self._new_name()
        return f"[{name} IN {items} WHERE {name} IS NOT NULL]"

    def _arithmetic(self, value: Arithmetic) -> str:
        left, right = self.scope.types(value.left), self.scope.types(value.right)
        if value.operator == "+" and left.may_be(ValueType.STRING) and right.may_be(ValueType.STRING):
            return self._let(
                self._value(value.left), lambda a: self._let(self._value(value.right), lambda b: _sum(a, b))
            )
        a, b = (self._guarded(side, NUMBERS, "{0}") for side in (value.left, value.right))
        if "null" in (a, b):
            return "null"
        if value.operator in "/%":
            return self._let(b, lambda b: f"CASE WHEN {b} <> 0 THEN {a} {value.operator} {b} END")
        return f"({a} {value.operator} {b})"

    def _comparison(self, value: Comparison) -> str:
        left, right = self._value(value.left), self._value(value.right)
        types = [self.scope.types(side) for side in (value.left, value.right)]
        if value.ignore_case:
            left, right = (self._lower(text, one) for text, one in zip((left, right), types, strict=True))
        operator = _COMPARATORS.get(value.operator, value.operator)
        if value.operator == "in":
            return f"({left} IN {self._guarded(value.right, _LIST, '{0}')})"
        if value.operator in {"<", "<=", ">", ">="} and all(one.may_be(ValueType.LIST) for one in types):
            right = self._let(right, lambda name: f"CASE WHEN NOT {_is_one_of(name, _LIST)} THEN {name} END")
        return f"({left} {operator} {right})"

    def _lower(self, text: str, types: Types) -> str:
        if types.only(ValueType.STRING):
            return f"toLower({text})"
        if not types.may_be(ValueType.STRING):
            return text
        return self._let(
            text, lambda name: f"CASE WHEN {_is_one_of(name, _STRING)} THEN toLower({name}) ELSE {name} END"
        )

    def parameter(self, value: Any) -> str:
        name = f"p{len(self.parameters)}"
        self.parameters[name] = value
        return f"${name}"


def names_in(plan: Plan) -> frozenset[str]:
    """Return the names of all variables and columns of a plan."""
    parts = list(walk(plan))
    named = (part.name for part in parts if isinstance(part, Column | Aggregate | Unnest | Variable))
    matched = (part.variable for part in parts if isinstance(part, NodePattern | RelationshipPattern))
    return frozenset(name for name in chain(named, matched) if name)


def quote(name: str) -> str:
    """Quote an identifier. Neo4j decodes Unicode escapes before it parses, so backslashes are escaped as well."""
    return "`" + name.replace("\\", "\\u005C").replace("`", "``") + "`"


def _is_one_of(name: str, types: Iterable[ValueType]) -> str:
    """Return a test of a value's type; false for null."""
    names = [known for type_ in sorted(types) for known in _TYPE_NAMES[type_]]
    return f"({' OR '.join(f'{name} IS :: {known} NOT NULL' for known in names)})"


def _sum(left: str, right: str) -> str:
    both = (f"({_is_one_of(left, some)} AND {_is_one_of(right, some)})" for some in (NUMBERS, _STRING))
    return f"CASE WHEN {' OR '.join(both)} THEN {left} + {right} END"


def _parameter_value(value: Any) -> Any:
    return list(map(_parameter_value, value)) if isinstance(value, tuple) else value
