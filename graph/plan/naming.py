"""Find the property that names the nodes of a kind."""

import re
from collections.abc import Collection, Mapping
from datetime import date

from graph.plan.content_types import words_of
from graph.plan.durations import DURATION
from graph.plan.schema import PropertySchema
from graph.plan.values import ValueType

_NAMES = {
    ("name",): 100,
    ("nm",): 99,
    ("title",): 95,
    ("display", "name"): 94,
    ("full", "name"): 93,
    ("label",): 90,
    ("caption",): 80,
}
_NAME_OF_KIND, _KIND, _SOME_NAME, _PART_OF_NAME, _OTHER_TITLE = 97, 88, 85, 40, 70
# Words of names that belong to something else, or that are only a part of a name.
_PARTS = {"first", "last", "middle", "maiden", "nick", "user", "contact", "file", "host", "short", "ship", "sort"}
# What people call an invoice is its number rather than its ID.
_NUMBERS = ("code", "number", "num", "nbr", "no", "nr", "reference", "ref")
_IDENTIFIERS = {**dict.fromkeys(_NUMBERS, 28), "id": 20, "key": 14, "uuid": 10, "guid": 10}
# Numbers name years, pages, and lines, but seldom anything that has another name.
_NUMBER_OF_KIND, _VALUE = 25, 15
_UNIQUE_BONUS, _READABLE_TEXT = 5, 30
_MIN_COVERAGE, _MIN_DISTINCT, _MAX_LENGTH = 0.5, 0.3, 150
# Addresses, UUIDs, hashes, and durations, which several things may share.
_NO_LABEL = rf"[a-z]+://|www\.|[^@\s]+@[^@\s]+$|[0-9a-f]{{8}}-[0-9a-f]{{4}}-|[0-9a-f]{{24,}}$|{DURATION}$"
_UNREADABLE = re.compile(_NO_LABEL, re.IGNORECASE)
# Also values with at most one letter, which are names where a property says so: gate `A1`.
_NOT_A_NAME = re.compile(rf"{_NO_LABEL}|[\W\d_]*[^\W\d_]?[\W\d_]*$", re.IGNORECASE)


def choose_name_property(
    kind: str, count: int, properties: Mapping[str, PropertySchema], unique: Collection[str] = ()
) -> str | None:
    """Return the property whose values name the nodes of a kind; None if there is no suitable one.

    Args:
        kind: The kind, such as `Customer`, for which `customerName` is a good name.
        count: The number of nodes of this kind.
        properties: The properties of these nodes.
        unique: The properties that a constraint makes unique.
    """
    scores = {
        key: score + _UNIQUE_BONUS * (key in unique)
        for key, described in properties.items()
        if described.count >= _MIN_COVERAGE * count and (score := _score(kind, key, described)) > 0
    }
    return min(scores, key=lambda key: (-scores[key], key), default=None)


def _score(kind: str, key: str, described: PropertySchema) -> int:
    words = tuple(words_of(key)) or (key.lower(),)
    if words[-1] in _IDENTIFIERS:
        own = words[:-1] == tuple(words_of(kind)) or len(words) == 1
        return _IDENTIFIERS[words[-1]] if own and described.distinct > _MIN_DISTINCT else 0
    if described.content is ValueType.INTEGER:
        return _score_of_number(kind, words, described)
    says_name = words in _NAMES or _is_name_of(kind, words)
    if described.content is not ValueType.STRING or not _is_readable(
        described, _UNREADABLE if says_name else _NOT_A_NAME
    ):
        return 0
    if words in _NAMES:
        return _NAMES[words]
    if _is_name_of(kind, words):
        return _NAME_OF_KIND
    if words == tuple(words_of(kind)):
        return _KIND
    if words[-1] in {"name", "title"}:
        if _PARTS & set(words):
            return _PART_OF_NAME
        return _SOME_NAME if words[-1] == "name" else _OTHER_TITLE
    return _READABLE_TEXT if described.distinct > 1 - _MIN_DISTINCT / 2 and _has_short_values(described) else 0


def _score_of_number(kind: str, words: tuple[str, ...], described: PropertySchema) -> int:
    if described.distinct <= 1 - _MIN_DISTINCT / 2:
        return 0
    if words in _NAMES or words == tuple(words_of(kind)) or _is_name_of(kind, words):
        return _NUMBER_OF_KIND
    return _VALUE if words == ("value",) else 0


def _is_name_of(kind: str, words: tuple[str, ...]) -> bool:
    return "".join(words) in {f"{''.join(words_of(kind))}{suffix}" for suffix in ("name", "title")}


def is_internal_id(text: str) -> bool:
    """Return whether a text is an address, a UUID, a hash, a duration, or has at most one letter.

    Example:
        >>> is_internal_id("f2"), is_internal_id("Ann")
        (True, False)
    """
    return _NOT_A_NAME.match(text) is not None


def readable_value(properties: Mapping[str, object]) -> str | None:
    """Return the value that shows best which node has these properties, in one line; None if there is none.

    Texts are better than numbers and dates, which are better than IDs and addresses.

    Example:
        >>> readable_value({"code": "x7", "year": 1999, "caption": "Harbour at dusk"})
        'Harbour at dusk'
    """
    lines = {key: text for key, value in properties.items() if (text := _line(key, value)) and len(text) <= _MAX_LENGTH}
    return lines[min(lines, key=lambda key: (*_rank(key, properties[key]), key))] if lines else None


def _line(key: str, value: object) -> str:
    if isinstance(value, list | tuple) and tuple(words_of(key)) in _NAMES:
        value = ", ".join(item for item in value if isinstance(item, str))
    is_readable = isinstance(value, str | int | float | date) and not isinstance(value, bool)
    return " ".join(str(value).split()) if is_readable else ""


def _rank(key: str, value: object) -> tuple[int, int]:
    """Return how well a value shows which node has it, lowest first."""
    score = _NAMES.get(tuple(words_of(key)), 0)
    if not isinstance(value, str):
        return 1, -score
    return (2 if is_internal_id(value.strip()) else 0), -score


def _is_readable(described: PropertySchema, not_a_name: re.Pattern[str]) -> bool:
    texts = [value for value in described.samples if isinstance(value, str)]
    if not texts or described.distinct < _MIN_DISTINCT:
        return False
    unsuitable = sum(bool(not_a_name.match(text)) for text in texts)
    return unsuitable <= len(texts) / 2 and sorted(map(len, texts))[len(texts) // 2] <= _MAX_LENGTH


def _has_short_values(described: PropertySchema) -> bool:
    return all(isinstance(value, str) and len(value.split()) <= 6 for value in described.samples)
