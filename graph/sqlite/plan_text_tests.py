"""Compile tests of a string against a constant to SQLite's own functions, which are several times faster than Python's.

SQLite folds the case of ASCII letters only. The table `folded_strings` therefore holds the lower-case form of the
strings for which that is not enough.
"""

from collections.abc import Callable
from dataclasses import dataclass
from string import ascii_uppercase

from graph.plan.algebra import Call, Comparison, Constant, Expression, Function
from graph.sqlite.plan_context import QueryContext
from graph.sqlite.schema import ENTITY_NAME_KEY

_MAX_CHARACTERS = 1_000
_LIKE_PATTERNS: dict[str, Callable[[str], str]] = {
    "=": lambda text: text,
    "contains": lambda text: f"%{text}%",
    "starts_with": lambda text: f"{text}%",
    "ends_with": lambda text: f"%{text}",
}
_WILDCARDS = str.maketrans({"%": "\\%", "_": "\\_", "\\": "\\\\"})
_EXCEPTIONS = "\0\u0130\u212a"
_ASCII_LOWER = {ord(upper): upper.lower() for upper in ascii_uppercase}
_LAST_BEFORE_SURROGATES, _FIRST_AFTER_SURROGATES, _LAST_CHARACTER = 0xD7FF, 0xE000, 0x10FFFF


def needs_folded_form(text: str) -> bool:
    """Return whether `folded_strings` needs the lower-case form of a string, because SQLite cannot ignore its case."""
    return is_exception(text) or (not text.isascii() and text.lower() != text.translate(_ASCII_LOWER))


def is_exception(text: str) -> bool:
    """Return whether SQLite fails to find even ASCII characters in a string.

    `LIKE` reads a string up to a NUL character, and two other characters have ASCII letters in their lower-case form.
    """
    return any(character in text for character in _EXCEPTIONS)


@dataclass(frozen=True, slots=True)
class TextTest:
    """Test whether a string equals, contains, starts with, or ends with a constant; `text` is folded if the case is."""

    value: Expression
    operator: str
    text: str
    ignore_case: bool

    @classmethod
    def of(cls, comparison: Comparison) -> "TextTest | None":
        """Read a comparison; None if it is not such a test."""
        value, text, ignores_case = comparison.left, _text(comparison.right), comparison.ignore_case
        if comparison.operator not in _LIKE_PATTERNS or not text or "\0" in text or len(text) > _MAX_CHARACTERS:
            return None
        if isinstance(value, Call) and value.function is Function.LOWER:
            if not ignores_case and text != text.lower():
                return None
            value, ignores_case = value.arguments[0], True
        return cls(value, comparison.operator, text.lower() if ignores_case else text, ignores_case)

    def sql(self, context: QueryContext, value: str, node: str, key: str) -> str:
        """Return a condition on the string property of a node.

        Args:
            context: The catalogue and the parameters.
            value: The SQL column of the property, which must be a string or missing.
            node: The SQL column of the node.
            key: The key of the property.
        """
        if not self.ignore_case:
            return self._exact(context, value)
        row = context.catalogue.keys.get(key, ENTITY_NAME_KEY)
        pattern = context.parameter(_LIKE_PATTERNS[self.operator](self.text.translate(_WILDCARDS)))
        like = f"{value} LIKE {pattern} ESCAPE '\\'"
        has_exceptions = context.catalogue.folded.get(row)
        if has_exceptions is None or (self.text.isascii() and not has_exceptions):
            return f"({like})"
        folded = f"SELECT entity FROM folded_strings WHERE key = {row}"
        return f"({like} AND {node} NOT IN ({folded}) OR {node} IN ({folded} AND {self._exact(context, 'value')}))"

    def _exact(self, context: QueryContext, value: str) -> str:
        text = context.parameter(self.text)
        match self.operator:
            case "=":
                return f"({value} = {text})"
            case "contains":
                return f"(instr({value}, {text}) > 0)"
            case "ends_with":
                # On text, `substr` stops at a NUL character.
                size = context.parameter(-len(self.text.encode()))
                return f"(substr(CAST({value} AS BLOB), {size}) = CAST({text} AS BLOB))"
        after = _after_all_with_prefix(self.text)
        upper = f" AND {value} < {context.parameter(after)}" if after else ""
        return f"({value} >= {text}{upper})"


def _text(value: Expression) -> str:
    """Return the text of a constant, which may be in a call of `lower`; empty if there is none."""
    match value:
        case Constant(value=str() as text):
            return text
        case Call(function=Function.LOWER, arguments=(Constant(value=str() as text),)):
            return text.lower()
    return ""


def _after_all_with_prefix(prefix: str) -> str | None:
    """Return the first string, by code points, after all strings with this prefix; None if there is none."""
    kept = prefix.rstrip(chr(_LAST_CHARACTER))
    if not kept:
        return None
    last = ord(kept[-1])
    return kept[:-1] + chr(_FIRST_AFTER_SURROGATES if last == _LAST_BEFORE_SURROGATES else last + 1)
