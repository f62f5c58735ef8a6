"""Find the nouns that say what a question asks for, counts, or asks the place of."""

import itertools
import re

from language.marks import Mark
from language.question import Question

_AFTER_NOUN = (
    "is are was were do does did has have had can could will would should may might of in on at to from for with by as "
    "that who which whose what where when and or not isn't aren't don't doesn't didn't"
)
_ENDS_NOUN = frozenset(_AFTER_NOUN.split())
_PARTICIPLE = re.compile(r"\b(?:most|least)\s+\w+ed[ -](?:on|by|in|at|to|for|with)\s+")  # `the most commented on posts`
_NO_NOUNS = ("ed", "ing", "ly")
_SAY_LITTLE = frozenset(("number", "code", "address", "name", "id"))
_POSSESSIVE = re.compile(r"['’]s?$")


def noun_words(text: str) -> list[str]:
    """Return the first words of a text, in lower case, up to where the noun among them ends.

    Example:
        >>> noun_words("most commented on Blog posts of Ann")
        ['blog', 'posts']
    """
    return _before_end(_PARTICIPLE.sub("", text.lower()))


def asked_words(question: Question) -> str:
    """Return the words that begin with what a question asks for, or counts; nothing if it does neither."""
    found = question.first(Mark.ASKED_NOUN) or question.first(Mark.COUNTED_NOUN)
    return (found.parts[0] or "").lower() if found else ""


def asked_noun(question: Question) -> str | None:
    """Return the noun that says what a question asks for, in lower case: `shelf` of `what shelf is it on`.

    Participles behind the noun do not count, as in `roles played`; in `phone number`, the first noun says more.
    """
    nouns = [word for word in _before_end(asked_words(question)) if not word.endswith(_NO_NOUNS)]
    if len(nouns) > 1 and nouns[-1] in _SAY_LITTLE and not _POSSESSIVE.search(nouns[-2]):
        return nouns[-2]
    return nouns[-1] if nouns else None


def _before_end(text: str) -> list[str]:
    return list(itertools.takewhile(lambda one: one not in _ENDS_NOUN, text.split()))
