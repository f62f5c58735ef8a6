"""Compare sets of characters, and write them as classes of regular expressions."""

from collections.abc import Iterable, Sequence

Range = tuple[int, int]
"""The first and the last code point."""
Ranges = tuple[Range, ...]
"""A set of characters: ranges in order, with gaps between them."""

LAST_CODE_POINT = 0x10FFFF
# Halves of UTF-16 characters, which no text contains.
_FIRST_SURROGATE, _LAST_SURROGATE = 0xD800, 0xDFFF


def merged(ranges: Iterable[Range]) -> Ranges:
    """Return the set of all characters within any of the ranges."""
    found: list[Range] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        else:
            found.append((first, last))
    return tuple(found)


def complement(ranges: Iterable[Range]) -> Ranges:
    """Return the set of all other characters."""
    found, start = [], 0
    for first, last in merged(ranges):
        if first > start:
            found.append((start, first - 1))
        start = last + 1
    if start <= LAST_CODE_POINT:
        found.append((start, LAST_CODE_POINT))
    return tuple(found)


def are_disjoint(one: Ranges, other: Ranges) -> bool:
    """Return whether two sets have no character in common."""
    return not any(a <= d and c <= b for a, b in one for c, d in other)


def covers(one: Ranges, other: Ranges) -> bool:
    """Return whether a set has all characters of another."""
    return all(any(a <= c and d <= b for a, b in one) for c, d in other)


def class_text(ranges: Ranges) -> str:
    """Write a set as one character or class, in the syntax of both Java and Python.

    Example:
        >>> class_text(((48, 57), (95, 95))), class_text(((46, 46),))
        ('[0-9_]', '\\\\.')
    """
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return _character(ranges[0][0])
    others = complement(ranges)
    is_negated = bool(others) and (not ranges or ranges[-1][1] == LAST_CODE_POINT)
    return f"[{'^' * is_negated}{_ranges(others if is_negated else ranges)}]"


def _ranges(ranges: Sequence[Range]) -> str:
    texts = []
    for first, last in ranges:
        start = _LAST_SURROGATE + 1 if _FIRST_SURROGATE <= first <= _LAST_SURROGATE else first
        end = _FIRST_SURROGATE - 1 if _FIRST_SURROGATE <= last <= _LAST_SURROGATE else last
        if start < end:
            texts.append(f"{_character(start)}-{_character(end)}")
        elif start == end:
            texts.append(_character(start))
    return "".join(texts)


def _character(code: int) -> str:
    if code < 0x20 or code == 0x7F:
        return f"\\x{code:02x}"
    char = chr(code)
    return f"\\{char}" if char.isascii() and not char.isalnum() and char != "_" else char
