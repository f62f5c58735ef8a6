"""Notice that a question's mention is a part of a longer name, which the graph may lack: `Springfield Isle`."""

from language.marks import Mark
from language.question import Question

_MOST_CAPITALISED = 0.5
"""The share of capitalised words above which capitals tell nothing, since all words of a headline have them."""


def names_beside(question: Question, mention: str) -> list[str]:
    """Return the capitalised words right before and after a mention; none if capitals tell nothing.

    Example:
        >>> names_beside(english("On which continent does Springfield Isle lie?"), "Springfield")
        ['Isle']
    """
    text = question.text
    start = text.find(mention)
    if start < 0 or not _is_capitalised(mention):
        return []
    words = question.all(Mark.WORD_OF_TEXT)
    others = [word for word in words if not start <= word.start < start + len(mention)]
    if not others or sum(_is_capitalised(word.text) for word in others) / len(others) > _MOST_CAPITALISED:
        return []
    end = start + len(mention)
    beside = [
        word.text
        for word in others
        if (word.start > 0 and text[word.end : start].isspace() and word.end < start)
        or (word.start > end and text[end : word.start].isspace())
    ]
    return [word for word in beside if _is_capitalised(word)]


def _is_capitalised(text: str) -> bool:
    """Return whether a text begins like a name; a word in capitals alone may be an acronym or shouting."""
    return text[:1].isupper() and any(letter.islower() for letter in text)
