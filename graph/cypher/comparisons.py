"""Combine the values and conditions of Cypher to comparisons and conjunctions of the plan algebra."""

from collections.abc import Collection

from graph.cypher.durations import is_duration
from graph.cypher.unsupported import UnsupportedCypherError
from graph.plan.algebra import Comparison, Constant, Expression, ListOf
from graph.plan.linear_patterns import linear_pattern
from shared.errors import InvalidInputError

_ORDERS = {"<", "<=", ">", ">="}


def compared(operator: str, left: Expression, right: Expression, durations: Collection[str]) -> Expression:
    """Compare two values by one of Cypher's operators; raise UnsupportedCypherError if plans cannot.

    `durations` are the variables that hold durations, whose comparisons with `<` and the like are null.
    """
    if operator in _ORDERS and (_is_list(left) or _is_list(right)):
        raise UnsupportedCypherError(f"{operator} between lists is not supported")
    if operator in _ORDERS and (is_duration(left, durations) or is_duration(right, durations)):
        return Constant(None)
    if operator != "=~":
        return Comparison("!=" if operator == "<>" else operator, left, right)  # type: ignore[arg-type]
    if not isinstance(right, Constant) or not isinstance(right.value, str):
        raise UnsupportedCypherError("regular expressions that are no constant strings are not supported")
    try:
        linear_pattern(right.value)
    except InvalidInputError as error:
        raise UnsupportedCypherError(str(error)) from None
    return Comparison("matches", left, right)


def _is_list(value: Expression) -> bool:
    return isinstance(value, ListOf) or (isinstance(value, Constant) and isinstance(value.value, tuple))
