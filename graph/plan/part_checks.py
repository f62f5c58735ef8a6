"""Check parts of a query plan on their own."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from graph.plan.algebra import Aggregate, AggregateFunction, Call, Constant, Expression, Function, Match
from graph.plan.functions import DIFFERENCES, SHIFTS
from graph.plan.linear_patterns import linear_pattern
from graph.plan.scope import ELEMENTS, Scope, Types
from graph.plan.values import MAX_INTEGER, ValueType
from shared.errors import InvalidInputError
from shared.suggestions import did_you_mean
from shared.text import shown

MAX_RELATIONSHIPS = 8
MAX_UNDIRECTED = 4
_MAX_KINDS = 3
_MAX_VARIABLES_SHOWN, _MAX_OTHERS_SHOWN = 10, 3
_ARGUMENTS = {
    **dict.fromkeys(
        (Function.LEFT, Function.DROP, Function.TAKE, Function.ITEM, Function.SPLIT, *DIFFERENCES, *SHIFTS), 2
    ),
    Function.REPLACE: 3,
    Function.DISTANCE: 4,
    **dict.fromkeys((Function.NOW, Function.TODAY), 0),
}


def excess_of(match: Match) -> Iterator[str]:
    """Find limits that a pattern exceeds."""
    if len(match.relationships) > MAX_RELATIONSHIPS or len(match.nodes) > MAX_RELATIONSHIPS + 1:
        yield f"the pattern is too large; use at most {MAX_RELATIONSHIPS} relationships between as many nodes"
    if sum(link.direction == "both" for link in match.relationships) > MAX_UNDIRECTED:
        yield f"the pattern has too many relationships of direction both; use at most {MAX_UNDIRECTED}"
    if any(len(node.kinds) > _MAX_KINDS for node in match.nodes):
        yield f"a node has too many kinds; use at most {_MAX_KINDS}"


def aggregate_problems(aggregate: Aggregate, scope: Scope) -> Iterator[str]:
    """Find a missing value, or nodes and relationships where values belong."""
    if aggregate.value is None:
        if aggregate.function is not AggregateFunction.COUNT or aggregate.distinct:
            yield f"{aggregate.function} needs a value"
        return
    types = scope.types(aggregate.value)
    takes_all = aggregate.function in {AggregateFunction.COUNT, AggregateFunction.COLLECT}
    if aggregate.distinct or not takes_all:
        yield from maps_among(aggregate.function, types)
    if not takes_all:
        yield from elements_among(aggregate.function, types)


def collects_lists(aggregate: Aggregate, scope: Scope) -> bool:
    """Return whether an aggregate builds a list that may hold lists."""
    if aggregate.function is not AggregateFunction.COLLECT or aggregate.value is None:
        return False
    return scope.types(aggregate.value).may_be(ValueType.LIST)


def argument_problems(call: Call) -> Iterator[str]:
    """Find a wrong number of arguments."""
    found = len(call.arguments)
    if call.function is Function.COALESCE:
        if not found:
            yield "coalesce needs an argument"
        return
    expected = _ARGUMENTS.get(call.function, 1)
    if found != expected:
        yield f"{call.function} needs {expected or 'no'} argument{'s' * (expected != 1)}, found {found}"
    else:
        yield from sought_text_problems(call)


def sought_text_problems(call: Call) -> Iterator[str]:
    """Find what `replace` and `split` cannot look for.

    Stores disagree on where an empty string occurs. A constant replacement shows how much longer a text may become.
    """
    if call.function not in {Function.REPLACE, Function.SPLIT}:
        return
    _, sought, *new = call.arguments
    if not isinstance(sought, Constant) or not isinstance(sought.value, str) or not sought.value:
        yield f"{call.function} looks for a constant string that is not empty"
    if any(not isinstance(one, Constant) or not isinstance(one.value, str) for one in new):
        yield f"{call.function} inserts a constant string"


def elements_among(operator: str, *operands: Types) -> Iterator[str]:
    """Find nodes or relationships among operands that must be values."""
    if any(types.may_be(*ELEMENTS) for types in operands):
        yield f"{operator} does not apply to nodes and relationships; use one of their properties"


def has_maps(types: Types) -> bool:
    """Return whether a value may be a map, or a list with maps."""
    return ValueType.MAP in types.names | types.items


def maps_among(operator: str, *operands: Types) -> Iterator[str]:
    """Find maps among the operands of operators that do not apply to them."""
    if any(map(has_maps, operands)):
        yield f"{operator} does not apply to maps; return or collect them, or use one of their fields"


def mixed_elements(operator: str, operands: Sequence[Types]) -> Iterator[str]:
    """Find nodes or relationships that meet values, or each other."""
    kinds = {types.names & ELEMENTS for types in operands if types.names}
    if len(kinds) > 1 or any(len(kind) > 1 for kind in kinds):
        yield f"{operator} cannot combine nodes, relationships, and values; use properties"


def pattern_problems(pattern: Expression) -> Iterator[str]:
    """Find a pattern that is no constant, or no supported regular expression."""
    if not isinstance(pattern, Constant) or not isinstance(pattern.value, str):
        yield "the right side of matches must be a constant string"
        return
    try:
        linear_pattern(pattern.value)
    except InvalidInputError as error:
        yield str(error)


def constant_problems(value: object) -> Iterator[str]:
    """Find values that no store can hold."""
    if isinstance(value, tuple):
        if None in value or any(isinstance(item, tuple) for item in value):
            yield "a list cannot hold null or another list"
        for item in value:
            yield from constant_problems(item)
    elif isinstance(value, int) and not -MAX_INTEGER - 1 <= value <= MAX_INTEGER:
        yield f"the integer {shown(value)} needs more than 64 bits"
    elif isinstance(value, float) and not math.isfinite(value):
        yield f"the float {value} is not finite"


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """Say that a name is unknown, and list similar names: `unknown kind 'Countr'; did you mean 'Country'?`"""
    return f"unknown {what} {shown(name)}{did_you_mean(name, known)}"


def unknown_variable(name: str, scope: Scope) -> str:
    """Say that a variable is unknown, and list the known ones."""
    known = ", ".join(map(shown, sorted(scope.variables)[:_MAX_VARIABLES_SHOWN]))
    more = ", ..." if len(scope.variables) > _MAX_VARIABLES_SHOWN else ""
    listed = f"the variables here are {known}{more}" if known else "there are no variables here"
    return f"unknown variable {shown(name)}; {listed}"


def foreign_property(key: str, kinds: frozenset[str], holders: Mapping[str, Collection[str]]) -> Iterator[str]:
    """Find a property that only nodes of other kinds have, or relationships of other types.

    A kind declares the properties of all its nodes, also of those that have further kinds.
    """
    if all(holders.get(kind) for kind in kinds) and not any(key in holders[kind] for kind in kinds):
        others = sorted(name for name, keys in holders.items() if name and key in keys)[:_MAX_OTHERS_SHOWN]
        hint = f"; {' and '.join(others)} may have it" if others else ""
        yield f"no {'/'.join(sorted(kinds))} has the property {shown(key)}{hint}"
