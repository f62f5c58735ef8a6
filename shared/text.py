"""Normalise and clean text. To compare names with their signs and marks, use `shared.exact_match`."""

import re
import unicodedata

from pydantic import AfterValidator
from pydantic_core import PydanticKnownError

MAX_NAME_CHARACTERS = 500
"""The number of characters up to which a text may name an entity."""
_MAX_CHARACTERS_SHOWN = 60
_NOT_WORD = re.compile(r"(?:[^\w\u0300-\u036f\u0900-\u0dff\u0e00-\u0fff\u3099\u309a]|_)+")
_ACCENTED_SCRIPTS = ("LATIN", "GREEK", "CYRILLIC")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_APOSTROPHES = re.compile(r"['’‘`´]")
_POSSESSIVE = re.compile(r"['’‘`´]s\b", re.IGNORECASE)
# Scripts with joiners: Arabic and related scripts, Indic, Tibetan, Myanmar, Khmer, Mongolian, Indonesian.
_JOINING = (
    r"\u0600-\u0dff\u0f00-\u109f\u1780-\u18af\u1900-\u1cff\ua800-\ua8ff\ua980-\ua9df\uaa00-\uabff\ufb50-\ufdff"
    r"\ufe70-\ufefc\U00010a00-\U00011fff"
)
_EMOJI = r"\u2190-\u2bff\ufe0f\U0001f000-\U0001faff"
# Scripts that may separate words with zero-width spaces: Thai, Lao, Myanmar, Khmer.
_WITHOUT_SPACES = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"

_INVISIBLE = re.compile(
    # Soft hyphen, bidirectional controls, word joiner, invisible operators, byte order mark.
    r"[\u00ad\u061c\u180e\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]"
    rf"|(?<![{_WITHOUT_SPACES}])\u200b"
    rf"|(?<![{_JOINING}])\u200c"
    rf"|(?<![{_JOINING}{_EMOJI}])\u200d|(?<![{_JOINING}])\u200d(?![{_EMOJI}])"
)


_HAS_MARKS = re.compile(r"[<*_~:]")
_TAG = re.compile(
    r"</?(?:a|b|i|s|u|p|br|hr|em|strong|small|mark|code|pre|span|div|font|del|ins|sub|sup|ul|ol|li|h[1-6]|blockquote"
    r"|table|tr|td|th|img|script|style)(?:\s+[a-z-]+=(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s<>]+))*\s*/?>",
    re.IGNORECASE,
)
_CHAT_MARK = re.compile(r"<[@#!][^<>]*>|(?<![\w:]):[a-z][a-z0-9_+-]*:(?![\w:])")
_EMPHASIS = re.compile(r"(?<![\w*_~])(\*{1,3}|_{1,3}|~{1,2})(?=\S)((?:(?!\1).)*?\S)\1(?![\w*_~]|\.\w)")


def normalise(text: str) -> str:
    """Fold case, accents, punctuation, and whitespace: `Côte d'Ivoire` -> `cote divoire`.

    Text that consists only of punctuation keeps it, so that no name becomes empty.
    """
    if text.isascii() and text.replace(" ", "").isalnum():
        return " ".join(text.lower().split())  # same result, several times faster
    bare = text.casefold() if text.isascii() else _without_accents(text)
    if bare.replace(" ", "").isalnum():
        return " ".join(bare.split())
    folded = _NOT_WORD.sub(" ", _APOSTROPHES.sub("", bare)).strip()
    return folded or text.casefold().strip()


def with_full_stop(text: str) -> str:
    """End a text with a full stop, unless it ends with a mark already."""
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _without_accents(text: str) -> str:
    """Fold to lower case, and remove accents in scripts that treat them as optional.

    In other scripts, a mark changes the letter itself, as with Devanagari vowels and voiced kana.
    """
    # Fold twice, because some symbols decompose into capital letters (`№`).
    apart = unicodedata.normalize("NFKD", text.casefold()).casefold()
    # Most texts have no marks, and looking up a character's name takes ten times as long as this test.
    if not any(map(unicodedata.combining, apart)):
        return unicodedata.normalize("NFC", apart)
    kept: list[str] = []
    letter = ""
    for character in apart:
        if not unicodedata.combining(character):
            letter = character
        elif letter and unicodedata.name(letter, "").startswith(_ACCENTED_SCRIPTS):
            continue
        kept.append(character)
    return unicodedata.normalize("NFC", "".join(kept))


def readable(relation: str) -> str:
    """Return a relation's name as words: `directed by` for `directed_by`, `directedBy`, or `http://e.org/p#directedBy`.

    Only the last part of a dotted name or an IRI is used. A leading `^` becomes `inverse of`.
    """
    if relation.startswith("^"):
        return f"inverse of {readable(relation[1:])}"
    last = re.split(r"[/#]", relation.rstrip("/#>"))[-1]
    last = last.split(".")[-1] or last
    spaced = _CAMEL.sub(" ", last.replace("_", " ").replace("-", " "))
    return " ".join(spaced.split()).lower() or relation


def without_possessives(text: str) -> str:
    """Remove possessive endings: `France's` -> `France`."""
    return _POSSESSIVE.sub("", text)


def words(text: str) -> list[str]:
    """Return the normalised words of a text."""
    return normalise(text).split()


def word_set(text: str) -> frozenset[str]:
    """Split `text` at whitespace, and return the set of its words."""
    return frozenset(text.split())


def without_invisible(text: str) -> str:
    """Remove invisible characters and strip what remains, so that names that look the same compare equal.

    Joiners and zero-width spaces are kept where a script or an emoji requires them.
    """
    if text.isascii():
        return text
    visible = _INVISIBLE.sub("", text)
    return text if visible == text else visible.strip()


def without_markup(text: str) -> str:
    """Remove HTML tags, Markdown marks, mentions of chat users, and emoji codes; return the text if nothing remains.

    Example:
        >>> without_markup("<b>Which</b> films did **Ann Lee** direct? <@U42> :smile:")
        'Which films did Ann Lee direct?'
    """
    if not _HAS_MARKS.search(text):
        return text
    plain = _CHAT_MARK.sub(" ", _TAG.sub("", text))
    plain = _EMPHASIS.sub(r"\2", _EMPHASIS.sub(r"\2", plain))
    return " ".join(plain.split()) or text


def _visible(text: str) -> str:
    if not (visible := without_invisible(text)):
        raise PydanticKnownError("string_too_short", {"min_length": 1})
    return visible


VISIBLE = AfterValidator(_visible)
"""Pydantic validator that removes invisible characters, and rejects text that has no other characters."""
PLAIN = AfterValidator(without_markup)
"""Pydantic validator that removes markup and chat marks."""


def shown(value: object) -> str:
    """Return a value for an error message, shortened if it is long."""
    return shortened(repr(value))


def shortened(text: str, limit: int = _MAX_CHARACTERS_SHOWN) -> str:
    """Return a text for an error message, cut after `limit` characters."""
    return text if len(text) <= limit else f"{text[:limit]}..."
