"""Find operations whose operands have types for which they never give a result.

A property may hold several types, and the type of an expression may be unknown. An operation is wrong only if no
possible combination of types gives a result.
"""

from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from typing import Any

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    And,
    Arithmetic,
    Branch,
    Call,
    Comparison,
    Comprehension,
    Constant,
    Expression,
    Filter,
    Function,
    Match,
    Not,
    Or,
    Property,
    Quantifier,
    ShortestPaths,
    Unnest,
)
from graph.plan.functions import (
    DATE_PARTS,
    DIFFERENCES,
    DURATION_PARTS,
    EPOCHS,
    SHIFTS,
    STARTS_OF_DATES,
    STARTS_OF_TIMES,
    TIME_PARTS,
)
from graph.plan.scope import DATES, ELEMENTS, NUMBERS, Types
from graph.plan.traversal import walk
from graph.plan.values import ValueType

_STRINGS, _BOOLEANS, _LISTS = {ValueType.STRING}, {ValueType.BOOLEAN}, {ValueType.LIST}
_TEXT_OPERATORS = {"contains", "starts_with", "ends_with", "matches"}
_NAMES = {
    **dict.fromkeys(NUMBERS, "a number"),
    ValueType.STRING: "a string",
    ValueType.BOOLEAN: "a boolean",
    ValueType.DATE: "a date",
    ValueType.DATETIME: "a datetime",
    ValueType.LIST: "a list",
    ValueType.MAP: "a map",
}
_ARGUMENTS: dict[Function, tuple[AbstractSet[ValueType], ...]] = {
    **dict.fromkeys((Function.LOWER, Function.UPPER, Function.TRIM), (_STRINGS,)),
    **dict.fromkeys((Function.LEFT, Function.DROP), (_STRINGS, NUMBERS)),
    Function.REPLACE: (_STRINGS, _STRINGS, _STRINGS),
    Function.SPLIT: (_STRINGS, _STRINGS),
    Function.SIZE: (_STRINGS | _LISTS,),
    **dict.fromkeys((Function.ABS, Function.ROUND, Function.FLOOR, Function.CEIL), (NUMBERS,)),
    Function.TO_INTEGER: (NUMBERS | _BOOLEANS | _STRINGS,),
    Function.TO_FLOAT: (NUMBERS | _STRINGS,),
    Function.TO_STRING: ({ValueType.INTEGER, ValueType.DATE} | _BOOLEANS | _STRINGS,),
    Function.TO_BOOLEAN: (_BOOLEANS | _STRINGS,),
    Function.TO_DATE: (DATES | _STRINGS,),
    Function.TO_DATETIME: ({ValueType.DATETIME} | _STRINGS,),
    **dict.fromkeys(DATE_PARTS | STARTS_OF_DATES, (DATES,)),
    **dict.fromkeys(TIME_PARTS | STARTS_OF_TIMES, ({ValueType.DATETIME},)),
    **dict.fromkeys(DIFFERENCES, (DATES, DATES)),
    **dict.fromkeys(DURATION_PARTS | {Function.DURATION_LENGTH}, (_STRINGS,)),
    **dict.fromkeys(SHIFTS, (DATES, _STRINGS)),
    **dict.fromkeys(EPOCHS, ({ValueType.INTEGER},)),
    **dict.fromkeys((Function.FIRST, Function.LAST), (_LISTS,)),
    **dict.fromkeys((Function.TAKE, Function.ITEM), (_LISTS, NUMBERS)),
    Function.DISTANCE: (NUMBERS,) * 4,
}
TypesOf = Callable[[Expression], Types]


def type_problems(part: Any, types_of: TypesOf) -> Iterator[str]:
    """Say which operands of a step or an expression have unsuitable types, without looking into the operands.

    Args:
        part: The step or expression.
        types_of: Returns the types that an operand can have.
    """
    match part:
        case Comparison():
            yield from _comparison(part, types_of)
        case Arithmetic():
            yield from _arithmetic(part, types_of)
        case Call() if part.function in _ARGUMENTS:
            for argument, accepted in zip(part.arguments, _ARGUMENTS[part.function], strict=False):
                yield from _unsuitable(part.function, types_of(argument), accepted)
        case Aggregate(function=AggregateFunction.SUM | AggregateFunction.AVERAGE) if part.value is not None:
            for problem in _unsuitable(part.function, types_of(part.value), NUMBERS):
                yield f"{problem}; use count or collect, or a property that holds numbers"
        case Aggregate(function=AggregateFunction.SHORTEST | AggregateFunction.LONGEST) if part.value is not None:
            yield from _unsuitable(part.function, types_of(part.value), _STRINGS)
        case Match() | ShortestPaths() if part.where is not None:
            yield from _unsuitable("where", types_of(part.where), _BOOLEANS)
        case Branch():
            yield from _unsuitable("case", types_of(part.condition), _BOOLEANS)
        case Comprehension() | Quantifier():
            yield from _unsuitable(part.op, types_of(part.items), _LISTS)
        case Filter() | Not():
            yield from _unsuitable(part.op, types_of(part.condition), _BOOLEANS)
        case And() | Or():
            for condition in part.conditions:
                yield from _unsuitable(part.op, types_of(condition), _BOOLEANS)
        case Unnest():
            yield from _unsuitable(part.op, types_of(part.items), _LISTS)


def _comparison(part: Comparison, types_of: TypesOf) -> Iterator[str]:
    if Constant(None) in (part.left, part.right):
        yield f"{part.operator!r} with null is never true; use is_missing"
        return
    left, right = types_of(part.left), types_of(part.right)
    if part.operator in _TEXT_OPERATORS:
        for types in (left, right):
            yield from _unsuitable(part.operator, types, _STRINGS)
    elif part.operator == "in":
        yield from _unsuitable("the right side of in", right, _LISTS)
        if right.may_be(ValueType.LIST) and _are_apart(left.names, right.items):
            hint = _hint(left.names, right.items, part.left)
            yield f"in looks for {_listed(left.names)} in a list with {_listed(right.items)}{hint}"
    elif _are_apart(left.names, right.names):
        hint = _hint(left.names, right.names, part.left if left.names <= _STRINGS else part.right)
        yield f"{part.operator} compares {_listed(left.names)} with {_listed(right.names)}{hint}"
    elif part.operator not in {"=", "!="} and left.names and (left.names | right.names) <= _LISTS:
        yield f"{part.operator} does not compare lists; use = or in"


def _arithmetic(part: Arithmetic, types_of: TypesOf) -> Iterator[str]:
    left, right = types_of(part.left), types_of(part.right)
    suitable: list[AbstractSet[ValueType]] = [NUMBERS, *([_STRINGS] if part.operator == "+" else [])]
    if any(all(not types.names or types.names & accepted for types in (left, right)) for accepted in suitable):
        return
    if left.may_be(*ELEMENTS) or right.may_be(*ELEMENTS):
        return  # another check says so
    needed = "two numbers, or two strings" if part.operator == "+" else "two numbers"
    yield f"{part.operator} needs {needed}, found {_listed(left.names)} and {_listed(right.names)}"


def _unsuitable(what: str, types: Types, accepted: AbstractSet[ValueType]) -> Iterator[str]:
    if types.names and not types.may_be(*accepted, *ELEMENTS):
        yield f"{what} needs {_listed(accepted)}, found {_listed(types.names)}"


def _are_apart(left: frozenset[ValueType], right: frozenset[ValueType]) -> bool:
    """Return whether values of these types are never comparable; nodes and relationships have a check of their own."""
    if not left or not right or (left | right) & ELEMENTS:
        return False
    return not {_NAMES[one] for one in left} & {_NAMES[one] for one in right}


def _hint(left: frozenset[ValueType], right: frozenset[ValueType], text: Expression) -> str:
    """Say how to correct a comparison; `text` is the operand that may be a string."""
    names = left | right
    if names & NUMBERS and names & _STRINGS and any(isinstance(part, Property) for part in walk(text)):
        # A single value that is no number makes the content of a property a string.
        return "; convert it with to_float, or set the type of the property in KGQA_PROPERTY_TYPES"
    if names <= DATES:
        return "; convert the datetime with to_date"
    if names & DATES and names & _STRINGS and names <= DATES | _STRINGS:
        return '; write a date as {"date": "1996-08-01"}'
    return "; use values of the same type"


def _listed(names: AbstractSet[ValueType]) -> str:
    """List types: `a number, a string, or a list`."""
    texts = list(dict.fromkeys(text for name, text in _NAMES.items() if name in names)) or ["a missing value"]
    return " or ".join(texts) if len(texts) < 3 else f"{', '.join(texts[:-1])}, or {texts[-1]}"
