"""Find mentions, which are spans of a question that may name an entity."""

import re

from language.mentions import UNSPACED, Mention, has_unspaced
from shared.text import MAX_NAME_CHARACTERS, normalise

MAX_MENTION_WORDS = 15
# In scripts without spaces between words, each character counts as one word.
MAX_MENTION_CHARACTERS = 30
# Limits on the work for a long question, the same for every script. Ordinary sentences stay within them: 1,000
# characters of English have fewer words, and all spans are tried for up to 60 words, or for up to 45 characters in a
# script without spaces.
MAX_WORDS = 200
MAX_MENTIONS = 1_000
# The penalty, in nats, for removing a final `s` without an apostrophe: it may mark a plural or belong to the name.
_CUT_PLURAL = 2.0

# A word may contain apostrophes and dots (O'Brien, U.S.A) and begin with a symbol that belongs to a name (.fr, +33).
_LETTERS = rf"[^\W{UNSPACED}]+"
_WORD = re.compile(rf"[{UNSPACED}]|(?:(?<!\S)[.+@#$])?{_LETTERS}(?:['’`´.]{_LETTERS})*['’]?")
_POSSESSIVE = re.compile(r"['’`´]s?$", re.IGNORECASE)


def word_spans(question: str) -> list[tuple[int, int]]:
    """Return the start and end of each word, or only of the first and last words if there are over `MAX_WORDS`."""
    return [span for run in _word_runs(question) for span in run]


def mentions_in(question: str, max_words: int = MAX_MENTION_WORDS) -> list[Mention]:
    """Return all spans of up to `max_words` words, longest first, with and without a possessive ending (`France's`).

    In a long question, spans are limited to fewer words, so that there are at most `MAX_MENTIONS`.
    """
    runs = _word_runs(question)
    longest = max(max_words, MAX_MENTION_CHARACTERS) if has_unspaced(question) else max_words
    found: list[Mention] = []
    for words in range(1, min(longest, max(map(len, runs))) + 1):
        mentions = [
            mention
            for run in runs
            for (start, _), (_, end) in zip(run, run[words - 1 :], strict=False)
            for mention in _mentions_of_span(question, start, end, words)
        ]
        if len(found) + len(mentions) > MAX_MENTIONS:
            break
        found = mentions + found
    return found


def _word_runs(question: str) -> list[list[tuple[int, int]]]:
    """Return the spans of all words as one run; if there are too many, return the first and the last words as two runs.

    In a long text, people usually put the actual question first or last.
    """
    spans = [match.span() for match in _WORD.finditer(question)]
    half = MAX_WORDS // 2
    return [spans] if len(spans) <= MAX_WORDS else [spans[:half], spans[-half:]]


def _mentions_of_span(question: str, start: int, end: int, words: int) -> list[Mention]:
    text = question[start:end]
    if len(text) > MAX_NAME_CHARACTERS:
        return []
    mentions = [Mention(start, end, normalise(text), words)]
    if ending := _POSSESSIVE.search(text):
        shorter = end - len(ending.group())
        mentions.append(Mention(start, shorter, normalise(question[start:shorter]), words))
    elif text[-1] in "sS" and len(text) > 4 and text[-2] not in "'’`´sS":
        mentions.append(Mention(start, end, normalise(text[:-1]), words, _CUT_PLURAL))
    # Normalisation can lengthen a text: one ligature may stand for a whole phrase.
    return [mention for mention in mentions if len(mention.name) <= MAX_NAME_CHARACTERS]
