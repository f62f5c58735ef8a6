"""Mentions: the stretches of a question that may name an entity, and hiding one from the model.

The model reads the question with its topic mention masked: what relation path a question asks for does not depend on
which entity it is asked about, so entities that no training question named work as well as those that some did.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import OSA

from shared.contracts import MAX_NAME_CHARACTERS
from shared.graph.name_matching import short_name
from shared.text import normalise

MASK = "[MASK]"
MAX_MENTION_WORDS = 15
# In scripts without blanks between words each character counts as one.
MAX_MENTION_CHARACTERS = 30
MAX_MISSPELT_WORDS = 20
# What of a long question is looked at, whatever its script. Sentences stay below: English of 1,000 characters has fewer
# words, and all runs are tried of 60 words, or of 45 characters of a script without blanks.
MAX_WORDS = 200
MAX_MENTIONS = 1_000
# A plural-like `s` without an apostrophe.
_CUT_ENDING = 2.0

# A word may hold apostrophes and dots inside (O'Brien, U.S.A) and begin with a sign that belongs to a name (.fr, +33);
# scripts without blanks between words count each character as a word.
UNSPACED = r"\u3040-\u30ff\u3400-\u9fff"
_LETTERS = rf"[^\W{UNSPACED}]+"
_WORD = re.compile(rf"[{UNSPACED}]|(?:(?<!\S)[.+@#$])?{_LETTERS}(?:['’`´.]{_LETTERS})*['’]?")
_IS_UNSPACED = re.compile(f"[{UNSPACED}]")
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


def word_spans(question: str) -> list[tuple[int, int]]:
    """Start and end of each word of a question; of more than `MAX_WORDS` those at its start and at its end."""
    return [span for stretch in _stretches(question) for span in stretch]


def mentions_in(question: str, max_words: int = MAX_MENTION_WORDS) -> list[Mention]:
    """All runs of up to `max_words` words, longest first, with possessive endings also cut off (`France's`).

    The runs of a long question have fewer words, so that there are at most `MAX_MENTIONS`.
    """
    stretches = _stretches(question)
    longest = max(max_words, MAX_MENTION_CHARACTERS) if _IS_UNSPACED.search(question) else max_words
    found: list[Mention] = []
    for words in range(1, min(longest, max(map(len, stretches))) + 1):
        runs = [
            reading
            for spans in stretches
            for (start, _), (_, end) in zip(spans, spans[words - 1 :], strict=False)
            for reading in _readings(question, start, end, words)
        ]
        if len(found) + len(runs) > MAX_MENTIONS:
            break
        found = runs + found
    return found


def _stretches(question: str) -> list[list[tuple[int, int]]]:
    """The words of a question, without a break; of a long one two stretches, since people ask first or last."""
    spans = [match.span() for match in _WORD.finditer(question)]
    half = MAX_WORDS // 2
    return [spans] if len(spans) <= MAX_WORDS else [spans[:half], spans[-half:]]


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
    if len(text) > MAX_NAME_CHARACTERS:
        return []
    readings = [Mention(start, end, normalise(text), words)]
    if ending := _POSSESSIVE.search(text):
        shorter = end - len(ending.group())
        readings.append(Mention(start, shorter, normalise(question[start:shorter]), words))
    elif text[-1] in "sS" and len(text) > 4 and text[-2] not in "'’`´sS":
        readings.append(Mention(start, end, normalise(text[:-1]), words, doubt=_CUT_ENDING))
    # A sign may stand for a whole phrase.
    return [reading for reading in readings if len(reading.name) <= MAX_NAME_CHARACTERS]


def _similarity(left: str, right: str) -> float:
    return float(OSA.normalized_similarity(left, right, score_cutoff=_MIN_FUZZY_SIMILARITY))
