"""Translate the functions of Cypher that return parts of strings."""

from collections.abc import Sequence

from graph.cypher.unsupported import UnsupportedCypherError
from graph.plan.algebra import Arithmetic, Call, Constant, Expression, Function
from graph.plan.part_checks import sought_text_problems

TEXT_FUNCTIONS = {"left", "right", "substring", "replace", "split"}


def text_call(name: str, arguments: Sequence[Expression]) -> Call:
    """Translate a call of one of `TEXT_FUNCTIONS`.

    Raises:
        UnsupportedCypherError: The number of arguments is wrong, or Neo4j and plans disagree on the result.
    """
    if any(_is_negative(argument) for argument in arguments):
        raise UnsupportedCypherError(f"{name}() with a negative number is not supported")
    match name, arguments:
        case "left", [text, number]:
            return Call(Function.LEFT, (text, number))
        case "right", [text, number]:
            return Call(Function.DROP, (text, Arithmetic("-", Call(Function.SIZE, (text,)), number)))
        case "substring", [text, start]:
            return Call(Function.DROP, (text, start))
        case "substring", [text, Constant(value=0), length]:
            return Call(Function.LEFT, (text, length))
        case "substring", [text, start, length]:
            return Call(Function.LEFT, (Call(Function.DROP, (text, start)), length))
        case ("replace", [_, _, _]) | ("split", [_, _]):
            call = Call(Function(name), tuple(arguments))
            for problem in sought_text_problems(call):
                raise UnsupportedCypherError(problem)
            return call
    raise UnsupportedCypherError(f"function {name}() with {len(arguments)} arguments is not supported")


def _is_negative(value: Expression) -> bool:
    return isinstance(value, Constant) and isinstance(value.value, int) and value.value < 0
