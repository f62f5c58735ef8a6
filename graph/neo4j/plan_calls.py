"""Compile calls of functions to Cypher, and conversions between types."""

from typing import TYPE_CHECKING

from graph.neo4j.durations import DIFFERENCE, DURATION_PART, SHIFT
from graph.neo4j.points import DISTANCE
from graph.neo4j.temporal import DATETIME_TEXT, FROM_EPOCH, START, TEXT_TO_DATETIME, TO_DATETIME
from graph.neo4j.type_tests import BOOLEANS, LISTS, STRINGS, is_one_of
from graph.plan.algebra import Call, Expression, Function
from graph.plan.durations import DURATION
from graph.plan.functions import DATE_PARTS, DIFFERENCES, STARTS_OF_DATES, STARTS_OF_TIMES, TIME_PARTS
from graph.plan.scope import DATES, NUMBERS
from graph.plan.text_functions import DECIMAL_NUMBER, LEADING_DATE
from graph.plan.values import ValueType

if TYPE_CHECKING:
    from graph.neo4j.plan_expressions import ExpressionCompiler

# By function: the types of the first argument for which it has a result, and the result in Cypher.
_FUNCTIONS: dict[Function, tuple[frozenset[ValueType], str]] = {
    Function.LOWER: (STRINGS, "toLower({0})"),
    Function.UPPER: (STRINGS, "toUpper({0})"),
    Function.TRIM: (STRINGS, "trim({0})"),
    Function.LEFT: (STRINGS, "left({0}, {1})"),
    Function.DROP: (STRINGS, "substring({0}, {1})"),
    Function.REPLACE: (STRINGS, "replace({0}, {1}, {2})"),
    Function.SPLIT: (STRINGS, "split({0}, {1})"),
    Function.SIZE: (STRINGS | LISTS, "size({0})"),
    Function.ABS: (NUMBERS, "abs({0})"),
    Function.ROUND: (NUMBERS, "round({0})"),
    Function.FLOOR: (NUMBERS, "floor({0})"),
    Function.CEIL: (NUMBERS, "ceil({0})"),
    Function.TO_STRING: (STRINGS | BOOLEANS | {ValueType.INTEGER, ValueType.DATE}, "toString({0})"),
    **{part: (DATES, f"{{0}}.{part}") for part in DATE_PARTS},
    Function.WEEKDAY: (DATES, "{0}.dayOfWeek"),
    **{part: (frozenset((ValueType.DATETIME,)), f"{{0}}.{part}") for part in TIME_PARTS},
    **{function: (DATES, START[function]) for function in STARTS_OF_DATES},
    **{function: (frozenset((ValueType.DATETIME,)), START[function]) for function in STARTS_OF_TIMES},
    **{function: (frozenset((ValueType.INTEGER,)), text) for function, text in FROM_EPOCH.items()},
    Function.FIRST: (LISTS, "head({0})"),
    Function.LAST: (LISTS, "last({0})"),
    Function.TAKE: (LISTS, "{0}[..{1}]"),
    Function.ITEM: (LISTS, "{0}[{1}]"),
}
# Neo4j rejects negative numbers of characters, and those above 32 bits.
_NUMBER_OF_PARTS = "CASE WHEN {0} < 0 THEN 0 WHEN {0} > 2147483647 THEN 2147483647 ELSE {0} END"


def compiled_call(call: Call, compiler: "ExpressionCompiler") -> str:
    """Compile a call, which is null where an argument has an unsuitable type."""
    first, *others = call.arguments
    match call.function:
        case Function.COALESCE:
            return f"coalesce({', '.join(map(compiler.value, call.arguments))})"
        case Function.DISTANCE:
            return _distance(call, compiler)
        case Function.TO_INTEGER:
            return _converted(first, compiler, NUMBERS | BOOLEANS, "toIntegerOrNull({0})", DECIMAL_NUMBER)
        case Function.TO_FLOAT:
            return _converted(first, compiler, NUMBERS, "toFloatOrNull({0})", DECIMAL_NUMBER)
        case Function.TO_BOOLEAN:
            return _converted(first, compiler, BOOLEANS, "{0}", "(?i)true|false", "toBoolean({0})")
        case Function.TO_DATE:
            return _converted(first, compiler, DATES, "date({0})", f"{LEADING_DATE}(?s:.*)", "date(left({0}, 10))")
        case Function.TO_DATETIME:
            return _converted(first, compiler, DATES, TO_DATETIME, DATETIME_TEXT, TEXT_TO_DATETIME)
        case _ if call.function in DIFFERENCES:
            start, end = (compiler.guarded(one, DATES, TO_DATETIME) for one in call.arguments)
            return "null" if "null" in (start, end) else DIFFERENCE[call.function].format(start, end)
        case _ if call.function in SHIFT:
            return _shifted(call, compiler)
        case _ if call.function in DURATION_PART:
            return of_duration(first, DURATION_PART[call.function], compiler)
    accepted, result = _FUNCTIONS[call.function]
    for place, argument in enumerate(others, 1):
        # `guarded` formats the result once more.
        text = _further_argument(call.function, argument, compiler).replace("{", "{{").replace("}", "}}")
        result = result.replace(f"{{{place}}}", text)
    return compiler.guarded(first, accepted, result)


def _further_argument(function: Function, value: Expression, compiler: "ExpressionCompiler") -> str:
    """Compile a number of characters or items, a place in a list, or a string."""
    if function in {Function.REPLACE, Function.SPLIT}:
        return compiler.guarded(value, STRINGS, "{0}")
    bounds = "{0}" if function is Function.ITEM else _NUMBER_OF_PARTS
    return compiler.guarded(value, frozenset((ValueType.INTEGER,)), bounds)


def _shifted(call: Call, compiler: "ExpressionCompiler") -> str:
    moment = compiler.guarded(call.arguments[0], DATES, "{0}")
    duration = of_duration(call.arguments[1], "duration({0})", compiler)
    if "null" in (moment, duration):
        return "null"
    return compiler.let(moment, lambda a: compiler.let(duration, lambda b: SHIFT[call.function].format(a, b)))


def _distance(call: Call, compiler: "ExpressionCompiler") -> str:
    numbers = [compiler.guarded(one, NUMBERS, "{0}") for one in call.arguments]
    # Neo4j rejects a point whose coordinate is always null.
    if "null" in numbers:
        return "null"
    names = [compiler.new_name() for _ in numbers]
    text = DISTANCE.format(*names)
    for name, number in zip(names, numbers, strict=True):
        text = f"head([{name} IN [{number}] | {text}])"
    return text


def of_duration(value: Expression, result: str, compiler: "ExpressionCompiler") -> str:
    """Compile to `result`, in which `{0}` stands for the text of a duration, or to null for other values."""
    return _converted(value, compiler, frozenset(), "null", DURATION, result)


def _converted(
    value: Expression,
    compiler: "ExpressionCompiler",
    accepted: frozenset[ValueType],
    result: str,
    pattern: str,
    of_text: str = "",
) -> str:
    """Convert a value of an accepted type, or a string that matches a pattern."""
    types = compiler.scope.types(value)
    if not types.names & (accepted | STRINGS):
        return "null"
    if types.names <= accepted:
        return result.format(compiler.value(value))
    expression = compiler.parameter(pattern)

    def convert(name: str) -> str:
        text = f"WHEN {is_one_of(name, STRINGS)} AND {name} =~ {expression} THEN {(of_text or result).format(name)}"
        converted = f"WHEN {is_one_of(name, accepted)} THEN {result.format(name)}"
        # Neo4j rejects a conversion of a type that it infers, even where it never runs.
        branches = [converted] * types.may_be(*accepted) + [text] * types.may_be(ValueType.STRING)
        return f"CASE {' '.join(branches)} END"

    return compiler.let(compiler.value(value), convert)
