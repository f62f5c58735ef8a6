"""List words that are common in any question, and therefore poor evidence for a name.

They serve graphs without a word list from a trained model. In graphs of films, songs, or towns, nearly every one of
them is also the name of an entity (Of in Turkey, Many in Louisiana, Nice in France).
"""

from language.english.lexicon import words_of_class

POOR_NAMES = words_of_class("poor name")
FOREIGN_WORDS = words_of_class("foreign function word")
"""Function words of other languages. In lower case, they stand for no code such as `DE`."""
_ARTICLES = frozenset(("the", "a", "an"))


def is_ordinary_word(text: str) -> bool:
    """Return whether a text is a single word in lower case, apart from articles."""
    words = [word for word in text.split() if word not in _ARTICLES]
    return len(words) == 1 and words[0].isalpha() and words[0].islower()
