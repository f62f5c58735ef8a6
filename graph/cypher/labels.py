"""Read the label expressions of Cypher: `:A:B`, and the operators `!`, `&`, and `|`, in the order of their binding."""

import re
from collections.abc import Iterable
from typing import cast

from lark import Token, Tree

from graph.cypher.unsupported import UnsupportedCypherError
from graph.plan.algebra import And, Expression, HasKind, Not, Or
from shared.errors import InvalidInputError

# Neo4j decodes these in the whole query; a pair of backslashes escapes nothing, but the second one begins no escape.
_ESCAPE = re.compile(r"\\\\|\\u([0-9A-Fa-f]{4})")


def kinds_and_test(variable: str, labels: Tree[Token]) -> tuple[list[str], Expression | None]:
    """Split the labels of a node pattern into the kinds that the node must have, and a test for the rest.

    Example: `:A&(B|C)` gives the kind A, and a test for B or C.
    """
    kinds: list[str] = []
    tests: list[Expression] = []
    for part in _conjuncts(_labels(labels)):
        if part.data == "one_label":
            kinds.append(name_of(cast("Tree[Token]", part.children[0])))
        else:
            tests.append(_test(variable, part))
    return kinds, And(tuple(tests)) if len(tests) > 1 else next(iter(tests), None)


def label_test(variable: str, labels: Tree[Token]) -> Expression:
    """Read labels as a condition on the node in a variable."""
    tests = tuple(_test(variable, label) for label in _labels(labels))
    return And(tests) if len(tests) > 1 else tests[0]


def name_of(tree: Tree[Token]) -> str:
    """Return an identifier without its quotes."""
    token = cast(Token, tree.children[0])
    return _ESCAPE.sub(_decoded, token[1:-1]).replace("``", "`") if token.type == "QUOTED_NAME" else str(token)


def _decoded(escape: re.Match[str]) -> str:
    character = chr(int(escape[1], 16)) if escape[1] else escape[0]
    if character == "`":
        raise UnsupportedCypherError("the escape \\u0060 in a name is not supported; write two backticks")
    return character


def _labels(labels: Tree[Token]) -> list[Tree[Token]]:
    """Return the labels that colons separate; raise InvalidInputError if one of several has an operator."""
    found = cast("list[Tree[Token]]", labels.children)
    if len(found) > 1 and any(label.data != "one_label" for label in found):
        raise InvalidInputError(
            "labels with ':' between them cannot have the operators '!', '&', and '|'; use only '&'"
        )
    return found


def _conjuncts(labels: Iterable[Tree[Token]]) -> Iterable[Tree[Token]]:
    for label in labels:
        if label.data == "all_labels":
            yield from _conjuncts(cast("list[Tree[Token]]", label.children))
        else:
            yield label


def _test(variable: str, label: Tree[Token]) -> Expression:
    parts = cast("list[Tree[Token]]", label.children)
    match label.data:
        case "one_label":
            return HasKind(variable, name_of(parts[0]))
        case "no_label":
            return Not(_test(variable, parts[0]))
        case "all_labels":
            return And(tuple(_test(variable, part) for part in parts))
        case "any_label":
            return Or(tuple(_test(variable, part) for part in parts))
    raise UnsupportedCypherError("the label % is not supported")
