"""Translate Cypher expressions and patterns to the plan algebra."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from lark import Tree

from graph.cypher.comparisons import compared
from graph.cypher.durations import difference_part, duration_sum, extreme_duration, is_duration
from graph.cypher.labels import label_test, name_of
from graph.cypher.lengths import total_count
from graph.cypher.literals import is_count, is_integer, unquoted
from graph.cypher.patterns import PatternReader
from graph.cypher.points import point_call, point_part
from graph.cypher.quantifiers import QUANTIFIERS, is_member, quantified
from graph.cypher.strings import TEXT_FUNCTIONS, text_call
from graph.cypher.temporal import entries, temporal_call, temporal_part
from graph.cypher.unsupported import UnsupportedCypherError
from graph.plan.algebra import (
    AggregateFunction,
    And,
    Arithmetic,
    Branch,
    Call,
    Case,
    CollectMatches,
    Column,
    Comparison,
    Comprehension,
    Constant,
    CountMatches,
    Exists,
    Expression,
    FieldOf,
    Function,
    IsMissing,
    ListOf,
    MapOf,
    Not,
    Or,
    Property,
    Quantifier,
    RelationshipType,
    Variable,
)
from graph.plan.traversal import conjunction
from shared.errors import InvalidInputError

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
_MAX_DIGITS = 19
_TEXT_TESTS = {"starts_with": "starts_with", "ends_with": "ends_with", "contains": "contains", "in": "in"}


@dataclass(frozen=True, slots=True)
class AggregateCall:
    """Stand for an aggregate function inside an expression until the clause is turned into a `Group`."""

    function: AggregateFunction
    value: Expression | None
    distinct: bool


class ExpressionReader(PatternReader):
    """Read the expressions and patterns of one query."""

    def expression(self, tree: Any) -> Any:
        """Read an expression; it may contain an `AggregateCall`."""
        reader: Callable[[list[Any]], Any] | None = getattr(self, f"_{tree.data}", None)
        if tree.data in _TEXT_TESTS:
            left, right = map(self.expression, tree.children)
            return Comparison(_TEXT_TESTS[tree.data], left, right)  # type: ignore[arg-type]
        if reader is None:
            raise UnsupportedCypherError(f"{tree.data.replace('_', ' ')} expressions are not supported")
        return reader(tree.children)

    def _variable(self, children: list[Any]) -> Variable:
        return Variable(self.bound_name(name_of(children[0])))

    def _integer(self, children: list[Any]) -> Constant:
        digits = str(children[0])
        if len(digits.lstrip("0")) > _MAX_DIGITS:
            raise InvalidInputError(f"the integer {digits[:_MAX_DIGITS]}... needs more than 64 bits; use a smaller one")
        return Constant(int(digits))

    def _float(self, children: list[Any]) -> Constant:
        return Constant(float(children[0]))

    def _string(self, children: list[Any]) -> Constant:
        return Constant(unquoted(children[0]))

    def _true(self, _: list[Any]) -> Constant:
        return Constant(True)

    def _false(self, _: list[Any]) -> Constant:
        return Constant(False)

    def _null(self, _: list[Any]) -> Constant:
        return Constant(None)

    def _property(self, children: list[Any]) -> Expression:
        key = name_of(children[1])
        if (part := difference_part(children[0], key, self.expression)) is not None:
            return part
        owner = self.expression(children[0])
        is_element = isinstance(owner, Variable) and owner.name not in self.computed
        if not is_element and (part := temporal_part(owner, key)) is not None:
            return part
        if isinstance(owner, Variable):
            return Property(owner.name, key, as_stored=True)
        if (part := point_part(owner, key)) is not None:
            return part
        if isinstance(owner, Call | FieldOf):
            return FieldOf(owner, key)  # refused later unless the expression is a map
        raise UnsupportedCypherError(f"property {key} of an expression is not supported")

    def _has_label(self, children: list[Any]) -> Expression:
        owner = self.expression(children[0])
        if not isinstance(owner, Variable):
            raise UnsupportedCypherError("labels of an expression are not supported")
        return label_test(owner.name, children[1])

    def _list(self, children: list[Any]) -> Expression:
        if len(children) == 1 and is_member(children[0]) and not self._is_in_parentheses(children[0]):
            return self._filtered_list([*children, None])
        items = tuple(self.expression(child) for child in children if child is not None)
        if all(isinstance(item, Constant) and item.value is not None for item in items):
            return Constant(tuple(item.value for item in items))
        return ListOf(items)

    def _map_literal(self, children: list[Any]) -> MapOf:
        found, written = entries(Tree("map_literal", children)), children[0].children
        if not found:
            raise UnsupportedCypherError("maps without entries are not supported")
        if len(found) < len(written):
            raise UnsupportedCypherError("a map with two entries of the same name is not supported")
        return MapOf(tuple(Column(key, self.expression(value)) for key, value in found.items()))

    def _is_in_parentheses(self, tree: Any) -> bool:
        return self._text[: tree.meta.start_pos].rstrip().endswith("(")

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
        return conjunction([compared(str(operator), left, right, self.durations) for operator, left, right in links])  # type: ignore[return-value]

    def _arithmetic(self, children: list[Any]) -> Expression:
        value = self.expression(children[0])
        for operator, operand in zip(children[1::2], children[2::2], strict=True):
            other = self.expression(operand)
            moved = duration_sum(str(operator), value, other, self.durations)
            value = moved or Arithmetic(str(operator), value, other)  # type: ignore[arg-type]
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
        if is_integer(index, 0):
            return Call(Function.FIRST, (items,))
        if is_integer(index, -1):
            return Call(Function.LAST, (items,))
        if isinstance(index, Constant) and type(index.value) is not int:
            raise UnsupportedCypherError("the place of an item in a list must be an integer")
        return Call(Function.ITEM, (items, index))

    def _slice(self, children: list[Any]) -> Expression:
        items = self.expression(children[0])
        first, last = (self.expression(child) if child is not None else None for child in children[1:])
        # A negative end counts from the last item, and the plan's `take` does not.
        if (first is None or is_integer(first, 0)) and isinstance(last, Constant) and is_count(last):
            return Call(Function.TAKE, (items, last))
        raise UnsupportedCypherError("only slices from the first item of a list are supported")

    def _case(self, children: list[Any]) -> Case:
        subject, *trees, last = children
        parts = [self.expression(tree) for tree in trees]
        tests = parts[::2]
        if subject is not None:
            value = self.expression(subject)
            tests = [Comparison("=", value, test) for test in tests]
        branches = tuple(map(Branch, tests, parts[1::2]))
        return Case(branches, self.expression(last) if last is not None else None)

    def _quantifier(self, children: list[Any]) -> Expression:
        quantifier = name_of(children[0]).lower()
        if quantifier not in QUANTIFIERS or not is_member(children[1]):
            raise UnsupportedCypherError(f"function {quantifier}() with WHERE is not supported")
        with self.over_items(children[1]) as (name, items):
            return quantified(Quantifier(quantifier, name, items, self.expression(children[2])))  # type: ignore[arg-type]

    def _comprehension(self, children: list[Any]) -> Expression:
        member, where, value = children
        if not is_member(member):
            return CollectMatches(self.match_of(member, where), self.expression(value))
        with self.over_items(member) as (name, items):
            condition = self.expression(where) if where is not None else None
            return Comprehension(name, items, condition, self.expression(value))

    def _filtered_list(self, children: list[Any]) -> Expression:
        member, where = children
        if not is_member(member):
            raise UnsupportedCypherError("a list with WHERE must be written [x IN list WHERE ...]")
        with self.over_items(member) as (name, items):
            return Comprehension(name, items, self.expression(where) if where is not None else None)

    @contextmanager
    def over_items(self, member: Any) -> Iterator[tuple[str, Expression]]:
        """Bind the variable of `x IN list`; yield its name in the plan, which no other part uses, and the list."""
        name, items = name_of(member.children[0].children[0]), self.expression(member.children[1])
        outer = self.loops
        self.loops = {**outer, name: self.loop_name(len(outer))}
        try:
            yield self.loops[name], items
        finally:
            self.loops = outer

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
            for found in (temporal_call, point_call):
                if (call := found(qualified, trees, self.expression)) is not None:
                    return call
        raise UnsupportedCypherError(f"function .{name_of(name)}() with {len(arguments)} arguments is not supported")

    def _call(self, children: list[Any]) -> Any:
        name, distinct = name_of(children[0]).lower(), children[1] is not None
        trees = [child for child in children[2:] if child is not None]
        for read in (temporal_call, point_call):
            if (known := read(name, trees, self.expression)) is not None:
                return known
        if name == "size" and [tree.data for tree in trees] == ["comprehension"]:
            return self.counted(trees[0])
        arguments = [self.expression(child) for child in children[2:] if child is not None]
        match name, arguments:
            case _ if name in _AGGREGATES and len(arguments) == 1:
                function = _AGGREGATES[name]
                if is_duration(arguments[0], self.durations):
                    function = extreme_duration(function)
                return AggregateCall(function, arguments[0], distinct)
            case "size", [Exists(match=match)]:
                return CountMatches(match)
            case "size", [Or(conditions=found)] if all(isinstance(one, Exists) for one in found):
                return total_count([one.match for one in found if isinstance(one, Exists)])
            case "exists", [(Exists() | Or()) as condition]:
                return condition
            case "exists", [value]:
                return Not(IsMissing(value))
            case "type", [Variable(name=variable)]:
                return RelationshipType(variable)
            case _ if name in TEXT_FUNCTIONS:
                return text_call(name, arguments)
            case _ if name in _FUNCTIONS and _has_arity(name, len(arguments)):
                return Call(_FUNCTIONS[name], tuple(arguments))
        raise UnsupportedCypherError(f"function {name}() with {len(arguments)} arguments is not supported")


def _has_arity(name: str, found: int) -> bool:
    return found > 0 if name == "coalesce" else found == 1
