"""Find names that a text spells differently from the graph, such as `Inc-2003` for `INC-2003`."""

from collections.abc import Collection

from shared.exact_match import composed, exact, mentions
from shared.text import words

# A number keeps its value with either minus sign.
_MINUSES = dict.fromkeys(map(ord, "\u2212\u2010\u2011\u2013"), "-")


def respelt_names(text: str, names: Collection[str], ordinary: Collection[str] = ()) -> list[str]:
    """Return the spellings in a text that match a name only if case, marks, or spaces are ignored.

    A number may be grouped (`66,987,244`), and a name may be followed by a possessive ending. The `ordinary` words may
    be used in their own right: a text may say `capital` where an entity is named Capital.

    Example:
        >>> respelt_names("Inc-2003 concerns Checkout.", ["INC-2003", "Checkout"])
        ['Inc-2003']
    """
    text = composed(text)
    spellings: dict[str, list[str]] = {}
    for name in names:
        spellings.setdefault(exact(name), []).append(composed(name))
    found = []
    for mention in mentions(text, names):
        written = text[mention.start : mention.end]
        is_ordinary = written.islower() and set(words(written)) <= set(ordinary)
        if not is_ordinary and not any(_is_spelt(written, known) for known in spellings[exact(mention.name)]):
            found.append(written)
    return list(dict.fromkeys(found))


def _is_spelt(written: str, spelling: str) -> bool:
    written, spelling = written.translate(_MINUSES), spelling.translate(_MINUSES)
    grouped = written.replace(",", "")
    return written.startswith(spelling) or (grouped.isdecimal() and grouped == spelling) or _within(written, spelling)


def _within(written: str, spelling: str) -> bool:
    """Return whether a spelling has only further punctuation around what is written, which a sentence may absorb."""
    before, found, after = spelling.partition(written)
    return bool(found) and not any(map(str.isalnum, before + after))
