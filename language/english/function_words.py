"""List the English words that say little of what a question is about."""

import tomllib
from pathlib import Path

from language.english.stems import stem

_LISTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))

FUNCTION_WORDS = frozenset(_LISTS["function_words"].split())
"""Words in lower case of which a plan needs no part."""

TOO_COMMON = frozenset(_LISTS["common_words"].split())
"""Words in lower case that are too common in questions to name a stored value on their own."""

EXPLANATIONS = frozenset(map(stem, _LISTS["explanations"].split()))
"""Stems of the words that name what answers `why`."""

NAMES_IN_CAPITALS = frozenset(("US",))
"""Function words that are names if all of their letters are capitals."""

PRONOUNS = frozenset(("one",))
"""Pronouns that look like numbers, as in `which one`."""

JOINING = frozenset(("and", "or", "the", "nor", "with"))
"""Words that join names to a list."""
