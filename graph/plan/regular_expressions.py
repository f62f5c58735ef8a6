"""Read the regular expressions of plans: the part of Java's syntax that means the same everywhere.

A pattern matches a whole string. Repeated groups, back references, and look-around are refused, because matchers that
backtrack take exponential time for them; `linear_patterns.py` bounds the time that the others take.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from graph.plan.character_ranges import Range, complement
from shared.errors import InvalidInputError
from shared.text import shown

MAX_CHARACTERS = 500
_MAX_COPIES = 100
_MAX_NESTED = 20

_LINE_ENDS: tuple[Range, ...] = ((0x0A, 0x0A), (0x0D, 0x0D), (0x85, 0x85), (0x2028, 0x2029))
_CLASSES: dict[str, tuple[Range, ...]] = {
    "d": ((0x30, 0x39),),
    "w": ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)),
    "s": ((0x09, 0x0D), (0x20, 0x20)),
}
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_FLAGS = {"(?i)": (True, False), "(?s)": (False, True), "(?is)": (True, True), "(?si)": (True, True)}


@dataclass(frozen=True, slots=True)
class Characters:
    """Match one character within any of the ranges."""

    ranges: tuple[Range, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """Match a part `low` to `high` times; any number of times from `low` if `high` is None."""

    part: "Part"
    low: int
    high: int | None


@dataclass(frozen=True, slots=True)
class Sequence:
    """Match parts one after the other."""

    parts: tuple["Part", ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Match any of several parts."""

    parts: tuple["Part", ...]


Part = Characters | Repeat | Sequence | Choice


@lru_cache(maxsize=256)
def read_regular_expression(text: str) -> Part:
    """Parse a pattern.

    Raises:
        InvalidInputError: The pattern is malformed, or has a construct that is not supported.
    """
    if len(text) > MAX_CHARACTERS:
        raise InvalidInputError(f"the regular expression has more than {MAX_CHARACTERS} characters")
    flags = next((flags for flags in _FLAGS if text.startswith(flags)), "")
    ignore_case, all_characters = _FLAGS.get(flags, (False, False))
    return _Reader(text, len(flags), ignore_case, all_characters).read()


class _Reader:
    def __init__(self, text: str, start: int, ignore_case: bool, all_characters: bool) -> None:
        self._text = text
        self._place = start
        self._ignore_case = ignore_case
        self._dot = Characters(complement(() if all_characters else _LINE_ENDS))
        self._nested = 0

    def read(self) -> Part:
        self._skip("^")
        found = self._choice()
        self._skip("$")
        if self._place < len(self._text):
            raise self._error("an unexpected character")
        return found

    # Characters of the pattern

    def _error(self, problem: str) -> InvalidInputError:
        return InvalidInputError(
            f"the regular expression {shown(self._text)} has {problem} at character {self._place + 1}; "
            "use only characters, classes, quantifiers of characters, groups, and alternatives"
        )

    def _next(self) -> str:
        return self._text[self._place : self._place + 1]

    def _take(self) -> str:
        if not (found := self._next()):
            raise self._error("an end that is too early")
        self._place += 1
        return found

    def _skip(self, wanted: str) -> bool:
        if not self._text.startswith(wanted, self._place):
            return False
        self._place += len(wanted)
        return True

    # Parts

    def _choice(self) -> Part:
        parts = [self._sequence()]
        while self._skip("|"):
            parts.append(self._sequence())
        return Choice(tuple(parts)) if len(parts) > 1 else parts[0]

    def _sequence(self) -> Part:
        parts: list[Part] = []
        while (char := self._next()) and char not in "|)" and self._text[self._place :] != "$":
            parts.append(self._repeated())
        return Sequence(tuple(parts))

    def _repeated(self) -> Part:
        is_group = self._next() == "("
        part = self._group() if is_group else self._characters()
        low, high = self._quantifier()
        if (low, high) == (1, 1):
            return part
        if is_group and (low, high) != (0, 1):
            raise self._error("a repeated group")
        if self._next() in set("*+{"):
            raise self._error("a possessive or a second quantifier")
        self._skip("?")  # a reluctant quantifier matches the same whole strings
        if max(low, high or 0) > _MAX_COPIES:
            raise self._error(f"a quantifier above {_MAX_COPIES}")
        return Repeat(part, low, high)

    def _group(self) -> Part:
        self._take()
        if self._next() == "?" and not self._skip("?:"):
            raise self._error("a special group")
        self._nested += 1
        if self._nested > _MAX_NESTED:
            raise self._error(f"more than {_MAX_NESTED} groups within each other")
        found = self._choice()
        self._nested -= 1
        if not self._skip(")"):
            raise self._error("a group without an end")
        return found

    def _quantifier(self) -> tuple[int, int | None]:
        for symbol, bounds in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self._skip(symbol):
                return bounds
        if not self._skip("{"):
            return 1, 1
        low = self._number()
        high: int | None = low
        if self._skip(","):
            high = None if self._next() == "}" else self._number()
        if not self._skip("}") or (high is not None and high < low):
            raise self._error("a malformed quantifier")
        return low, high

    def _number(self) -> int:
        digits = ""
        while self._next() and self._next() in "0123456789":
            digits += self._take()
        if not 0 < len(digits) <= 4:
            raise self._error("a malformed quantifier")
        return int(digits)

    def _characters(self) -> Characters:
        char = self._take()
        match char:
            case ".":
                return self._dot
            case "[":
                return self._class()
            case "\\":
                return self._any_case(self._escape())
            case _ if char in "*+?{^$]}":
                self._place -= 1
                raise self._error("a misplaced special character")
        return self._any_case((_one(char),))

    def _escape(self) -> tuple[Range, ...]:
        char = self._take()
        if char.lower() in _CLASSES:
            ranges = _CLASSES[char.lower()]
            return ranges if char.islower() else complement(ranges)
        if char.isascii() and char.isalnum() and char not in _CONTROLS:
            raise self._error("an unsupported escape")
        return (_one(_CONTROLS.get(char, char)),)

    def _class(self) -> Characters:
        is_negated = self._skip("^")
        ranges: list[Range] = []
        while (char := self._take()) != "]":
            if char == "[" or (char == "&" and self._next() == "&") or char == "^":
                raise self._error("an unsupported class")
            ranges += self._escape() if char == "\\" else (_one(char),)
            if self._next() == "-" and not self._text.startswith("-]", self._place):
                self._take()
                ranges[-1:] = [self._range(ranges[-1])]
        if not ranges:
            raise self._error("an empty class")
        folded = self._any_case(tuple(ranges))
        return Characters(complement(folded.ranges)) if is_negated else folded

    def _range(self, first: Range) -> Range:
        char = self._take()
        last = self._escape() if char == "\\" else (_one(char),)
        if char == "[" or first[0] != first[1] or len(last) > 1 or last[0][0] != last[0][1] or last[0] < first:
            raise self._error("a malformed range")
        return first[0], last[0][1]

    def _any_case(self, ranges: tuple[Range, ...]) -> Characters:
        """Add the other case of ASCII letters if the pattern ignores the case; Java does so for ASCII alone."""
        return Characters(tuple(ranges) + tuple(_other_case(ranges)) if self._ignore_case else tuple(ranges))


def _one(char: str) -> Range:
    return ord(char), ord(char)


def _other_case(ranges: tuple[Range, ...]) -> Iterator[Range]:
    for first, last in ranges:
        for low, high, offset in ((0x41, 0x5A, 32), (0x61, 0x7A, -32)):
            if max(first, low) <= min(last, high):
                yield max(first, low) + offset, min(last, high) + offset
