"""Translate Cypher expressions and patterns to the plan algebra."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from lark import Token, Tree

from question_sets.cypher.labels import kinds_and_test, label_test, name_of
from question_sets.cypher.temporal import temporal_call, temporal_part
from question_sets.cypher.unsupported import UnsupportedCypherError
from shared.errors import InvalidInputError
from shared.plan.algebra import (
    AggregateFunction,
    And,
    Arithmetic,
    Call,
    Comparison,
    Constant,
    CountMatches,
    Exists,
    Expression,
    Function,
    IsMissing,
    ListOf,
    Match,
    NodePattern,
    Not,
    Or,
    Property,
    RelationshipPattern,
    RelationshipType,
    Variable,
)
from shared.text import shown

_AGGREGATES = {
    "count": AggregateFunction.COUNT,
    "sum": AggregateFunction.SUM,
    "avg": AggregateFunction.AVERAGE,
    "min": AggregateFunction.MIN,
    "max": AggregateFunction.MAX,
    "collect": AggregateFunction.COLLECT,
}
_FUNCTIONS = {
    "tolower": Function.LOWER,
    "toupper": Function.UPPER,
    "trim": Function.TRIM,
    "left": Function.LEFT,
    "size": Function.SIZE,
    "abs": Function.ABS,
    "round": Function.ROUND,
    "floor": Function.FLOOR,
    "ceil": Function.CEIL,
    "tointeger": Function.TO_INTEGER,
    "tofloat": Function.TO_FLOAT,
    "tostring": Function.TO_STRING,
    "coalesce": Function.COALESCE,
    "head": Function.FIRST,
    "last": Function.LAST,
}
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_ESCAPED = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", "'": "'", '"': '"', "`": "`", "\\": "\\"}
_MAX_DIGITS = 19
_TEXT_TESTS = {"starts_with": "starts_with", "ends_with": "ends_with", "contains": "contains", "in": "in"}
# `.*word.*` and `(?i)word` are text tests in disguise; other regular expressions are not supported.
_SIMPLE_REGEX = re.compile(r"(\(\?i\))?(\.\*)?([^\\.*+?()\[\]{}|^$]*)(\.\*)?")
_REGEX_TESTS: dict[tuple[bool, bool], str] = {
    (True, True): "contains",
    (True, False): "ends_with",
    (False, True): "starts_with",
    (False, False): "=",
}


@dataclass(frozen=True, slots=True)
class AggregateCall:
    """Stand for an aggregate function inside an expression until the clause is turned into a `Group`."""

    function: AggregateFunction
    value: Expression | None
    distinct: bool


class ExpressionReader:
    """Read the expressions and patterns of one query; anonymous nodes and relationships get names of their own."""

    def __init__(self, text: str) -> None:
        """Start with the text of the query, which new names must not contain."""
        self._text = text
        self._numbers = count(1)

    def new_name(self, prefix: str) -> str:
        """Return a variable that the query does not contain."""
        names = (f"_{prefix}{number}" for number in self._numbers)
        return next(name for name in names if name not in self._text)

    def match(self, patterns: Sequence[Tree[Token]], where: Tree[Token] | None, optional: bool = False) -> Match:
        """Read the patterns and the condition of a MATCH clause or a subquery."""
        nodes: dict[str, NodePattern] = {}
        relationships: list[RelationshipPattern] = []
        conditions: list[Expression] = []
        for pattern in patterns:
            if pattern.children[0] is not None:
                raise UnsupportedCypherError("path variables are not supported")
            self._pattern(pattern.children[2:], nodes, relationships, conditions)
        if where is not None:
            conditions.append(self.expression(where.children[0]))
        return Match(tuple(nodes.values()), tuple(relationships), conjunction(conditions), optional)

    def expression(self, tree: Any) -> Any:
        """Read an expression; it may contain an `AggregateCall`."""
        reader: Callable[[list[Any]], Any] | None = getattr(self, f"_{tree.data}", None)
        if tree.data in _TEXT_TESTS:
            left, right = map(self.expression, tree.children)
            return Comparison(_TEXT_TESTS[tree.data], left, right)  # type: ignore[arg-type]
        if reader is None:
            raise UnsupportedCypherError(f"{tree.data.replace('_', ' ')} expressions are not supported")
        return reader(tree.children)

    # Patterns

    def _pattern(
        self,
        parts: Sequence[Any],
        nodes: dict[str, NodePattern],
        relationships: list[RelationshipPattern],
        conditions: list[Expression],
    ) -> None:
        left = self._node(parts[0], nodes, conditions)
        for link, node in zip(parts[1::2], parts[2::2], strict=True):
            right = self._node(node, nodes, conditions)
            relationships.append(self._relationship(link, left, right, conditions))
            left = right

    def _node(self, tree: Any, nodes: dict[str, NodePattern], conditions: list[Expression]) -> str:
        name, labels, properties, where = tree.children
        variable = name_of(name) if name is not None else self.new_name("node")
        kinds: list[str] = list(nodes[variable].kinds) if variable in nodes else []
        if labels is not None:
            more, test = kinds_and_test(variable, labels)
            kinds += more
            conditions += [test] if test is not None else []
        nodes[variable] = NodePattern(variable, tuple(dict.fromkeys(kinds)))
        conditions += self._equalities(variable, properties)
        if where is not None:
            conditions.append(self.expression(where.children[0]))
        return variable

    def _relationship(self, tree: Any, left: str, right: str, conditions: list[Expression]) -> RelationshipPattern:
        if tree.data == "bare_relationship":
            opening, name, types, hops, properties, closing = str(tree.children[0]), None, None, None, None, ""
            is_left, is_right = opening.startswith("<"), opening.endswith(">")
        else:
            opening, name, types, hops, properties, closing = tree.children
            is_left, is_right = opening.startswith("<"), closing.endswith(">")
        if hops is not None:
            raise UnsupportedCypherError("relationships of variable length are not supported")
        variable = name_of(name) if name is not None else None
        if properties is not None and properties.children[0] is not None:
            variable = variable or self.new_name("relationship")
            conditions += self._equalities(variable, properties)
        source, target = (right, left) if is_left and not is_right else (left, right)
        names = tuple(name_of(one) for one in types.children if one is not None) if types is not None else ()
        return RelationshipPattern(source, target, names, "out" if is_left != is_right else "both", variable)

    def _equalities(self, variable: str, properties: Any) -> list[Expression]:
        entries = [entry for entry in properties.children if entry is not None] if properties is not None else []
        return [
            Comparison("=", Property(variable, name_of(key), as_stored=True), self.expression(value))
            for key, value in (entry.children for entry in entries)
        ]

    def _predicate(self, first: Any, rest: Sequence[Any]) -> Exists:
        nodes: dict[str, NodePattern] = {}
        relationships: list[RelationshipPattern] = []
        conditions: list[Expression] = []
        self._pattern([first, *rest], nodes, relationships, conditions)
        return Exists(Match(tuple(nodes.values()), tuple(relationships), conjunction(conditions)))

    def _pattern_predicate(self, children: list[Any]) -> Exists:
        return self._predicate(_as_node(children[0], None), children[1:])

    def _named_predicate(self, children: list[Any]) -> Exists:
        return self._predicate(_as_node(*children[:2]), children[2:])

    def _anonymous_predicate(self, children: list[Any]) -> Exists:
        return self._predicate(Tree("node", [None, *children[:2], None]), children[2:])

    def _subquery(self, children: list[Any]) -> Expression:
        keyword, *patterns, where, returned = children
        kind = str(keyword).rstrip("{ \n\t").lower()
        if kind == "collect" or returned is not None:
            raise UnsupportedCypherError(f"{kind} subqueries with RETURN are not supported")
        match = self.match([pattern for pattern in patterns if pattern is not None], where)
        return Exists(match) if kind == "exists" else CountMatches(match)

    # Values and operators

    def _variable(self, children: list[Any]) -> Variable:
        return Variable(name_of(children[0]))

    def _integer(self, children: list[Any]) -> Constant:
        digits = str(children[0])
        if len(digits.lstrip("0")) > _MAX_DIGITS:
            raise InvalidInputError(f"the integer {digits[:_MAX_DIGITS]}... needs more than 64 bits; use a smaller one")
        return Constant(int(digits))

    def _float(self, children: list[Any]) -> Constant:
        return Constant(float(children[0]))

    def _string(self, children: list[Any]) -> Constant:
        return Constant(_unquoted(children[0]))

    def _true(self, _: list[Any]) -> Constant:
        return Constant(True)

    def _false(self, _: list[Any]) -> Constant:
        return Constant(False)

    def _null(self, _: list[Any]) -> Constant:
        return Constant(None)

    def _property(self, children: list[Any]) -> Expression:
        owner, key = self.expression(children[0]), name_of(children[1])
        if isinstance(owner, Variable):
            return Property(owner.name, key, as_stored=True)
        if (part := temporal_part(owner, key)) is not None:
            return part
        raise UnsupportedCypherError(f"property {key} of an expression is not supported")

    def _has_label(self, children: list[Any]) -> Expression:
        owner = self.expression(children[0])
        if not isinstance(owner, Variable):
            raise UnsupportedCypherError("labels of an expression are not supported")
        return label_test(owner.name, children[1])

    def _list(self, children: list[Any]) -> Expression:
        items = tuple(self.expression(child) for child in children if child is not None)
        if all(isinstance(item, Constant) for item in items):
            return Constant(tuple(item.value for item in items))
        return ListOf(items)

    def _disjunction(self, children: list[Any]) -> Expression:
        return Or(tuple(map(self.expression, children)))

    def _exclusive(self, children: list[Any]) -> Expression:
        value = self.expression(children[0])
        for one in map(self.expression, children[2::2]):
            value = Or((And((value, Not(one))), And((Not(value), one))))
        return value  # type: ignore[no-any-return]

    def _conjunction(self, children: list[Any]) -> Expression:
        return And(tuple(map(self.expression, children)))

    def _negation(self, children: list[Any]) -> Expression:
        return Not(self.expression(children[0]))

    def _is_null(self, children: list[Any]) -> Expression:
        return IsMissing(self.expression(children[0]))

    def _is_not_null(self, children: list[Any]) -> Expression:
        return Not(IsMissing(self.expression(children[0])))

    def _comparison(self, children: list[Any]) -> Expression:
        values = [self.expression(child) for child in children[::2]]
        links = zip(children[1::2], values, values[1:], strict=False)
        return conjunction([_compared(str(operator), left, right) for operator, left, right in links])  # type: ignore[return-value]

    def _arithmetic(self, children: list[Any]) -> Expression:
        value = self.expression(children[0])
        for operator, operand in zip(children[1::2], children[2::2], strict=True):
            value = Arithmetic(str(operator), value, self.expression(operand))  # type: ignore[arg-type]
        return value  # type: ignore[no-any-return]

    def _signed(self, children: list[Any]) -> Expression:
        sign, value = str(children[0]), self.expression(children[1])
        if sign == "+":
            return value  # type: ignore[no-any-return]
        if isinstance(value, Constant) and type(value.value) in (int, float):
            return Constant(-value.value)
        return Arithmetic("-", Constant(0), value)

    def _item_of(self, children: list[Any]) -> Expression:
        items, index = map(self.expression, children)
        if _is_integer(index, 0):
            return Call(Function.FIRST, (items,))
        if _is_integer(index, -1):
            return Call(Function.LAST, (items,))
        raise UnsupportedCypherError("only the first and the last item of a list are supported")

    def _slice(self, children: list[Any]) -> Expression:
        items = self.expression(children[0])
        first, last = (self.expression(child) if child is not None else None for child in children[1:])
        if (first is None or _is_integer(first, 0)) and isinstance(last, Constant):
            return Call(Function.TAKE, (items, last))
        raise UnsupportedCypherError("only slices from the first item of a list are supported")

    # Functions

    def _count_rows(self, children: list[Any]) -> AggregateCall:
        if name_of(children[0]).lower() != "count":
            raise UnsupportedCypherError(f"function {name_of(children[0])}(*) is not supported")
        return AggregateCall(AggregateFunction.COUNT, None, False)

    def _qualified_call(self, children: list[Any]) -> Expression:
        owner, name, *arguments = children
        if owner.data == "variable":
            qualified = f"{name_of(owner.children[0])}.{name_of(name)}".lower()
            trees = [child for child in arguments if child is not None]
            if (temporal := temporal_call(qualified, trees, self.expression)) is not None:
                return temporal
        raise UnsupportedCypherError(f"function .{name_of(name)}() with {len(arguments)} arguments is not supported")

    def _call(self, children: list[Any]) -> Any:
        name, distinct = name_of(children[0]).lower(), children[1] is not None
        trees = [child for child in children[2:] if child is not None]
        if (temporal := temporal_call(name, trees, self.expression)) is not None:
            return temporal
        arguments = [self.expression(child) for child in children[2:] if child is not None]
        match name, arguments:
            case _ if name in _AGGREGATES and len(arguments) == 1:
                return AggregateCall(_AGGREGATES[name], arguments[0], distinct)
            case "size", [Exists(match=match)]:
                return CountMatches(match)
            case "exists", [Exists() as condition]:
                return condition
            case "exists", [value]:
                return Not(IsMissing(value))
            case "type", [Variable(name=variable)]:
                return RelationshipType(variable)
            case "substring", [text, start, length] if _is_integer(start, 0):
                return Call(Function.LEFT, (text, length))
            case _ if name in _FUNCTIONS and arguments:
                return Call(_FUNCTIONS[name], tuple(arguments))
        raise UnsupportedCypherError(f"function {name}() with {len(arguments)} arguments is not supported")


def conjunction(conditions: Sequence[Expression]) -> Expression | None:
    """Combine conditions with `And`; None if there are none."""
    if len(conditions) > 1:
        return And(tuple(conditions))
    return conditions[0] if conditions else None


def _as_node(start: Tree[Token], properties: Any) -> Tree[Any]:
    """Return the node at the start of a pattern that was read as an expression: `p`, `p:Person`, or a name."""
    labels = None
    if start.data == "has_label":
        start, labels = start.children  # type: ignore[assignment]
    if start.data not in ("variable", "name"):
        raise UnsupportedCypherError("a pattern must start at a node")
    name = start.children[0] if start.data == "variable" else start
    return Tree("node", [name, labels, properties, None])


def _compared(operator: str, left: Expression, right: Expression) -> Expression:
    if operator != "=~":
        return Comparison("!=" if operator == "<>" else operator, left, right)  # type: ignore[arg-type]
    pattern = _SIMPLE_REGEX.fullmatch(str(right.value)) if isinstance(right, Constant) else None
    if pattern is None:
        raise UnsupportedCypherError("regular expressions are not supported, except .*text.*")
    ignore_case, before, text, after = pattern.groups()
    test = _REGEX_TESTS[bool(before), bool(after)]
    return Comparison(test, left, Constant(text), bool(ignore_case))  # type: ignore[arg-type]


def _is_integer(value: Any, number: int) -> bool:
    """Return whether an expression is this integer; in Python, `Constant(False)` and `Constant(0.0)` equal 0."""
    return isinstance(value, Constant) and type(value.value) is int and value.value == number


def _unquoted(token: str) -> str:
    """Decode a string literal."""

    def decoded(escape: re.Match[str]) -> str:
        text = escape[1]
        try:
            return chr(int(text[1:], 16)) if len(text) > 1 else _ESCAPED[text]
        except (KeyError, ValueError, OverflowError):
            raise InvalidInputError(
                f"the string {shown(token)} has an invalid escape: {escape[0]}; write \\\\ for a backslash"
            ) from None

    return _ESCAPE.sub(decoded, token[1:-1])
