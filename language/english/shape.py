"""Reduce a question to what it says: operators, content words, and slots."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from language.comparable import comparable
from language.english.lexicon import words_of_class
from language.english.stems import stem

_LISTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
FILLERS = words_of_class("filler")
EXACT = frozenset(root_ for word in words_of_class("exact") for root_ in (word, stem(word)))
"""Words and stems that stand only for themselves."""
IGNORED = words_of_class("ignored")
"""Words that the plan model does not miss, although they say something."""
_OPENER = re.compile(rf"(?:(?:{'|'.join(_LISTS['openers'])})\b[ ,:]*)+", re.IGNORECASE)
_REWORDED = [(re.compile(phrase if phrase[0] == "^" else rf"\b(?:{phrase})"), to) for phrase, to in _LISTS["reworded"]]
_DROPPED = re.compile("|".join(_phrase if _phrase[0] in "^(" else rf"\b{_phrase}\b" for _phrase in _LISTS["dropped"]))
_OPERATORS = [
    (re.compile(phrase if phrase[0] == "^" else rf"(?<![\w{{])(?:{phrase})(?![\w}}])"), name)
    for name, phrases in _LISTS["operators"].items()
    for phrase in phrases
]
_GENITIVE = re.compile(r"\{(\w+)\}'s? (.+)")
_FRONTED = re.compile(r"(by|for|from|in|on|to|with) ((?:which|what|whom)\b.*)")
_WHO = re.compile(r"(?:(?:which |what )?(?:people|persons?)|(?:everybody|everyone|those|whom))\b(?: (?:that|who))?")
_LIGHT = re.compile(r"\b(?:by|to|from|do|does|did|whose)\b")
# `Which parts have Car` asks for what has a node, and `which parts does Car have` for what the node has.
_HAS = re.compile(r"\b(?:has|have) (?:the |an? )?(?=\{)")
_TOKEN = re.compile(r"\{(\w+)\}|[^\W_]+")
_MIN_LENGTH_WITH_OUR = 5
_COMPARISONS = ("greater", "less", "at_least", "at_most")
_ORDERED = frozenset((*_COMPARISONS, "before", "after", "since", "until"))
UNITS = {
    "square_kilometres": {"km", "2"},
    "square_miles": {"mi", "2"},
    "kilometres": {"km"},
    "metres": {"m"},
    "feet": {"ft"},
    "miles": {"mi"},
}
CURRENCIES = {"euros": {"eur"}, "dollars": {"usd"}, "pounds": {"gbp"}}
"""The words that end the names of properties with a unit, by operators."""
NUMERIC = frozenset(("count", "total", "average", "between", *_COMPARISONS, *UNITS))
"""Operators of numbers."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a question says.

    Attributes:
        operators: The names of its operators.
        words: Its content words, in lower case and in order; a slot is `{name}`.
        said: All its words, in lower case.
        light: The words that say who acts on whom in a relationship between nodes of one kind.
        comparisons: The names of its comparisons, in order.
    """

    operators: frozenset[str]
    words: tuple[str, ...]
    said: frozenset[str]
    light: frozenset[str]
    comparisons: tuple[str, ...] = ()

    @property
    def content(self) -> tuple[str, ...]:
        """Return the words without the slots."""
        return tuple(word for word in self.words if not is_slot(word))

    @property
    def is_numeric(self) -> bool:
        """Return whether the question counts or compares."""
        return not self.operators.isdisjoint(NUMERIC)


def is_slot(word: str) -> bool:
    """Return whether a word of a shape is a slot."""
    return word.startswith("{")


def shape(text: str) -> Shape:
    """Reduce a question in which slots are `{name}`.

    Example:
        >>> shape("Please tell me how many airports {c} has").words
        ('airports', '{c}')
    """
    said = comparable(text).lower()
    opener = _OPENER.match(said)
    said = said[opener.end() :] if opener and opener.end() < len(said) else said
    # `To whom does Ann report` asks `whom does Ann report to`.
    said = _FRONTED.sub(r"\2 \1", said, count=1) if _FRONTED.match(said) else said
    said = f"who{said[person.end() :]}" if (person := _WHO.match(said)) else said
    # `France's neighbours` are the `neighbours of France`.
    if genitive := _GENITIVE.search(said):
        said = f"{said[: genitive.start()]}{genitive[2]} {{{genitive[1]}}}"
    for phrase, reworded in _REWORDED:
        said = phrase.sub(reworded, said)
    all_words = frozenset(found.group() for found in _TOKEN.finditer(said))
    light = frozenset(_LIGHT.findall(said))
    if _HAS.search(said):
        light |= {"has"}
    places: dict[str, int] = {}
    for pattern, name in _OPERATORS:
        if found := pattern.search(said):
            places.setdefault(name, found.start())
            # Spaces as long as the phrase, so that the places of others remain.
            said = pattern.sub(lambda found: " " * len(found.group()), said)
    comparisons = tuple(sorted(_ORDERED.intersection(places), key=places.__getitem__))
    said = _DROPPED.sub(" ", " ".join(said.split()))
    tokens = [found.group() for found in _TOKEN.finditer(said)]
    words = tuple(token for token in tokens if token not in FILLERS)
    return Shape(frozenset(places), words, all_words, light, comparisons)


def root(word: str) -> str:
    """Return the stem of a word, in one spelling: `bordering` has that of `border`, and `neighbour` of `neighbor`."""
    word = word.replace("our", "or") if len(word) > _MIN_LENGTH_WITH_OUR else word
    cut = stem(word)
    return stem(cut) if word.endswith(("ing", "ed")) else cut
