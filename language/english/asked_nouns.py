"""Find the noun that says what a question asks for."""

import itertools
import re

_AFTER_NOUN = (
    "is are was were do does did has have had can could will would should may might of in on at to from for with by as "
    "that who which whose what where when and or not isn't aren't don't doesn't didn't"
)
_ENDS_NOUN = frozenset(_AFTER_NOUN.split())
_PARTICIPLE = re.compile(r"\b(?:most|least)\s+\w+ed[ -](?:on|by|in|at|to|for|with)\s+")  # `the most commented on posts`


def noun_words(text: str) -> list[str]:
    """Return the first words of a text, in lower case, up to where the noun among them ends.

    Example:
        >>> noun_words("most commented on Blog posts of Ann")
        ['blog', 'posts']
    """
    return list(itertools.takewhile(lambda one: one not in _ENDS_NOUN, _PARTICIPLE.sub("", text.lower()).split()))
