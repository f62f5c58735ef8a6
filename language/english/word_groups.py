"""Group English words by what they are about."""

from language.english.stems import stem

MOMENTS = frozenset(
    map(stem, ("born", "birth", "birthday", "date", "day", "year", "created", "added", "released", "published"))
) | frozenset(
    map(stem, ("founded", "established", "formed", "joined", "hired", "opened", "started", "launched", "built", "due"))
)
"""The stems of words in the names of properties that say when something happened."""
AGE = "age"
