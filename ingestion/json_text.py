"""Read the text of JSON: numbers that Python would refuse or invent become values that can be reported."""

import json
from collections.abc import Sequence
from typing import Any

from ingestion.typed_values import BadValueError
from shared.text import shortened

_MAX_DIGITS = 1_000  # Python refuses to convert several thousand
_LISTS = ('"nodes"', '"links"', '"edges"')


def load(line: str) -> Any:
    """Return what a text of JSON holds; raise BadValueError if a field occurs twice."""
    try:
        return json.loads(line, parse_constant=NotFinite, object_pairs_hook=_distinct)
    except json.JSONDecodeError:
        raise
    except ValueError:  # Python refuses to convert thousands of digits
        return json.loads(line, parse_constant=NotFinite, object_pairs_hook=_distinct, parse_int=_integer)


class NotFinite(str):
    """Hold a number that is none in JSON: NaN or Infinity."""


class TooLong(str):
    """Hold the digits of an integer that Python does not convert."""


def _integer(digits: str) -> int | TooLong:
    return TooLong(digits) if len(digits) > _MAX_DIGITS else int(digits)


def written(value: object) -> str:
    """Return a value as JSON for an error message, shortened if it is long."""
    if isinstance(value, NotFinite | TooLong):
        return shortened(value)
    # The message may have to be encoded, which half of a character cannot be.
    return shortened(json.dumps(value, ensure_ascii=False).encode(errors="backslashreplace").decode())


def _distinct(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in fields if names.count(name) > 1)
        raise BadValueError(f"the field {written(repeated)} occurs twice in one object; keep one")
    return fields


def broken_document(text: str, is_over_lines: bool) -> tuple[int, str] | None:
    """Return the line and a description of the error in a document; None if the text may be JSON Lines instead.

    `is_over_lines` says that the first object goes on in the next line.
    """
    before_list, bracket, _ = text.partition("[")
    if not is_over_lines and not (bracket and before_list.rstrip().removesuffix(":").rstrip().endswith(_LISTS)):
        return None
    try:
        load(text)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            return None
        if not text[error.pos :].strip() or error.msg.startswith("Unterminated"):
            return error.lineno, "the JSON document ends too early; if the file was cut off, write it again"
        return error.lineno, f"not JSON at column {error.colno} ({error.msg}); correct the document"
    except (ValueError, RecursionError, BadValueError):
        return None
    return None
