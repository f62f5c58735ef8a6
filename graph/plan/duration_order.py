"""Sort and compare properties that hold durations by their length, because plans read them as texts.

Stores apply this to plans of all kinds. As Cypher does, a comparison of durations that are read as stored, with `<` and
the like, is unknown.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Arithmetic,
    Call,
    Case,
    Column,
    Comparison,
    Constant,
    Expression,
    Function,
    Group,
    Plan,
    Project,
    Property,
    SortKey,
    Step,
    Union,
    Variable,
)
from graph.plan.schema import GraphSchema
from graph.plan.scope import DATES, Scope, declared_properties
from graph.plan.scoped_rewriting import rewrite_step
from shared.errors import InvalidInputError
from shared.text import shown

_ORDERS = {"<", "<=", ">", ">="}
_EXTREMES = {
    AggregateFunction.MIN: AggregateFunction.SHORTEST,
    AggregateFunction.MAX: AggregateFunction.LONGEST,
}
_Durations = Mapping[str, bool]
"""The variables that hold durations, and whether these were read as stored."""


def with_duration_order(plan: Plan, schema: GraphSchema) -> Plan:
    """Rewrite what sorts, compares, or adds properties that hold durations in all nodes or relationships.

    Raises:
        InvalidInputError: The plan sorts or compares a property that holds durations and other values, which have no
            common order.
    """
    return _Rewriter(schema).plan(plan) if schema.holds_durations else plan


class _Rewriter:
    def __init__(self, schema: GraphSchema) -> None:
        self._schema = schema
        self._durations: _Durations = {}
        self._mixed: dict[str, str] = {}

    def plan(self, plan: Plan) -> Plan:
        scope, self._durations, self._mixed = Scope(self._schema), {}, {}
        steps = []
        for step in plan.steps:
            steps.append(self._step(step, scope))
            self._durations, self._mixed = self._after(steps[-1], scope), self._mixed_after(steps[-1], scope)
            scope = scope.after(steps[-1])
        return Plan(tuple(steps))

    def _step(self, step: Step, scope: Scope) -> Step:
        if isinstance(step, Union):
            return replace(step, plans=tuple(_Rewriter(self._schema).plan(plan) for plan in step.plans))
        return rewrite_step(step, scope, self._replacement)

    def _after(self, step: Step, scope: Scope) -> _Durations:
        """Return the variables that hold durations after a step."""
        match step:
            case Project():
                found = {column.name: self._is_stored(column.value, scope) for column in step.columns}
            case Group():
                found = {key.name: self._is_stored(key.value, scope) for key in step.keys}
                found |= {
                    one.name: self._is_stored(one.value, scope)
                    for one in step.aggregates
                    if one.value is not None and one.function in _EXTREMES.values()
                }
            case Union():
                return {}
            case _:
                return self._durations
        return {name: is_stored for name, is_stored in found.items() if is_stored is not None}

    def _mixed_after(self, step: Step, scope: Scope) -> dict[str, str]:
        """Return the columns that hold durations and other values after a step, with the keys of the properties."""
        columns: list[Column] = []
        match step:
            case Project():
                columns += step.columns
            case Group():
                columns += step.keys
            case Union():
                return {}
            case _:
                return self._mixed
        return {one.name: key for one in columns if (key := self._mixed_key(one.value, scope))}

    def _mixed_key(self, value: Expression, scope: Scope) -> str | None:
        """Return the key of a property that holds durations and other values, of which one is the value."""
        match value:
            case Property():
                declared = declared_properties(scope, value)
                has_durations = any(one.holds_durations for one in declared)
                return value.key if has_durations and not all(one.are_durations for one in declared) else None
            case Variable():
                return self._mixed.get(value.name)
        return next((key for part in _alternatives(value) if (key := self._mixed_key(part, scope))), None)

    def _refuse_mixed(self, scope: Scope, *values: Expression) -> None:
        for value in values:
            if key := self._mixed_key(value, scope):
                raise InvalidInputError(
                    f"the property {shown(key)} holds durations and other values, which have no common order; "
                    "sort or compare duration_length of it, which ignores the others"
                )

    def _is_stored(self, value: Expression, scope: Scope) -> bool | None:
        """Return whether a duration is read as stored; None for an expression that may be something else."""
        match value:
            case Property():
                declared = declared_properties(scope, value)
                return value.as_stored if declared and all(one.are_durations for one in declared) else None
            case Variable():
                return self._durations.get(value.name)
        found = [self._is_stored(part, scope) for part in _alternatives(value) if part != Constant(None)]
        return None if None in found or not found else any(found)

    def _replacement(self, part: Any, scope: Scope) -> Any:
        match part:
            case SortKey():
                self._refuse_mixed(scope, part.value)
            case Aggregate(value=value) if value is not None and part.function in _EXTREMES:
                self._refuse_mixed(scope, value)
            case Comparison() if part.operator in _ORDERS:
                self._refuse_mixed(scope, part.left, part.right)
        match part:
            case SortKey() if self._is_stored(part.value, scope) is not None:
                return replace(part, value=Call(Function.DURATION_LENGTH, (part.value,)))
            case Aggregate(value=value) if value is not None and part.function in _EXTREMES:
                if self._is_stored(value, scope) is not None:
                    return replace(part, function=_EXTREMES[part.function])
            case Comparison() if part.operator in _ORDERS:
                return self._comparison(part, scope)
            case Arithmetic(operator="+" | "-"):
                return self._sum(part, scope)
        return None

    def _comparison(self, part: Comparison, scope: Scope) -> Expression | None:
        found = [self._is_stored(side, scope) for side in (part.left, part.right)]
        if found == [None, None]:
            return None
        if True in found:
            return Constant(None)
        left, right = (Call(Function.DURATION_LENGTH, (side,)) for side in (part.left, part.right))
        return replace(part, left=left, right=right)

    def _sum(self, part: Arithmetic, scope: Scope) -> Expression | None:
        """Move a date by a stored duration."""
        left, right = part.left, part.right
        if part.operator == "+" and self._is_stored(left, scope) is not None:
            left, right = right, left
        if self._is_stored(right, scope) is None or not scope.types(left).only(*DATES):
            return None
        return Call(Function.ADD_DURATION if part.operator == "+" else Function.SUBTRACT_DURATION, (left, right))


def _alternatives(value: Expression) -> Sequence[Expression]:
    """Return the expressions of which one is the value; none if it is computed."""
    match value:
        case Call(function=Function.COALESCE):
            return value.arguments
        case Case():
            return value.values
    return ()
