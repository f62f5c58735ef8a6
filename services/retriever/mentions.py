"""Mentions: the stretches of a question that may name an entity, and hiding one from the model.

The model reads the question with its topic mention masked: what relation path a question asks for does not depend on
which entity it is asked about, so entities that no training question named work as well as those that some did.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import OSA

from shared.graph.short_names import short_name
from shared.text import normalise

MASK = "[MASK]"
MAX_MENTION_WORDS = 15
# In scripts without blanks between words each character counts as one.
MAX_MENTION_CHARACTERS = 30
MAX_MISSPELT_WORDS = 20
# A plural-like `s` without an apostrophe.
_CUT_ENDING = 2.0

# A word may hold apostrophes and dots inside (O'Brien, U.S.A) and begin with a sign that belongs to a name (.fr, +33);
# scripts without blanks between words count each character as a word.
UNSPACED = r"\u3040-\u30ff\u3400-\u9fff"
_LETTERS = rf"[^\W{UNSPACED}]+"
_WORD = re.compile(rf"[{UNSPACED}]|(?:(?<!\S)[.+@#$])?{_LETTERS}(?:['’`´.]{_LETTERS})*['’]?")
_POSSESSIVE = re.compile(r"['’`´]s?$", re.IGNORECASE)
_MIN_FUZZY_SIMILARITY = 0.75
# A surname is rather meant than a misspelt name that takes the word before it for the first name.
_SHORT_SIMILARITY = 0.8


@dataclass(frozen=True, slots=True)
class Mention:
    """A stretch of a question: `question[start:end]`, `words` words long.

    `name`: the text to look up, normalised; it differs from the stretch where an ending was cut off, and where another
    way to write the name is tried. `doubt`: what speaks against reading the stretch so, in nats; 0 as it stands.
    """

    start: int
    end: int
    name: str
    words: int
    doubt: float = 0.0

    def contains(self, other: "Mention") -> bool:
        """Whether the other mention lies inside this one and has fewer words."""
        return self.start <= other.start and other.end <= self.end and self.words > other.words

    def overlaps(self, other: "Mention") -> bool:
        """Whether the two share a character."""
        return self.start < other.end and other.start < self.end


def word_spans(question: str) -> list[tuple[int, int]]:
    """Start and end of each word of a question."""
    return [match.span() for match in _WORD.finditer(question)]


def mentions_in(question: str, max_words: int = MAX_MENTION_WORDS) -> list[Mention]:
    """All runs of up to `max_words` words, longest first, with possessive endings also cut off (`France's`)."""
    spans = word_spans(question)
    longest = max(max_words, MAX_MENTION_CHARACTERS) if re.search(f"[{UNSPACED}]", question) else max_words
    found = []
    for words in range(min(longest, len(spans)), 0, -1):
        for first in range(len(spans) - words + 1):
            found += _readings(question, spans[first][0], spans[first + words - 1][1], words)
    return found


def mention_of(question: str, names: Sequence[str]) -> Mention | None:
    """Where a question names an entity that bears one of `names`: exactly, else with typing errors or for short."""
    wanted = {normalise(name) for name in names}
    short = {short_name(name, normalise(name)) for name in names}
    longest = max(len(name.split()) for name in wanted) + 1
    candidates = mentions_in(question, min(longest, MAX_MISSPELT_WORDS))
    exact = [mention for mention in candidates if mention.name in wanted]
    if exact:
        return exact[0]
    # Longer names are found where they are spelt right: to compare every stretch of a long question takes seconds.
    scored = [(_similarity(mention.name, name), mention) for mention in candidates for name in wanted]
    scored += [(_SHORT_SIMILARITY, mention) for mention in candidates if mention.name in short]
    best = max(scored, key=lambda pair: pair[0], default=None)
    return best[1] if best and best[0] >= _MIN_FUZZY_SIMILARITY else None


def masked_question(question: str, mention: Mention | None) -> str:
    """The question as the model reads it: the mention replaced by the tokenizer's mask token, blanks made single."""
    if mention is not None:
        question = f"{question[: mention.start]} {MASK} {question[mention.end :]}"
    return " ".join(question.split())


def _readings(question: str, start: int, end: int, words: int) -> list[Mention]:
    text = question[start:end]
    readings = [Mention(start, end, normalise(text), words)]
    if ending := _POSSESSIVE.search(text):
        shorter = end - len(ending.group())
        readings.append(Mention(start, shorter, normalise(question[start:shorter]), words))
    elif text[-1] in "sS" and len(text) > 4 and text[-2] not in "'’`´sS":
        readings.append(Mention(start, end, normalise(text[:-1]), words, doubt=_CUT_ENDING))
    return readings


def _similarity(left: str, right: str) -> float:
    return float(OSA.normalized_similarity(left, right, score_cutoff=_MIN_FUZZY_SIMILARITY))
