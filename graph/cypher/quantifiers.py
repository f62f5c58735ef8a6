"""Read `any`, `all`, `none`, and `single` over lists, where possible as conditions without a loop."""

from collections.abc import Iterator
from typing import Any

from graph.cypher.projection import Projection, names_in
from graph.plan.algebra import And, Comparison, Constant, Expression, ListOf, Not, Or, Quantifier, Variable

QUANTIFIERS = {"any", "all", "none", "single"}


def is_member(tree: Any) -> bool:
    """Return whether a tree is `x IN list` for a variable x, with which loops over a list begin."""
    return tree is not None and tree.data == "in" and tree.children[0].data == "variable"


def quantified(loop: Quantifier) -> Expression:
    """Return an expression without a loop if there is one: `any(x IN list WHERE x = 1)` is `1 IN list`."""
    if loop.quantifier == "single":
        return loop
    if (items := _known_items(loop.items)) is not None:
        conditions = tuple(Projection([(loop.name, item)]).before(loop.condition) for item in items)
        if None not in conditions:
            return _joined(loop.quantifier, conditions)
    is_negated = isinstance(loop.condition, Comparison) and loop.condition.operator == "!="
    sought = list(_sought(loop.name, loop.condition))
    if not sought or (loop.quantifier == "all") is not is_negated:
        return loop
    tests = tuple(Comparison("in", value, loop.items) for value in sought)
    found = Or(tests) if len(tests) > 1 else tests[0]
    return found if loop.quantifier == "any" else Not(found)


def _known_items(items: Expression) -> tuple[Expression, ...] | None:
    match items:
        case ListOf():
            return items.items
        case Constant(value=tuple(values)):
            return tuple(map(Constant, values))
    return None


def _joined(quantifier: str, conditions: tuple[Expression, ...]) -> Expression:
    if not conditions:
        return Constant(quantifier != "any")
    if quantifier == "all":
        return And(conditions)
    return Or(conditions) if quantifier == "any" else Not(Or(conditions))


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
