"""Know which words of people may stand for words of a schema, such as units, and words for what is counted."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from language.english.stems import stem
from language.english.synonyms import SCHEMA_SYNONYMS

_WORDS: Mapping[str, frozenset[str]] = {stem(named): words for named, words in SCHEMA_SYNONYMS.items()}


def _read() -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for named, words in _WORDS.items():
        for word in words:
            found[stem(word)].add(named)
    return {root: frozenset(meant) for root, meant in found.items()}


def words_for(roots: Iterable[str]) -> frozenset[str]:
    """Return the words that may stand for schema words with these stems."""
    return frozenset().union(*(_WORDS.get(root, frozenset()) for root in roots))


SIMILAR: Mapping[str, frozenset[str]] = _read()
"""For the stem of a word, the stems of schema words that it may stand for."""
