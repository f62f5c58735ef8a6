"""Read numbers in words: `two hundred and fifty`, `two point five million`, `half a dozen`, and `nineteen ninety-nine`.

The library text2num reads `between one hundred and two hundred` as 102 and 100, and `between twenty and five` as 25. It
knows neither halves nor dozens nor fractions.
"""

import math
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise, takewhile
from pathlib import Path
from typing import NamedTuple

_TABLES = tomllib.loads(Path(__file__).with_name("numbers.toml").read_text(encoding="utf-8"))
SCALES: dict[str, float] = _TABLES["scales"]
"""Factors by the words and the letters behind a number."""
_DIGITS: dict[str, int] = _TABLES["digits"]
_TENS: dict[str, int] = _TABLES["tens"]
SMALL_NUMBERS: dict[str, int] = _DIGITS | _TABLES["teens"] | _TENS
"""Numbers below a hundred by their single words."""
LARGE = {word: int(SCALES[word]) for word in ("thousand", "million", "billion", "trillion")}
"""Factors by the words that may stand behind any number below a thousand."""
ORDINALS: dict[str, int] = _TABLES["ordinals"]
"""Ordinals below ten."""
_SINGLE: dict[str, int] = _TABLES["single"]
_FRACTIONS: dict[str, int] = _TABLES["fractions"]
_FACTORS = LARGE | {"hundred": 100, "dozen": 12}
_FACTOR_WORDS, _SCALE_WORDS = [[word] for word in _FACTORS], [[word] for word in LARGE]
_ARTICLES = ("a", "an")
_PARTS_ONLY = {part for part in _FRACTIONS if part.endswith("s")} - {"quarters"}
"""Fractions that need no `of`; years have quarters."""
_MOST_WORDS = 40  # for numbers of fifteen digits
_WORD = re.compile(r"\w+")
# `twenty-first` is neither a number of things nor 20.
_ORDINAL = re.compile(rf"\b(?:{'|'.join(_TENS)})-(?:{'|'.join(ORDINALS)})\b", re.IGNORECASE)
_POINTING = re.compile(r"\b(?:these|those) $", re.IGNORECASE)
"""The words before a number that only counts the things a question lists: `of these three`."""
_BETWEEN = re.compile(r"\bbetween $", re.IGNORECASE)


class NumberInWords(NamedTuple):
    """Hold a number in words, and where it is."""

    start: int
    end: int
    number: float
    is_year: bool


class _Read(NamedTuple):
    """Hold a number, and how many words say it."""

    number: float
    words: int
    is_year: bool = False


def numbers_in_words(question: str) -> Iterator[NumberInWords]:
    """Yield the numbers that a question says in words.

    Example:
        >>> [one.number for one in numbers_in_words("between one hundred and two hundred and fifty")]
        [100, 250]
    """
    ordinals = [found.span() for found in _ORDINAL.finditer(question)]
    tokens = [one for one in _WORD.finditer(question) if not any(start <= one.start() < end for start, end in ordinals)]
    place = 0
    while place < len(tokens):
        start = tokens[place].start()
        words = _run(question, tokens[place : place + _MOST_WORDS])
        read = _number(words)
        if read is not None and "and" in words[: read.words] and _BETWEEN.search(question, 0, start):
            read = _first_of_two(words, read)
        if read is not None and not _POINTING.search(question, 0, start):
            yield NumberInWords(start, tokens[place + read.words - 1].end(), read.number, read.is_year)
        place += 1 if read is None else read.words


def _run(question: str, tokens: Sequence["re.Match[str]"]) -> list[str]:
    """Return the words from the first one on that only single spaces and hyphens separate, in lower case."""
    following = takewhile(lambda pair: question[pair[0].end() : pair[1].start()] in (" ", "-"), pairwise(tokens))
    return [one.group().lower() for one in (tokens[0], *(after for _, after in following))]


def _first_of_two(words: list[str], read: _Read) -> _Read | None:
    """Return the number before the last `and` of what is read behind `between`, unless another `and` follows."""
    if words[read.words : read.words + 1] == ["and"]:
        return read
    return _number(words[: read.words - 1 - words[: read.words][::-1].index("and")])


def _number(words: list[str]) -> _Read | None:
    """Return the number that words begin with."""
    for reading in (_year, _fraction, _half, _decimal, _dozens, _whole):
        if (read := reading(words)) is not None:
            return read
    return _Read(_SINGLE[words[0]], 1) if words[0] in _SINGLE else None


def _year(words: list[str]) -> _Read | None:
    """Read `nineteen ninety-nine`, and `two thousand and nineteen`."""
    match words:
        case [("eighteen" | "nineteen" | "twenty") as century, *rest]:
            years = _below_hundred(rest)
            if years is not None and years.number > 9 and rest[years.words : years.words + 1] not in _FACTOR_WORDS:
                return _Read(SMALL_NUMBERS[century] * 100 + years.number, 1 + years.words, is_year=True)
        case ["two", "thousand", *_]:
            read = _whole(words)
            return read._replace(is_year=True) if read is not None and 2000 < read.number < 2100 else None
    return None


def _fraction(words: list[str]) -> _Read | None:
    """Read `two thirds`, `a third of`, and `three quarters of`, but not the quarters of a year or of an hour."""
    match words:
        case [number, part, *rest] if part in _FRACTIONS and (number == "a" or _DIGITS.get(number)):
            is_part = rest[:1] == ["of"] and not (rest[1:] and (rest[1].isdigit() or rest[1] in _ARTICLES))
            if is_part or part in _PARTS_ONLY:
                return _Read(_DIGITS.get(number, 1) / _FRACTIONS[part], 2)
    return None


def _half(words: list[str]) -> _Read | None:
    """Read `half a`, `half a dozen`, and `half a million`."""
    match words:
        case ["half", "a", scale, *_] if scale in _FACTORS:
            return _Read(_FACTORS[scale] / 2, 3)
        case ["half", "a", *_]:
            return _Read(0.5, 2)
    return None


def _decimal(words: list[str]) -> _Read | None:
    """Read `two point five`, and `two point five million`."""
    whole = _below_thousand(words)
    if whole is None or words[whole.words : whole.words + 1] != ["point"]:
        return None
    digits = [str(_DIGITS[word]) for word in takewhile(_DIGITS.__contains__, words[whole.words + 1 :])]
    if not digits:
        return None
    number, count = float(f"{whole.number}.{''.join(digits)}"), whole.words + 1 + len(digits)
    scale = LARGE.get(" ".join(words[count : count + 1]))
    return _Read(number, count) if scale is None else _Read(round(number * scale, 6), count + 1)


def _dozens(words: list[str]) -> _Read | None:
    """Read `a dozen`, and `two dozen`."""
    number = _Read(1, 1) if words[0] in _ARTICLES else _below_thousand(words)
    if number is None or words[number.words : number.words + 1] != ["dozen"]:
        return None
    return _Read(number.number * 12, number.words + 1)


def _whole(words: list[str], below: float = math.inf) -> _Read | None:
    """Read whole numbers whose scale is below another one: `two thousand and three thousand` are two numbers."""
    is_one = words[:1] and words[0] in _ARTICLES and words[1:2] in _SCALE_WORDS
    first = _Read(1, 1) if is_one else _below_thousand(words)
    if first is None:
        return None
    scale = LARGE.get(" ".join(words[first.words : first.words + 1]))
    if scale is None:
        return first
    if scale >= below:  # `one thousand one hundred and one thousand` are 1,100 and 1,000
        said = words[: first.words]
        return _below_thousand(said[: said.index("and")]) if "and" in said else None
    return _with_rest(_Read(first.number * scale, first.words + 1), words, partial(_whole, below=scale))


def _below_thousand(words: list[str]) -> _Read | None:
    """Read `two hundred and fifty`, `twelve hundred`, and numbers below a hundred."""
    is_one = words[:1] and words[0] in _ARTICLES and words[1:2] == ["hundred"]
    hundreds = _Read(1, 1) if is_one else _below_hundred(words)
    if hundreds is None or words[hundreds.words : hundreds.words + 1] != ["hundred"]:
        return hundreds
    return _with_rest(_Read(hundreds.number * 100, hundreds.words + 1), words, _below_hundred)


def _below_hundred(words: list[str]) -> _Read | None:
    match words:
        case [ten, one, *_] if ten in _TENS and _DIGITS.get(one):
            return _Read(_TENS[ten] + _DIGITS[one], 2)
        case [number, *_] if number in SMALL_NUMBERS:
            return _Read(SMALL_NUMBERS[number], 1)
    return None


def _with_rest(read: _Read, words: list[str], reading: Callable[[list[str]], _Read | None]) -> _Read:
    """Add the number that follows; one that goes on, such as `two hundred` behind `one hundred and`, is another one."""
    start = read.words + (words[read.words : read.words + 1] == ["and"])
    rest = reading(words[start:])
    if rest is None or words[start + rest.words : start + rest.words + 1] in (["hundred"], ["dozen"]):
        return read
    return _Read(read.number + rest.number, start + rest.words)
