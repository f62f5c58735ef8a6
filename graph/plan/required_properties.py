"""Find the properties without which a condition is not true, so that a store can start from the nodes with them."""

from collections.abc import Iterable

from graph.plan.algebra import (
    And,
    Arithmetic,
    Call,
    Comparison,
    Expression,
    Function,
    IsMissing,
    Not,
    Or,
    Property,
)

PropertyName = tuple[str, str]
"""A variable and the key of its property."""


def required_properties(condition: Expression | None) -> frozenset[PropertyName]:
    """Return the properties that a row must have for the condition to be true.

    Example:
        For `a.x > 1 and (a.y = 2 or b.z = 3 and a.y = 4)`, this is `a.x` and `a.y`.
    """
    match condition:
        case And():
            return _any_of(map(required_properties, condition.conditions))
        case Or():
            return frozenset.intersection(*map(required_properties, condition.conditions))
        case Comparison():
            return _any_of((needed_properties(condition.left), needed_properties(condition.right)))
        case Not(condition=IsMissing() as test):
            return needed_properties(test.value)
        case Not(condition=Comparison() as negated) if negated.operator != "in":
            # A comparison with a missing value is unknown, and so is its negation. Only `in` can be false.
            return required_properties(negated)
        case Property():
            return needed_properties(condition)
    return frozenset()


def needed_properties(value: Expression) -> frozenset[PropertyName]:
    """Return the properties without which a value is missing."""
    match value:
        case Property():
            return frozenset(((value.variable, value.key),))
        case Call() if value.function is not Function.COALESCE:
            return _any_of(map(needed_properties, value.arguments))
        case Arithmetic():
            return needed_properties(value.left) | needed_properties(value.right)
    return frozenset()


def _any_of(parts: Iterable[frozenset[PropertyName]]) -> frozenset[PropertyName]:
    return frozenset[PropertyName]().union(*parts)
