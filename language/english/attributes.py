"""Recognise attributes that a plan leaves unread: `the average age` where the graph knows no age."""

import re
from collections.abc import Collection, Iterator

from language.english.lexicon import words_of_class

_ORDER = r"(?:in|by) (?:(?:ascending|descending|the) )*order of|(?:sort|order|rank|group)(?:ed)?(?: \w+){0,2}? by"
_BEFORE = (
    r"average|avg|mean|total|max(?:imum)?|min(?:imum)?|highest|lowest|largest|greatest|smallest|biggest|least|each"
    rf"|(?<=\w )whose|every|per|(?:{_ORDER})(?: (?:their|its|the|his|her|ascending|descending))*"
    r"|(?:most|least) (?:common|frequent|popular)|(?:with|of|below|above|under|over|at)(?= \w+ \d)"
    r"|with(?= (?:an? )?\w+ (?:above|below|over|under|higher|lower|greater|less|more|larger|smaller|between|equal))"
)
_ATTRIBUTE = re.compile(rf"\b(?:{_BEFORE})\s+(?:an? |the )?(\w+)(?:\s+(\w+))?", re.IGNORECASE)
_NO_NOUNS = ("ed", "ing", "ly")
_ENDS_NOUN, _ANYTHING = words_of_class("noun end"), words_of_class("any attribute")


def leaves_attribute(question: str, unread: Collection[str]) -> bool:
    """Return whether the noun by which a question measures, sorts, groups, or restricts something is unread.

    The `unread` words are in lower case.
    """
    return any(
        noun in unread and noun not in _ANYTHING and not noun.endswith(_NO_NOUNS) for noun in _attributes(question)
    )


def _attributes(question: str) -> Iterator[str]:
    """Yield the words that may be the noun behind words such as `average` and `sorted by`."""
    for found in _ATTRIBUTE.finditer(question):
        first, second = found[1].lower(), (found[2] or "").lower()
        yield first
        if first not in _ENDS_NOUN and second:
            yield second
