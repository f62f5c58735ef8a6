"""Fill the slots of a wording, and write the question as people do, now and then with a typing error."""

import random
import re
from collections.abc import Callable, Mapping

from training.synthetic.plans.stating import END, START

_VALUE = re.compile(f"{START}(.*?){END}")
_LOWER, _NO_MARK, _TYPO, _LOWER_VALUES = 0.14, 0.15, 0.03, 0.5
_CHAT = 0.03
_GREETINGS = ("hey,", "hi,", "quick question:", "just wondering:", "hello,", "one more thing:", "and", "so,")
_QUESTION_WORDS = (
    "which",
    "what",
    "who",
    "how",
    "is",
    "are",
    "do",
    "does",
    "did",
    "was",
    "were",
    "when",
    "where",
    "whose",
    "since",
    "in what",
    "can",
    "could",
    "have",
    "has",
    "on what",
    "with what",
    "for which",
    "of which",
)
_CONTRACTIONS = (
    ("What is ", "What's "),
    ("Who is ", "Who's "),
    ("does not ", "doesn't "),
    ("do not ", "don't "),
    ("did not ", "didn't "),
    ("are not ", "aren't "),
    ("is not ", "isn't "),
    ("were not ", "weren't "),
)


def finished(frame: str, slots: Mapping[str, str], rng: random.Random) -> str:
    """Return a question; the marks around its values are gone."""
    text = frame
    for name, words in slots.items():
        text = text.replace("{" + name + "}", words)
    text = re.sub(r"\s+", " ", text).strip()
    if rng.random() < 0.3:
        for full, short in _CONTRACTIONS:
            text = text.replace(full, short)
    if rng.random() < _CHAT:
        text = (
            f"{rng.choice(_GREETINGS)} {text}"
            if text[:1].islower() or rng.random() < 0.5
            else f"{text.rstrip('?.')}, please"
        )
    style = rng.random()
    is_lower = style < _LOWER
    if not is_lower:
        text = text[:1].upper() + text[1:]
    text = _ended(text, rng)
    if rng.random() < _TYPO:
        text = _outside_of_values(text, lambda part: _with_typo(part, rng))
    if is_lower:
        text = text.lower() if rng.random() < _LOWER_VALUES else _outside_of_values(text, str.lower)
    return text.replace(START, "").replace(END, "")


def _ended(text: str, rng: random.Random) -> str:
    """End a question with its mark; now and then people leave it out."""
    if text.endswith("?"):
        return text[:-1] if rng.random() < _NO_MARK else text
    if text.endswith("."):
        return text
    if text.lower().startswith(tuple(f"{word} " for word in _QUESTION_WORDS)) and rng.random() < 0.8:
        return f"{text}?"
    return f"{text}." if rng.random() < 0.35 else text


def _outside_of_values(text: str, change: Callable[[str], str]) -> str:
    parts: list[str] = []
    last = 0
    for found in _VALUE.finditer(text):
        parts += [change(text[last : found.start()]), found.group()]
        last = found.end()
    return "".join([*parts, change(text[last:])])


def _with_typo(text: str, rng: random.Random) -> str:
    """Swap, drop, or double a letter in one of the longer words."""
    words = list(re.finditer(r"[a-z]{5,}", text))
    if not words or rng.random() < 0.5:
        return text
    word = rng.choice(words)
    place = rng.randrange(word.start() + 1, word.end() - 1)
    roll = rng.random()
    if roll < 0.4:
        return text[:place] + text[place + 1] + text[place] + text[place + 2 :]
    return text[:place] + (text[place + 1 :] if roll < 0.8 else text[place] + text[place:])
