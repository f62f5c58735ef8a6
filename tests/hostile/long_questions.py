"""Generate questions of up to 1,000 characters that are as expensive as possible for the retriever."""

import random
import sqlite3
import string
from collections.abc import Callable, Sequence
from pathlib import Path

from contracts.base import MAX_QUESTION_CHARACTERS

_SEED = 17
_NUMERALS = ("2", "ii", "two", "3", "iii", "three", "and", "&")


def hostile_questions(names: Sequence[str], turn: int = 0) -> dict[str, str]:
    """Return one question of each kind, keyed by the name of the kind.

    Args:
        names: The names of the graph's entities.
        turn: The seed; each turn returns different questions, so that caches do not help.
    """
    rng = random.Random(f"{_SEED} {turn}")
    longest = sorted(names, key=lambda name: -len(name))[turn % 50 : turn % 50 + 60]
    short = [name for name in names if len(name) < 12]
    singles = [name for name in names if name.isalpha()]
    some = rng.sample(short, 100)
    words = sorted({word for name in names for word in name.split()})
    questions = {
        "cjk": _characters(rng, ((0x4E00, 0x9FA5),)),
        "cjk extensions": _characters(rng, ((0x3400, 0x4DB5), (0x20000, 0x2A6D6))),
        "kana": _characters(rng, ((0x3041, 0x3096), (0x30A1, 0x30FA))),
        "voiced kana": "".join(rng.choice("がぎぐげござじずぜぞだぢづでどばびぶべぼぱぴぷぺぽ") for _ in range(1000)),
        "half-width kana": _characters(rng, ((0xFF66, 0xFF9D),)),
        "hangul": _characters(rng, ((0xAC00, 0xD7A3),)),
        "hangul words": _worded(lambda: _characters(rng, ((0xAC00, 0xD7A3),), rng.randint(1, 4))),
        "cjk words": _worded(lambda: _characters(rng, ((0x4E00, 0x9FA5),), 1)),
        "cjk and latin": _worded(lambda: _characters(rng, ((0x4E00, 0x9FA5),), 3) + rng.choice(words), ""),
        "thai": _characters(rng, ((0xE01, 0xE2E),)),
        "khmer": _characters(rng, ((0x1780, 0x17B3),)),
        "devanagari": _worded(lambda: _characters(rng, ((0x905, 0x939),), rng.randint(1, 5))),
        "emoji": _characters(rng, ((0x1F300, 0x1F5FF),)),
        "one long word": _characters(rng, ((0x61, 0x7A),)),
        "one letter words": _worded(lambda: rng.choice(string.ascii_lowercase)),
        "one letter capitals": _worded(lambda: rng.choice(string.ascii_uppercase)),
        "three letter words": _worded(lambda: _characters(rng, ((0x61, 0x7A),), 3)),
        "four letter words": _worded(lambda: _characters(rng, ((0x61, 0x7A),), 4)),
        "random latin": _worded(lambda: _characters(rng, ((0x61, 0x7A),), rng.randint(3, 10))),
        "capitalised words": _worded(lambda: _characters(rng, ((0x61, 0x7A),), 4).title()),
        "possessives": _worded(lambda: _characters(rng, ((0x61, 0x7A),), 3).title() + "'s"),
        "plurals": _worded(lambda: _characters(rng, ((0x61, 0x7A),), 3).title() + "es"),
        "words of the graph": _worded(lambda: rng.choice(words)),
        "entity names": _worded(iter(some).__next__),
        "entity names, lower case": _worded(iter(some).__next__).lower(),
        "names of one word": _worded(lambda: rng.choice(singles)),
        "misspelt names": _worded(lambda: _misspelt(rng, rng.choice(short))),
        "misspelt names of one word": _worded(lambda: _misspelt(rng, rng.choice(singles))),
        "twice misspelt names": _worded(lambda: _misspelt(rng, _misspelt(rng, rng.choice(singles)))),
        "longest names": _worded(iter(longest).__next__),
        "longest name": _worded(lambda: longest[0]),
        "longest names misspelt": _worded(lambda: _misspelt(rng, rng.choice(longest))),
        "one name": _worded(lambda: some[0]),
        "numerals": _worded(lambda: rng.choice(_NUMERALS)),
        "names with numerals": _worded(lambda: f"{rng.choice(short)} {rng.choice(_NUMERALS)}"),
        "names with ampersands": _worded(lambda: rng.choice(singles), " & "),
        "digits": "".join(rng.choice(string.digits) for _ in range(1000)),
        "numbers": _worded(lambda: str(rng.randint(0, 999))),
        "zalgo": _worded(lambda: rng.choice(string.ascii_letters) + _characters(rng, ((0x300, 0x36F),), 9), ""),
        "zalgo words": _worded(lambda: rng.choice(string.ascii_letters) + _characters(rng, ((0x300, 0x36F),), 2)),
        "combining marks": _characters(rng, ((0x300, 0x36F),)),
        "full width": _worded(lambda: _characters(rng, ((0xFF21, 0xFF3A),), 4), "\u3000"),
        "ligatures": "\ufdfa" * 1000,
        "mixed scripts": _worded(
            lambda: _characters(rng, ((0x41, 0x5A), (0x391, 0x3A9), (0x410, 0x42F), (0x4E00, 0x9FA5)), 3)
        ),
        "apostrophes": "'" * 1000,
        "words of apostrophes": "o'" * 500,
        "possessives of letters": "s's" * 333,
        "words of dots": "a." * 500,
        "signs": _worded(lambda: rng.choice(".+@#$") + rng.choice(string.ascii_lowercase)),
        "punctuation": "".join(rng.choice(string.punctuation) for _ in range(1000)),
        "quotation marks": '"' * 1000,
        "quoted letters": '"a"' * 333,
        "underscores": "_" * 1000,
        "the": _worded(lambda: "the"),
        "ordinary words": _worded(lambda: rng.choice(["the", "of", "which", "city", "country", "is", "in"])),
        "mask tokens": _worded(lambda: "[MASK]"),
        "control characters": "a\x01" * 500,
        "zero width": "a\u200b" * 500,
        "arabic": _worded(lambda: _characters(rng, ((0x621, 0x64A),), rng.randint(2, 6))),
        "cyrillic": _worded(lambda: _characters(rng, ((0x410, 0x44F),), rng.randint(3, 8))),
    }
    return {kind: question[:MAX_QUESTION_CHARACTERS].strip() for kind, question in questions.items()}


def names_of(graph: Path) -> list[str]:
    """Return the names of all entities in a graph file."""
    with sqlite3.connect(f"{graph.absolute().as_uri()}?mode=ro", uri=True) as connection:
        return [name for (name,) in connection.execute("SELECT name FROM entities ORDER BY id")]


def _characters(rng: random.Random, ranges: Sequence[tuple[int, int]], number: int = MAX_QUESTION_CHARACTERS) -> str:
    return "".join(chr(rng.randint(*rng.choice(ranges))) for _ in range(number))


def _worded(word: Callable[[], str], between: str = " ") -> str:
    """Join words until the question is full, or the words run out."""
    question = ""
    while len(question) < MAX_QUESTION_CHARACTERS:
        try:
            question += word() + between
        except StopIteration:
            break
    return question


def _misspelt(rng: random.Random, name: str) -> str:
    place = rng.randrange(1, max(2, len(name)))
    return name[:place] + rng.choice(string.ascii_lowercase) + name[place + 1 :]
