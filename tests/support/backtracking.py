"""Match regular expressions by backtracking as Java and Python do, and count the characters that are compared."""

import re._constants as codes  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from collections.abc import Callable, Iterator
from typing import Any

_Node = tuple[Any, Any]
_IN_ORDER = {codes.MAX_REPEAT: False, codes.MIN_REPEAT: True}


class CountingMatcher:
    """Match whole strings; `steps` counts the comparisons of a character with a set, also of the end with one."""

    def __init__(self, pattern: str) -> None:
        self._nodes = list(parser.parse(pattern))
        self.steps = 0

    def matches(self, text: str) -> bool:
        self.steps = 0
        return any(end == len(text) for end in self._ends(self._nodes, text, 0))

    def _ends(self, nodes: list[_Node], text: str, start: int) -> Iterator[int]:
        """Yield where nodes end that match one after the other, in the order in which a matcher tries them."""
        if not nodes:
            yield start
            return
        for end in self._node_ends(nodes[0], text, start):
            yield from self._ends(nodes[1:], text, end)

    def _node_ends(self, node: _Node, text: str, start: int) -> Iterator[int]:
        code, argument = node
        match code:
            case codes.LITERAL:
                yield from self._character(lambda char: char == argument, text, start)
            case codes.NOT_LITERAL:
                yield from self._character(lambda char: char != argument, text, start)
            case codes.IN:
                yield from self._character(lambda char: _is_in(argument, char), text, start)
            case codes.BRANCH:
                for branch in argument[1]:
                    yield from self._ends(list(branch), text, start)
            case codes.SUBPATTERN:
                yield from self._ends(list(argument[-1]), text, start)
            case codes.ATOMIC_GROUP:
                yield from _first(self._ends(list(argument), text, start))
            case codes.POSSESSIVE_REPEAT:
                low, high, part = argument
                yield from _first(self._repeated(list(part), low, high, text, start, lazy=False))
            case codes.MAX_REPEAT | codes.MIN_REPEAT:
                low, high, part = argument
                yield from self._repeated(list(part), low, high, text, start, lazy=_IN_ORDER[code])
            case _:
                raise AssertionError(f"unknown part of a pattern: {code}")

    def _character(self, test: Callable[[int], bool], text: str, start: int) -> Iterator[int]:
        self.steps += 1
        if start < len(text) and test(ord(text[start])):
            yield start + 1

    def _repeated(self, part: list[_Node], low: int, high: Any, text: str, start: int, *, lazy: bool) -> Iterator[int]:
        is_enough, may_go_on = low <= 0, high == codes.MAXREPEAT or high > 0
        if is_enough and lazy:
            yield start
        if may_go_on:
            rest = high if high == codes.MAXREPEAT else high - 1
            for end in self._ends(part, text, start):
                if end > start:
                    yield from self._repeated(part, low - 1, rest, text, end, lazy=lazy)
        if is_enough and not lazy:
            yield start


def _first(ends: Iterator[int]) -> Iterator[int]:
    for end in ends:
        yield end
        return


def _is_in(items: list[_Node], char: int) -> bool:
    is_negated = items[0][0] == codes.NEGATE
    found = any(
        argument[0] <= char <= argument[1] if code == codes.RANGE else char == argument
        for code, argument in items[is_negated:]
    )
    return bool(found != is_negated)
