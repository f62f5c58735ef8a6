"""Compile patterns and expressions of query plans to parts of Cypher queries; `plan_query.py` puts them together.

Cypher ends a query with an error where an argument has an unsuitable type, whereas plans continue with a missing value.
The compiler therefore tests types at run time, except where the schema makes them certain.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from graph.neo4j.copies import PLACE
from graph.neo4j.cypher_text import quote
from graph.neo4j.durations import STORED_DURATION
from graph.neo4j.list_limits import LIMIT_PARAMETERS, limited
from graph.neo4j.plan_calls import compiled_call
from graph.neo4j.points import part_of_point, point_key
from graph.neo4j.temporal import UTC
from graph.neo4j.type_tests import BOOLEANS, LISTS, STRINGS, is_one_of
from graph.plan.algebra import (
    And,
    Arithmetic,
    Call,
    Case,
    CollectMatches,
    Comparison,
    Comprehension,
    Constant,
    CountMatches,
    Exists,
    Expression,
    FieldOf,
    HasKind,
    IsMissing,
    ListOf,
    Loop,
    MapOf,
    Match,
    NodePattern,
    Not,
    Or,
    Property,
    Quantifier,
    RelationshipType,
    Variable,
)
from graph.plan.linear_patterns import linear_pattern
from graph.plan.scope import ELEMENTS, NUMBERS, Scope, Types, declared_properties
from graph.plan.traversal import walk
from graph.plan.values import ValueType

_COMPARATORS = {
    "!=": "<>",
    "contains": "CONTAINS",
    "starts_with": "STARTS WITH",
    "ends_with": "ENDS WITH",
    "in": "IN",
}


@dataclass(slots=True)
class ExpressionCompiler:
    """Compile the expressions of one query, and collect their parameters.

    `scope` holds the variables of the current row; `taken` holds the names that the plan uses.
    """

    scope: Scope
    taken: frozenset[str]
    parameters: dict[str, Any] = field(default_factory=dict)
    _lists: list[str] = field(default_factory=list)
    _names: int = 0

    @contextmanager
    def _in_scope(self, scope: Scope) -> Iterator[None]:
        """Compile with other variables within the block."""
        outer, self.scope = self.scope, scope
        try:
            yield
        finally:
            self.scope = outer

    # Patterns

    def match(self, match: Match) -> str:
        """Compile a pattern to a MATCH clause."""
        conditions = [self._id_test(node) for node in match.nodes if node.ids is not None]
        if match.where is not None:
            with self._in_scope(self.scope.within(match)):
                conditions.append(self.condition(match.where))
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        return f"{'OPTIONAL ' if match.optional else ''}MATCH {', '.join(_patterns(match))}{where}"

    def _id_test(self, node: NodePattern) -> str:
        return f"elementId({quote(node.variable)}) IN {self.parameter(list(node.ids or ()))}"

    def condition_in(self, scope: Scope, condition: Expression) -> str:
        """Compile a condition over other variables than those of the row."""
        with self._in_scope(scope):
            return self.condition(condition)

    # Expressions

    def value(self, value: Expression) -> str:
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
                return compiled_call(value, self)
            case Arithmetic():
                return self._arithmetic(value)
            case Comparison():
                return self._comparison(value)
            case IsMissing():
                return f"({self.value(value.value)} IS NULL)"
            case Not():
                return f"(NOT {self.condition(value.condition)})"
            case And():
                return f"({' AND '.join(map(self.condition, value.conditions))})"
            case Or():
                return f"({' OR '.join(map(self.condition, value.conditions))})"
            case Case():
                return self._case(value)
            case ListOf():
                return self._list(value)
            case MapOf():
                return f"{{{', '.join(f'{quote(one.name)}: {self.value(one.value)}' for one in value.fields)}}}"
            case FieldOf():
                return f"{self.value(value.map)}.{quote(value.key)}"
            case Comprehension() | Quantifier():
                return self._loop(value)
            case Exists():
                return f"EXISTS {{ {self.match(value.match)} }}"
            case CollectMatches():
                return self._collected(value)
            case CountMatches():
                return f"COUNT {{ {self.match(value.match)} }}"

    def condition(self, value: Expression) -> str:
        """Compile an expression to true, false, or null, whatever its type."""
        return self.guarded(value, BOOLEANS, "{0}")

    def guarded(self, value: Expression, accepted: frozenset[ValueType], result: str) -> str:
        """Compile to `result`, in which `{0}` stands for the value, or to null if the value has another type."""
        text, types = self.value(value), self.scope.types(value)
        if not types.names & accepted:
            return "null"
        if types.names <= accepted:
            return result.format(text)
        return self.let(text, lambda name: f"CASE WHEN {is_one_of(name, accepted)} THEN {result.format(name)} END")

    def let(self, value: str, result: Callable[[str], str]) -> str:
        """Evaluate an expression once, and use its value several times."""
        name = self.new_name()
        return f"head([{name} IN [{value}] | {result(name)}])"

    def new_name(self, prefix: str = "v") -> str:
        """Return a name that the plan does not use."""
        while True:
            self._names += 1
            if (name := f"{prefix}{self._names}") not in self.taken:
                return name

    def _property(self, value: Property) -> str:
        types = self.scope.types(value)
        if not types.names:
            return "null"  # the schema does not have the property, or it is hidden
        text = self._unhidden(value, self._stored(value))
        if any(one.holds_durations for one in declared_properties(self.scope, value)):
            text = self.let(text, STORED_DURATION.format)
        if not types.may_be(ValueType.DATETIME):
            return text
        return self.let(
            text, lambda name: f"CASE WHEN {name} IS :: ZONED DATETIME NOT NULL THEN {UTC.format(name)} ELSE {name} END"
        )

    def _stored(self, value: Property) -> str:
        variable = quote(value.variable)
        text = f"{variable}.{quote(value.key)}"
        if (point := point_key(value.key)) is None:
            return text
        owner, part = point
        whole = replace(value, key=owner)
        return self._unhidden(whole, part_of_point(f"{variable}.{quote(owner)}", part, text))

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

    def _case(self, value: Case) -> str:
        branches = (f"WHEN {self.condition(one.condition)} THEN {self.value(one.value)}" for one in value.branches)
        otherwise = self.value(value.otherwise) if value.otherwise is not None else "null"
        return f"CASE {' '.join(branches)} ELSE {otherwise} END"

    def _list(self, value: ListOf) -> str:
        return f"[{', '.join(map(self.value, value.items))}]"

    def _loop(self, loop: Loop) -> str:
        """Compile a loop; the lists of loops within each other are bound to names, since their sizes are limited."""
        if (items := self.guarded(loop.items, LISTS, "{0}")) == "null":
            return "null"
        inner = (loop.condition, loop.value if isinstance(loop, Comprehension) else None)
        if not self._lists and not any(isinstance(part, Loop) for part in walk(inner)):
            return self._over(loop, items)
        self.parameters |= LIMIT_PARAMETERS
        self._lists.append(self.new_name())
        text = f"head([{self._lists[-1]} IN [{items}] | {self._over(loop, limited(self._lists))}])"
        self._lists.pop()
        return text

    def _over(self, loop: Loop, items: str) -> str:
        with self._in_scope(self.scope.inside(loop)):
            if isinstance(loop, Quantifier):
                condition = self.condition(loop.condition)
                return f"{loop.quantifier}({quote(loop.name)} IN {items} WHERE {condition})"
            where = f" WHERE {self.condition(loop.condition)}" if loop.condition is not None else ""
            value = f" | {self.value(loop.value)}" if loop.value is not None else ""
        return f"[{quote(loop.name)} IN {items}{where}{value}]"

    def _collected(self, part: CollectMatches) -> str:
        match, name = self.match(part.match), self.new_name()
        with self._in_scope(self.scope.within(part.match)):
            value, types = self.value(part.value), self.scope.types(part.value)
        key = place_of(name) if types.names and types.only(*ELEMENTS) else name
        return f"COLLECT {{ {match} WITH {value} AS {name} RETURN {name} ORDER BY {key} }}"

    def _arithmetic(self, value: Arithmetic) -> str:
        left, right = self.scope.types(value.left), self.scope.types(value.right)
        if value.operator == "+" and left.may_be(ValueType.STRING) and right.may_be(ValueType.STRING):
            return self.let(self.value(value.left), lambda a: self.let(self.value(value.right), lambda b: _sum(a, b)))
        a, b = (self.guarded(side, NUMBERS, "{0}") for side in (value.left, value.right))
        if "null" in (a, b):
            return "null"
        if value.operator in "/%":
            return self.let(b, lambda b: f"CASE WHEN {b} <> 0 THEN {a} {value.operator} {b} END")
        return f"({a} {value.operator} {b})"

    def _comparison(self, value: Comparison) -> str:
        if isinstance(value.right, Constant) and value.operator == "matches":
            pattern = self.parameter(linear_pattern(value.right.value).text)
            return self.guarded(value.left, STRINGS, f"({{0}} =~ {pattern})")
        left, right = self.value(value.left), self.value(value.right)
        types = [self.scope.types(side) for side in (value.left, value.right)]
        # Neo4j compares a bare count only with numbers, and rejects the query otherwise.
        if isinstance(value.left, CountMatches):
            left = f"(0 + {left})" if not _are_numbers(types[1]) else left
        if isinstance(value.right, CountMatches):
            right = f"(0 + {right})" if not _are_numbers(types[0]) else right
        if value.ignore_case:
            left, right = (self._lower(text, one) for text, one in zip((left, right), types, strict=True))
        operator = _COMPARATORS.get(value.operator, value.operator)
        if value.operator == "in":
            return f"({left} IN {self.guarded(value.right, LISTS, '{0}')})"
        if value.operator in {"<", "<=", ">", ">="} and all(one.may_be(ValueType.LIST) for one in types):
            right = self.let(right, lambda name: f"CASE WHEN NOT {is_one_of(name, LISTS)} THEN {name} END")
        return f"({left} {operator} {right})"

    def _lower(self, text: str, types: Types) -> str:
        if types.only(ValueType.STRING):
            return f"toLower({text})"
        if not types.may_be(ValueType.STRING):
            return text
        return self.let(text, lambda name: f"CASE WHEN {is_one_of(name, STRINGS)} THEN toLower({name}) ELSE {name} END")

    def parameter(self, value: Any) -> str:
        """Add a parameter, and return its placeholder."""
        name = f"p{len(self.parameters)}"
        self.parameters[name] = value
        return f"${name}"


def _patterns(match: Match) -> Iterator[str]:
    """Yield the relationships of a pattern, each with its nodes, and the nodes without a relationship.

    A node has its kinds where it occurs first.
    """
    unseen = {node.variable: node for node in match.nodes}

    def node(variable: str) -> str:
        kinds = unseen.pop(variable).kinds if variable in unseen else ()
        return f"({quote(variable)}{''.join(':' + quote(kind) for kind in kinds)})"

    for link in match.relationships:
        variable = quote(link.variable) if link.variable else ""
        types = ":" + "|".join(map(quote, link.types)) if link.types else ""
        yield f"{node(link.source)}-[{variable}{types}]{'->' if link.direction == 'out' else '-'}{node(link.target)}"
    yield from map(node, list(unseen))


def place_of(element: str) -> str:
    """Return the position of a node or relationship in the graph, by which plans sort."""
    return f"coalesce({element}.{PLACE}, toInteger(split(elementId({element}), ':')[2]))"


def _are_numbers(types: Types) -> bool:
    return types.only(ValueType.INTEGER, ValueType.FLOAT)


def _sum(left: str, right: str) -> str:
    both = (f"({is_one_of(left, some)} AND {is_one_of(right, some)})" for some in (NUMBERS, STRINGS))
    return f"CASE WHEN {' OR '.join(both)} THEN {left} + {right} END"


def _parameter_value(value: Any) -> Any:
    return list(map(_parameter_value, value)) if isinstance(value, tuple) else value
