"""Compare names exactly and find them in text, to check generated text and to evaluate answers.

Unlike `shared.text.normalise`, which equates `-11`, `11`, and `#11` for entity linking, this module compares numbers by
value and keeps marks that distinguish identifiers:

    -11 = −11 = minus 11           not 11
    1,000 = 1000, 3.0 = 3, +5 = 5  not 1000.5; in longer names, compared as written: Python 3.10 is not Python 3.1
    UTC-05:00                      not UTC+05:00
    C, C++ and C#; A, A+ and A-; #tag and tag; .fr and fr; $5 and €5; <5 and 5: all different

A hyphen within a word or a range (`X-200`, `2005-2010`), a bullet (`- 11`), and parentheses are not signs. A number
that begins with 0 is a code and is compared as written. As in `normalise`, case, accents, quotes, possessives, `*`,
`%`, and other punctuation are ignored. Text in scripts without spaces is compared character by character.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from shared.text import normalise, without_possessives

_MONEY = r"$¢-¥\u058f\u060b\u09f2\u09f3\u0af1\u0bf9\u17db\u20a0-\u20cf\ufdfc"
_UNSPACED = (
    r"\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_LETTER = rf"(?:(?![_{_UNSPACED}])[\w\u0300-\u036f\u0900-\u0963\u0966-\u0dff])"
_APOSTROPHE = "['’‘`]"
_MINUS = r"[-\u2212\u2010\u2011\u2013]"
_TOKEN = re.compile(
    rf"""
    (?:(?P<compare>(?<![\w=-])[<>≤≥±])\s?)?
    (?:(?:(?<![\w)\]-])|(?<=UTC)|(?<=GMT)|(?<=utc)|(?<=gmt))(?:(?P<minus>{_MINUS})|\+)|(?P<joined>(?<=\w)\+))?
    (?P<money>[{_MONEY}])?
    (?P<number>(?:\d{{1,3}}(?:,\d{{3}})+(?!\d)|\d+)(?:\.\d+)*|(?<![\w.])\.\d+)
    (?P<tail>{_LETTER}*(?:{_APOSTROPHE}{_LETTER}+)*)
    | (?P<character>[{_UNSPACED}])(?:{_APOSTROPHE}s\b)?
    | (?P<before>(?<![\w.])[#@.{_MONEY}])?
      (?P<word>{_LETTER}+(?:{_APOSTROPHE}{_LETTER}+)*)
      (?P<after>\+\+|\+(?!\w)|\#(?!\w)|[{_MONEY}]|(?<=\b\w){_MINUS}(?!\w)|(?<=\b\w\w){_MINUS}(?!\w))?
    | (?P<symbol>[{_MONEY}])
    """,
    re.VERBOSE,
)
_PLAIN_WORD = re.compile(r"[A-Za-z]+")
_BELOW_ZERO = ("minus", "negative")
_CODE = re.compile(r"0\d|.*\..*\.")


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number, or character of a text; `bare` is `key` without a possessive, `value` a number's value."""

    key: str
    bare: str
    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Mention:
    """An occurrence of a name: `start` and `end` are character offsets, `first` and `last` are token indexes."""

    name: str
    start: int
    end: int
    first: int
    last: int
    is_possessive: bool

    def within(self, other: "Mention") -> bool:
        """Return whether this mention is part of `other` and shorter."""
        return other.start <= self.start and self.end <= other.end and self.end - self.start < other.end - other.start


def composed(text: str) -> str:
    """Return the Unicode-normalised text that the offsets of tokens and mentions refer to."""
    return unicodedata.normalize("NFKC", text.replace("´", "'"))


def exact(name: str) -> str:
    """Return a string that is equal for equal names: `−1,000` -> `-1000`, `The C++` -> `the c++`."""
    if name.isascii() and name.replace(" ", "").isalpha():
        return " ".join(name.lower().split())  # same result, several times faster
    found = tokens(name)
    if len(found) == 1:
        return found[0].value or found[0].key
    return " ".join(token.key for token in found) or name.casefold().strip()


def tokens(text: str) -> list[Token]:
    """Split a text into words and numbers, with their positions in `composed(text)`."""
    if text.isascii() and text.replace(" ", "").isalpha():
        return [Token(m[0].lower(), m[0].lower(), "", *m.span()) for m in _PLAIN_WORD.finditer(text)]
    text = composed(text)
    found: list[Token] = []
    for token in _scanned(text):
        if token.value and found and found[-1].key in _BELOW_ZERO and _is_negated(found, token, text):
            before = found.pop()
            token = replace(_signed(token), start=before.start)
        found.append(token)
    return found


def mentions(text: str, names: Collection[str]) -> list[Mention]:
    """Find names in a text as whole words, in order, including possessives such as `France's`.

    A name inside a longer one, such as Guinea in Papua New Guinea, does not count. A name without letters or digits,
    such as `!!!`, has no words and is matched literally.
    """
    text = composed(text)
    said = tokens(text)
    known = name_index(tuple(names))
    found = [mention for at in range(len(said)) for mention in known.mentions_at(text, said, at)]
    found += [mention for name in known.unworded for mention in _as_it_stands(name, text, said)]
    found.sort(key=lambda mention: (mention.start, -mention.end))
    kept: list[Mention] = []
    longest: list[Mention] = []  # earlier mentions that end after this one starts; only they can contain it
    for mention in found:
        longest = [other for other in longest if other.end > mention.start]
        if not any(mention.within(other) for other in longest):
            kept.append(mention)
            longest.append(mention)
    return kept


def named(text: str, names: Collection[str]) -> list[str]:
    """Return the names that a text mentions, in the order of `names`."""
    found = {mention.name for mention in mentions(text, names)}
    return [name for name in names if name in found]


def times_named(text: str, names: Collection[str]) -> dict[str, int]:
    """Count the mentions of each name in a text."""
    times = dict.fromkeys(names, 0)
    for mention in mentions(text, names):
        times[mention.name] += 1
    return times


class NameIndex:
    """Index names by their words, and numbers by their value."""

    def __init__(self, names: Collection[str]) -> None:
        self.unworded: list[str] = []
        self._by_keys: dict[tuple[str, ...], list[tuple[str, list[Token]]]] = defaultdict(list)
        self._lengths: dict[str, set[int]] = defaultdict(set)
        self._by_value: dict[str, list[tuple[str, list[Token]]]] = defaultdict(list)
        for name in dict.fromkeys(names):
            words = tokens(name)
            if not words:
                self.unworded.append(name)
            elif len(words) == 1 and words[0].value:
                self._by_value[words[0].value].append((name, words))
            else:
                self._by_keys[tuple(word.key for word in words)].append((name, words))
                self._lengths[words[0].key].add(len(words))

    def mentions_at(self, text: str, said: Sequence[Token], at: int) -> Iterator[Mention]:
        """Yield the mentions of names that begin at token `at` of a text."""
        here = said[at]
        for name, words in self._by_value.get(here.value, ()):
            yield _mention(name, words, text, said[at : at + 1], at)
        for length in self._lengths.get(here.key, set()) | self._lengths.get(here.bare, set()):
            there = said[at : at + length]
            if len(there) < length:
                continue
            keys = [token.key for token in there]
            for spelling in dict.fromkeys((tuple(keys), (*keys[:-1], there[-1].bare))):
                for name, words in self._by_keys.get(spelling, ()):
                    yield _mention(name, words, text, there, at)


@lru_cache(maxsize=8)
def name_index(names: tuple[str, ...]) -> NameIndex:
    """Return the index of these names; it is cached because each check searches a text for the same names."""
    return NameIndex(names)


def _mention(name: str, words: Sequence[Token], text: str, there: Sequence[Token], at: int) -> Mention:
    """Create a mention, including the punctuation around the name if the text has it, too: `Wham!`, `<3 Records`."""
    start, end = there[0].start, there[-1].end
    written = composed(name)
    before, after = written[: words[0].start], written[words[-1].end :]
    if before and text.endswith(before, 0, start):
        start -= len(before)
    if after and text.startswith(after, end):
        end += len(after)
    is_possessive = not words[-1].value and words[-1].key != there[-1].key
    return Mention(name, start, end, at, at + len(there), is_possessive)


def _as_it_stands(name: str, text: str, said: Sequence[Token]) -> Iterator[Mention]:
    for match in re.finditer(re.escape(composed(name).strip()), text, re.IGNORECASE):
        start, end = match.span()
        if start < end and not any(token.start <= start and end <= token.end for token in said):
            first = sum(token.end <= start for token in said)
            yield Mention(name, start, end, first, first, is_possessive=False)


def _scanned(text: str) -> Iterator[Token]:
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        if symbol := match["symbol"] or match["money"]:
            yield Token(symbol, symbol, "", start, end)
        if match["number"]:
            yield _number(match)
        elif match["character"]:
            key = normalise(match["character"])
            yield Token(key, key, "", start, end)
        elif word := match["word"]:
            before, after = match["before"] or "", re.sub(_MINUS, "-", match["after"] or "")
            key, bare = (before + normalise(form) + after for form in (word, without_possessives(word)))
            yield Token(key, bare, "", start, end)


def _number(match: re.Match[str]) -> Token:
    digits = "".join(str(unicodedata.digit(c, c)) for c in match["number"].replace(",", ""))
    written = f"0{digits}" if digits.startswith(".") else digits
    prefix = (match["compare"] or "") + ("+" if match["joined"] else "")
    tail = match["tail"]
    key, bare = (prefix + written + (form and normalise(form)) for form in (tail, without_possessives(tail)))
    token = Token(key, bare, "" if prefix or without_possessives(tail) else _value(written), *match.span())
    return _signed(token) if match["minus"] else token


def _value(written: str) -> str:
    """Return a number in its shortest form, such as 3 for `3.0`, but a code or a version as written."""
    whole, _, fraction = written.partition(".")
    return written if _CODE.match(written) else f"{whole}.{fraction}".rstrip("0").rstrip(".")


def _signed(token: Token) -> Token:
    value = token.value and (token.value if token.value == "0" else f"-{token.value}")
    return replace(token, key=f"-{token.key}", bare=f"-{token.bare}", value=value)


def _is_negated(before: Sequence[Token], number: Token, text: str) -> bool:
    """Return whether `minus 11` is a negative number rather than a subtraction."""
    is_beside = not text[before[-1].end : number.start].strip()
    is_subtraction = len(before) > 1 and bool(before[-2].value)
    return is_beside and not is_subtraction and not number.key.startswith("-")
