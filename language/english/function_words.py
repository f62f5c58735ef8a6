"""List the English words that say little of what a question is about."""

from language.english.lexicon import words_of_class
from language.english.stems import stem

FUNCTION_WORDS = words_of_class("function word")
"""Words in lower case of which a plan needs no part."""

TOO_COMMON = words_of_class("common word")
"""Words in lower case that are too common in questions to name a stored value on their own."""

OPENERS = words_of_class("opener")
"""Words in lower case with which questions and requests begin."""

EXPLANATIONS = frozenset(map(stem, words_of_class("explanation")))
"""Stems of the words that name what answers `why`."""

NAMES_IN_CAPITALS = frozenset(("US",))
"""Function words that are names if all of their letters are capitals."""

PRONOUNS = frozenset(("one",))
"""Pronouns that look like numbers, as in `which one`."""

JOINING = frozenset(("and", "or", "the", "nor", "with"))
"""Words that join names to a list."""
