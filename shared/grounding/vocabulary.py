"""Load the English words that any text may use, and the words that may replace one another, from `vocabulary.toml`."""

import tomllib
from pathlib import Path

from shared.text import word_set

_LISTS: dict[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))

FUNCTION_WORDS = word_set(_LISTS["function_words"])
NEUTRAL = FUNCTION_WORDS | word_set(_LISTS["reporting_words"]) | word_set(_LISTS["kinds_of_things"])
"""Words that add no claim to the names and relations around them."""

NEGATIONS = word_set(_LISTS["negations"])
"""Words that reverse a claim or cast doubt on it. Only the evidence can support them, never the question."""

SECOND_PERSON = {"i": "you", "me": "you", "my": "your", "mine": "yours", "we": "you", "us": "you", "our": "your"}
"""Map from first-person to second-person words: an answer addresses a user who says `I` as `you`."""

NUMBERS = {word: str(number) for number, word in enumerate(_LISTS["number_words"].split())}

UNSPACED_PARTICLES = frozenset("的是在和与與及為为有了之也以于於到这這那個个們们のはがをにともです")

SYNONYMS: dict[str, frozenset[str]] = {}
"""Map from each word to its synonyms. A text may use a word where the source uses a synonym of it."""
for _group in map(word_set, _LISTS["synonyms"].strip().splitlines()):
    for _word in _group:
        SYNONYMS[_word] = SYNONYMS.get(_word, frozenset()) | _group
