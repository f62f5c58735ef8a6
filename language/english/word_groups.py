"""Group English words by what they are about."""

from language.english.stems import stem

MOMENTS = frozenset(
    map(stem, ("born", "birth", "birthday", "date", "day", "year", "created", "added", "released", "published"))
) | frozenset(
    map(stem, ("founded", "established", "formed", "joined", "hired", "opened", "started", "launched", "built", "due"))
)
"""The stems of words in the names of properties that say when something happened."""
AGE = "age"
TEXTS = frozenset(map(stem, ("name", "title", "text", "word", "letter", "character", "spelling")))
"""The stems of words that say that a text itself is meant, such as its length."""
PREPOSITIONS = frozenset(("to", "for", "of", "in", "on", "at", "by", "from", "with", "under", "after", "before"))
"""Prepositions that names of relationships end with."""
DATED = frozenset(("year", "years", "date", "dates", "day", "month", "time", "number", "amount"))
"""Nouns that questions ask for, and that properties with any name may hold."""
