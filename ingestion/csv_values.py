"""Read the cells of typed columns: lists, whose delimiter a file shows, and numbers with a decimal point or comma."""

import json
import re
from collections.abc import Iterable, Sequence

from ingestion.typed_values import BadValueError, parse_float
from shared.text import shown

_LIST_DELIMITERS = ";|"
DEFAULT_LIST_DELIMITER = ";"
# Divides labels in addition, where the texts between look like labels: `:Person:Actor`, but not `schema:Person`.
_LABEL_DELIMITER = re.compile(r"[:,]")
_LABEL = re.compile(r"\s*([^\W\d_]\w*)\s*")
_BRACKETED = re.compile(r"\s*\[.*\]\s*", re.DOTALL)
_COMMA = re.compile(r"[+-]?(?:[0-9]+|[0-9]{1,3}(?:\.[0-9]{3})+),[0-9]+")
# May also be an integer with a separator between thousands.
_AMBIGUOUS = re.compile(r"[+-]?[0-9]{1,3},[0-9]{3}")
# May also be an integer with a point between thousands.
_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}(?:\.[0-9]{3})+")
_POINT = re.compile(r"[+-]?[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?")


class MixedDelimitersError(Exception):
    """Raised if the labels of one file seem to be separated by different characters."""


class ListReader:
    """Divide cells into labels or the items of lists.

    The delimiter is the first of `;` and `|` that occurs in a label, or else in a list, unless it is set.
    """

    def __init__(self, delimiter: str | None) -> None:
        """Use this delimiter, or find it if it is None."""
        self.delimiter = delimiter
        self.label_delimiter: str | None = None
        self._is_set = delimiter is not None
        self._evidence = ""

    def survey(self, labels: Iterable[str], lists: Iterable[str]) -> None:
        """Decide by the first rows of a file; labels count more, because they rarely hold punctuation."""
        if self._is_set:
            return
        for label in labels:
            self._decide(label, "label")
        cells = [cell for cell in lists if not _BRACKETED.fullmatch(cell)]
        # The standard delimiter of neo4j-admin counts more than another sign, which a text may contain.
        for candidate in _LIST_DELIMITERS:
            for cell in cells:
                if candidate in cell:
                    self._decide(cell, "list", candidate)

    def labels(self, cell: str) -> list[str]:
        """Divide a cell of labels; raise MixedDelimitersError if it contradicts an earlier cell."""
        self._decide(cell, "label")
        if not self._is_set:
            for other in _LIST_DELIMITERS:
                if other in cell and other != self.delimiter:
                    raise MixedDelimitersError(
                        f"the label {shown(cell)} contains {other!r}, but {self._evidence} is divided by "
                        f"{self.delimiter!r}; set --array-delimiter"
                    )
        if self._is_set:
            return self._split(cell)
        inner = _BRACKETED.fullmatch(cell)
        listed = (_array(cell) or _array(cell.replace("'", '"'))) if inner else None
        parts = listed or self._split(cell.strip()[1:-1] if inner else cell)
        return [label for part in parts for label in self._between_colons(part)]

    def _between_colons(self, text: str) -> list[str]:
        """Divide labels that are written as in Cypher, or with commas."""
        sign = _LABEL_DELIMITER.search(text)
        if sign is None:
            return [text]
        parts = text.strip().removeprefix(":").split(sign[0])
        labels = [_LABEL.fullmatch(part) for part in parts]
        is_marked = text.strip().startswith(":")
        if not all(label and (is_marked or label[1][0].isupper()) for label in labels):
            return [text]
        self.label_delimiter = self.label_delimiter or sign[0]
        return parts

    def items(self, cell: str) -> list[str]:
        """Divide a cell of a list, or read the JSON array in it, as many programs write lists."""
        if _BRACKETED.fullmatch(cell):
            items = _array(cell)
            if items is not None:
                return items
            if _is_one_list(cell.strip(), self.delimiter):
                raise BadValueError(
                    f"{shown(cell)} is in brackets; write the items of a list as a;b, or as a JSON array of texts or "
                    "numbers",
                    "lists in brackets",
                )
        self._decide(cell, "list")
        return self._split(cell)

    def _split(self, cell: str) -> list[str]:
        return cell.split(self.delimiter or DEFAULT_LIST_DELIMITER)

    def _decide(self, cell: str, what: str, candidates: Sequence[str] = _LIST_DELIMITERS) -> None:
        if self.delimiter is None:
            self.delimiter = next((one for one in candidates if one in cell), None)
            self._evidence = f"the {what} {shown(cell)}"


class DecimalReader:
    """Read numbers; the first one that has a decimal point or comma decides for the whole file."""

    def __init__(self) -> None:
        self.sign: str | None = None
        self._evidence = ""

    def survey(self, cells: Iterable[str]) -> None:
        """Decide by the first rows of a file: by a point, then a comma, and then a point that may part thousands."""
        for cell in sorted((cell.strip() for cell in cells), key=_clearness):
            self._decide(cell)

    def number(self, text: str) -> float:
        """Read a finite number; raise BadValueError if it is none, or if its sign is not the one of the file."""
        self._decide(text)
        if self.sign == "," and _COMMA.fullmatch(text):
            return parse_float(text.replace(".", "").replace(",", "."))
        if self.sign == "," and _THOUSANDS.fullmatch(text):
            return parse_float(text.replace(".", ""))
        if self.sign == "," and _POINT.fullmatch(text):
            raise BadValueError(f"{shown(text)} has a decimal point, but {self._evidence} has a decimal comma; use one")
        if self.sign == "." and _COMMA.fullmatch(text):
            raise BadValueError(f"{shown(text)} has a comma, but {self._evidence} has a decimal point; use one")
        if self.sign is None and _AMBIGUOUS.fullmatch(text):
            raise BadValueError(f"{shown(text)} may be a fraction or thousands; write it without a comma")
        return parse_float(text)

    def _decide(self, text: str) -> None:
        if self.sign is None:
            if _POINT.fullmatch(text):
                self.sign = "."
            elif _COMMA.fullmatch(text) and not _AMBIGUOUS.fullmatch(text):
                self.sign = ","
            self._evidence = shown(text)


def _array(cell: str) -> list[str] | None:
    """Return the items of a JSON array of texts, numbers, and booleans, as they are written; None for other texts."""
    try:
        items = json.loads(cell, parse_int=str, parse_float=str, parse_constant=str)
    except (ValueError, RecursionError):
        return None
    if not isinstance(items, list) or not all(isinstance(item, str | bool) for item in items):
        return None
    return [str(item).lower() if isinstance(item, bool) else item for item in items]


def _is_one_list(cell: str, delimiter: str | None) -> bool:
    """Return whether the brackets at both ends enclose several items, unlike in `[REC]` and `[a];[b]`."""
    inner = cell[1:-1]
    separators = {",", '"', delimiter or DEFAULT_LIST_DELIMITER}
    return (not any(sign in inner for sign in "][") and any(sign in inner for sign in separators)) or _is_nested(inner)


def _is_nested(inner: str) -> bool:
    return inner.count("[") == inner.count("]") > 0 and inner.find("[") < inner.find("]")


def _clearness(cell: str) -> int:
    """Return how clearly a number shows the decimal sign of its file, clearest first: `1.5`, `1,5`, then `1.250`."""
    if _POINT.fullmatch(cell):
        return 2 if _THOUSANDS.fullmatch(cell) else 0
    return 1 if _COMMA.fullmatch(cell) else 3
