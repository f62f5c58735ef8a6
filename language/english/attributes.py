"""Recognise attributes that a plan leaves unread: `the average age` where the graph knows no age."""

from collections.abc import Collection, Iterator

from language.english.lexicon import words_of_class
from language.marks import Mark
from language.question import Question

_NO_NOUNS = ("ed", "ing", "ly")
_ENDS_NOUN, _ANYTHING = words_of_class("noun end"), words_of_class("any attribute")


def leaves_attribute(question: Question, unread: Collection[str]) -> bool:
    """Return whether the noun by which a question measures, sorts, groups, or restricts something is unread.

    The `unread` words are in lower case.
    """
    return any(
        noun in unread and noun not in _ANYTHING and not noun.endswith(_NO_NOUNS) for noun in _attributes(question)
    )


def _attributes(question: Question) -> Iterator[str]:
    """Yield the words that may be the noun behind words such as `average` and `sorted by`."""
    for found in question.all(Mark.ATTRIBUTE):
        first, second = ((part or "").lower() for part in found.parts)
        yield first
        if first not in _ENDS_NOUN and second:
            yield second
