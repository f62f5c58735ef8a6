"""Know which English words may stand for one another."""

import tomllib
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def _synonyms() -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for group in _TABLES["groups"].strip().splitlines():
        words = group.split()
        for word in words:
            found[word].update(words)
    return {word: frozenset(group) for word, group in found.items()}


SYNONYMS = _synonyms()
"""Map from word to the words that a text may use where its source has this one, which is among them."""
SCHEMA_SYNONYMS: Mapping[str, frozenset[str]] = {
    word: frozenset(of.split()) for word, of in _TABLES["of_schema"].items()
}
"""Map from word of a schema to the words of people that may stand for it: for units, and for what is counted."""
