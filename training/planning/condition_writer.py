"""Write the actions of conditions."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeGuard

from graph.plan.algebra import (
    And,
    Call,
    Comparison,
    Constant,
    Exists,
    Expression,
    Function,
    HasKind,
    IsMissing,
    ListOf,
    Not,
    Or,
    Property,
    Variable,
)
from services.retriever.plans.grammar.actions import Op
from services.retriever.plans.schema.value_types import DATES
from training.planning.canonical import Between, Condition, plain, with_ranges
from training.planning.expression_writer import ExpressionWriter
from training.planning.stages import InexpressibleError

_COMPARISONS = {
    "=": Op.EQUAL, "!=": Op.UNEQUAL, "<": Op.LESS, "<=": Op.AT_MOST, ">": Op.GREATER, ">=": Op.AT_LEAST,
    "contains": Op.CONTAINS, "starts_with": Op.STARTS_WITH, "ends_with": Op.ENDS_WITH,
}  # fmt: skip
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!=", "in": "contains"}


class ConditionWriter(ExpressionWriter):
    """Write conditions on known variables."""

    def _condition(self, condition: Condition) -> None:
        match condition:
            case Between():
                self._between(condition)
            case Comparison():
                self._comparison(condition)
            case Not():
                self._negation(condition.condition)
            case Exists():
                self._subpattern(Op.EXISTS, condition.match)
            case IsMissing():
                self._expression(condition.value)
                self._add(Op.MISSING)
            case HasKind():
                self._focus(condition.variable)
                self._add(Op.HAS_KIND)
                self._add(Op.KIND, self._elements.kinds.index(condition.kind))
            case And():
                self._combination(Op.AND, with_ranges(condition.conditions))
            case Or():
                if not self._is_list(condition):
                    self._combination(Op.OR, condition.conditions)
            case Property() | Variable():
                self._expression(condition)
                self._add(Op.TRUE)
            case _:
                raise InexpressibleError(f"{type(condition).__name__} as a condition")

    def _negation(self, inner: Expression) -> None:
        match inner:
            case Exists():
                self._subpattern(Op.NOT_EXISTS, inner.match)
            case IsMissing():
                self._expression(inner.value)
                self._add(Op.PRESENT)
            case Comparison(operator="="):
                self._comparison(replace(inner, operator="!="))
            case Property() | Variable():
                self._expression(inner)
                self._add(Op.FALSE)
            case _:
                self._add(Op.NOT)
                self._condition(inner)

    def _combination(self, op: Op, conditions: Sequence[Condition]) -> None:
        *first, last = conditions
        for one in first:
            self._add(op)
            self._condition(one)
        self._condition(last)

    def _is_list(self, condition: Or) -> bool:
        """Write alternatives for one property as a list; return whether they are such alternatives."""
        parts = [one for one in condition.conditions if isinstance(one, Comparison) and one.operator == "="]
        if len(parts) < len(condition.conditions) or len({plain(one.left) for one in parts}) > 1:
            return False
        if not all(isinstance(one.right, Constant) for one in parts):
            return False
        self._comparison(Comparison("in", parts[0].left, ListOf(tuple(one.right for one in parts))))
        return True

    def _between(self, condition: Between) -> None:
        self._expression(condition.left)
        number = self._property_number(condition.left) if isinstance(condition.left, Property) else None
        self._add(Op.BETWEEN)
        for value in condition.values:
            self._constant(value, Op.BETWEEN, number)

    # Comparisons

    def _comparison(self, condition: Comparison) -> None:
        left, operator, right = self._oriented(condition)
        if operator == "!=" and self._is_node(left) and self._is_node(right):
            self._difference(left, right)
            return
        if isinstance(right, Constant) and operator in ("=", "!="):
            if operator == "=" and isinstance(left, Property) and self._is_name(left):
                self._focus(left.variable)
                self._add(Op.IS)
                self._constant(right.value, Op.IS, self._property_number(left))
                return
            if isinstance(right.value, bool):
                self._expression(left)
                self._add(Op.TRUE if right.value == (operator == "=") else Op.FALSE)
                return
            if right.value is None:
                raise InexpressibleError("comparison with null")
        self._expression(left)
        if operator == "in":
            self._list(left, right)
        else:
            self._right_side(left, operator, right)

    def _oriented(self, condition: Comparison) -> tuple[Expression, str, Expression]:
        """Return the left side, the operator, and the right side, with a constant on the right."""
        left, operator, right = plain(condition.left), condition.operator, plain(condition.right)
        if isinstance(left, Call) and left.function is Function.YEAR and isinstance(right, Constant):
            left = self._whole_date(left)
        if isinstance(left, Constant) and operator in _MIRRORED:
            return right, _MIRRORED[operator], left
        return left, operator, right

    def _whole_date(self, year: Call) -> Expression:
        """Compare a date, instead of its year, with a year."""
        inner = plain(year.arguments[0])
        if isinstance(inner, Property):
            content = self._elements.properties[self._property_number(inner)].schema.content
            if content in DATES:
                return inner
        return year

    def _is_node(self, value: Expression) -> TypeGuard[Variable]:
        return isinstance(value, Variable) and value.name in self._names.numbers

    def _difference(self, left: Variable, right: Variable) -> None:
        self._focus(left.name)
        self._add(Op.DIFFERENT)
        self._add(Op.VARIABLE, self._names.numbers[right.name])

    def _list(self, left: Expression, right: Expression) -> None:
        items: Sequence[Expression] = ()
        if isinstance(right, ListOf):
            items = right.items
        elif isinstance(right, Constant) and isinstance(right.value, tuple | list):
            items = [Constant(item) for item in right.value]
        constants = [one.value for one in items if isinstance(one, Constant)]
        if not constants or len(constants) < len(items):
            raise InexpressibleError("membership in a computed or empty list")
        self._add(Op.ONE_OF)
        for value in constants:
            self._constant(value, Op.ONE_OF, *self._compared(left))
        self._add(Op.CLOSE)

    def _right_side(self, left: Expression, operator: str, right: Expression) -> None:
        if operator not in _COMPARISONS:
            raise InexpressibleError(f"the comparison {operator}")
        op = _COMPARISONS[operator]
        number, function = self._compared(left)
        if not isinstance(right, Constant):
            self._add(op)
            if not isinstance(right, Property) and not (isinstance(right, Variable) and right.name in self._columns):
                raise InexpressibleError("comparison with a computed value")
            self._expression(right)
            return
        value = right.value
        if op in (Op.STARTS_WITH, Op.CONTAINS) and number is not None:
            content = self._elements.properties[number].schema.content
            if content in DATES and re.fullmatch(r"\d{4}-?", str(value)):
                op, value = Op.EQUAL, int(str(value)[:4])
        self._add(op)
        self._constant(value, op, number, function)

    def _compared(self, left: Expression) -> tuple[int | None, Function | None]:
        """Return the number of the property, or the function, that a constant is compared with."""
        number = self._property_number(left) if isinstance(left, Property) else None
        return number, left.function if isinstance(left, Call) else None
