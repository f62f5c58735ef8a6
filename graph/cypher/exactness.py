"""Make a plan give what its Cypher query gives where the types of values decide, or refuse the query.

Cypher concatenates strings with numbers, and lists, and it unwinds single values. Plans do not.
The types of properties are unknown here, so only operands whose types follow from the query itself are changed.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from graph.cypher.temporal import temporal_part
from graph.cypher.unsupported import UnsupportedCypherError
from graph.plan.algebra import (
    Arithmetic,
    Call,
    CollectMatches,
    Comprehension,
    CountMatches,
    Exists,
    Expression,
    FieldOf,
    Function,
    ListOf,
    Match,
    Plan,
    Property,
    Quantifier,
    Step,
    Union,
    Unnest,
    Variable,
)
from graph.plan.map_checks import map_problems
from graph.plan.scope import ELEMENTS, NUMBERS, Scope, Types
from graph.plan.scoped_rewriting import rewrite_loop
from graph.plan.traversal import rewrite
from graph.plan.values import ValueType


def exact_plan(plan: Plan) -> Plan:
    """Rewrite or refuse the operations that mean something else in Cypher.

    Raises:
        UnsupportedCypherError: An operation has no equivalent in plans.
    """
    scope, steps = Scope(None), list[Step]()
    for step in plan.steps:
        steps.append(_exact_step(step, scope))
        scope = scope.after(steps[-1])
    return Plan(tuple(steps))


def _exact_step(step: Step, scope: Scope) -> Step:
    match step:
        case Union():
            return replace(step, plans=tuple(map(exact_plan, step.plans)))
        case Match():
            return _exact_match(step, scope)
        case Unnest():
            items = rewrite(step.items, _replacement(scope))
            is_value = (types := scope.types(items).names) and ValueType.LIST not in types
            return replace(step, items=ListOf((items,)) if is_value else items)
    return rewrite(step, _replacement(scope))


def _exact_match(match: Match, scope: Scope) -> Match:
    if match.where is None:
        return match
    return replace(match, where=rewrite(match.where, _replacement(scope.within(match))))


def _replacement(scope: Scope) -> Callable[[Any], Any]:
    def replacement(part: Any) -> Expression | None:
        for problem in map_problems(part, scope.types):
            raise UnsupportedCypherError(problem)
        match part:
            case Exists() | CountMatches():
                return replace(part, match=_exact_match(part.match, scope))
            case CollectMatches():
                match = _exact_match(part.match, scope)
                value = rewrite(part.value, _replacement(scope.within(match)))
                return replace(part, match=match, value=value)
            case Comprehension() | Quantifier():
                return rewrite_loop(part, scope, _replacement)
            case Arithmetic(operator="+"):
                left, right = (rewrite(operand, replacement) for operand in (part.left, part.right))
                return _sum(left, right, scope)
            case Call(function=Function.TO_STRING, arguments=(value,)):
                _refuse_float(scope.types(value))
            case Property() if not (types := scope.types(Variable(part.variable))).may_be(*ELEMENTS):
                return _part_of_value(part, types)
        return None

    return replacement


def _part_of_value(part: Property, types: Types) -> Expression | None:
    """Read a field of a map, or a part of a date; None to keep a property of something else, which checks refuse."""
    owner = Variable(part.variable)
    if not types.may_be(ValueType.MAP):
        return temporal_part(owner, part.key)
    if part.key not in types.fields and "." in part.key:
        raise UnsupportedCypherError("a point in a map is not supported")
    return FieldOf(owner, part.key)


def _sum(left: Expression, right: Expression, scope: Scope) -> Expression:
    types = [scope.types(operand) for operand in (left, right)]
    known = [one.names for one in types if one.names]
    if {ValueType.LIST} in known:
        raise UnsupportedCypherError("the concatenation of lists is not supported")
    if len(known) == 2 and {ValueType.STRING} in known and not known[0] & known[1]:
        left, right = (_text(operand, one) for operand, one in zip((left, right), types, strict=True))
    return Arithmetic("+", left, right)


def _text(value: Expression, types: Types) -> Expression:
    """Convert an integer that is concatenated with a string."""
    if types.only(ValueType.STRING):
        return value
    _refuse_float(types)
    if not types.only(ValueType.INTEGER):
        raise UnsupportedCypherError("the concatenation of a string with anything but strings and integers")
    return Call(Function.TO_STRING, (value,))


def _refuse_float(types: Types) -> None:
    """Refuse a number that may be a float, whose text depends on the version of Java that runs Neo4j."""
    if types.names <= NUMBERS and types.may_be(ValueType.FLOAT):
        raise UnsupportedCypherError("the conversion of floats to strings is not supported")
