"""Read `any`, `all`, and `none` over lists, as far as conditions without a loop express them."""

from collections.abc import Iterator, Sequence

from shared.cypher.projection import Projection, names_in
from shared.cypher.unsupported import UnsupportedCypherError
from shared.plan.algebra import And, Comparison, Constant, Expression, Not, Or, Variable

QUANTIFIERS = {"any", "all", "none"}


def over_items(quantifier: str, name: str, items: Sequence[Expression], condition: Expression) -> Expression:
    """Translate a quantifier over a list whose items the query gives: the condition for each item.

    Raises:
        UnsupportedCypherError: The condition reads a property of an item that is no variable.
    """
    conditions = tuple(_of_item(name, item, condition) for item in items)
    if not conditions:
        return Constant(quantifier != "any")
    if quantifier == "all":
        return And(conditions)
    return Or(conditions) if quantifier == "any" else Not(Or(conditions))


def over_list(quantifier: str, name: str, items: Expression, condition: Expression) -> Expression:
    """Translate a quantifier over any list: `any(x IN list WHERE x = 1)` is `1 IN list`.

    Raises:
        UnsupportedCypherError: The condition is not an equality that membership expresses.
    """
    is_negated = isinstance(condition, Comparison) and condition.operator == "!="
    sought = list(_sought(name, condition))
    if not sought or (quantifier == "all") is not is_negated:
        raise UnsupportedCypherError(f"{quantifier}() with other conditions than equality is not supported")
    tests = tuple(Comparison("in", value, items) for value in sought)
    found = Or(tests) if len(tests) > 1 else tests[0]
    return found if quantifier == "any" else Not(found)


def _of_item(name: str, item: Expression, condition: Expression) -> Expression:
    found = Projection([(name, item)]).before(condition)
    if found is None:
        raise UnsupportedCypherError("a quantifier over properties of expressions is not supported")
    return found  # type: ignore[no-any-return]


def _sought(name: str, condition: Expression) -> Iterator[Expression]:
    """Yield the values of which an item must be one, or which it must not be."""
    match condition:
        case Comparison(operator="=" | "!=", left=Variable(name=left), right=value) if left == name:
            found = [value]
        case Comparison(operator="=" | "!=", left=value, right=Variable(name=right)) if right == name:
            found = [value]
        case Comparison(operator="in", left=Variable(name=left), right=Constant(value=tuple(values))) if left == name:
            found = [Constant(one) for one in values]
        case _:
            return
    if not any(used == name for value in found for used in names_in(value)):
        yield from found
