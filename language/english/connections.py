"""Tell which questions ask how two things are connected: `What links Ann Lee and the Cliff Stage?`"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from graph.plan.content_types import words_of
from language.connected import Connected
from language.english.stems import stem

_MAX_WORDS = 10  # of a name
_MAX_PAIRS = 4
_MAX_CHARACTERS = 500
_IS = "(?:is|are|was|were)"
_JOINED = "(?P<own>related|connected|linked|associated|tied)"
_NOUN = "(?P<own>connections?|relations?|relationships?|links?|paths?|ties?)"
_EACH_OTHER = "(?: (?:to|with) (?:each other|one another))?"


class _Form(NamedTuple):
    """Hold a form of the question, what stands between the two names in it, and whether it is open."""

    pattern: re.Pattern[str]
    joints: tuple[str, ...]
    is_open: bool


def _form(pattern: str, *joints: str, is_open: bool = False) -> _Form:
    before = "(?:please |can you |could you |do you know |(?:tell|show) (?:me|us) )?"
    return _Form(re.compile(f"{before}{pattern}", re.IGNORECASE), joints, is_open)


# Questions are matched with single spaces, and without the marks at their end.
_FORMS = (
    _form(rf"how (?:closely )?{_IS} (?P<both>.+) {_JOINED}{_EACH_OTHER}", " and ", is_open=True),
    _form(rf"how (?:closely )?{_IS} (?P<both>.+ {_JOINED} (?:to|with) .+)", "{own} to ", "{own} with ", is_open=True),
    _form(rf"how (?P<both>.+) {_IS} {_JOINED}{_EACH_OTHER}", " and ", is_open=True),
    _form(r"how do(?:es)? (?P<both>.+) (?:relate|connect)(?: to (?:each other|one another))?", " and ", is_open=True),
    _form(r"how do(?:es)? (?P<both>.+ (?:relate|connect) to .+)", " relate to ", " connect to ", is_open=True),
    _form(r"what do(?:es)? (?P<both>.+) have to do with (?:each other|one another)", " and ", is_open=True),
    _form(r"what do(?:es)? (?P<both>.+ have to do with .+)", " have to do with ", is_open=True),
    _form(
        r"how many (?:degrees(?: of separation)?|steps|hops)"
        r" (?:(?:are|lie|is|are there|is it) )?(?:between|separate|from) (?P<both>.+)",
        " and ",
        " to ",
        is_open=True,
    ),
    _form(
        r"what (?P<own>links?|connects?|relates?|ties?|joins?) (?!to )(?P<both>.+?)(?: together)?",
        " and ",
        " with ",
        " to ",
    ),
    _form(
        rf"(?:what(?:'s|’s| is| are| was| were)|find|is there|are there|give me)"
        rf" (?:the |an? |any )?(?:shortest )?{_NOUN} (?:between|from) (?P<both>.+)",
        " and ",
        " to ",
    ),
    _form(rf"{_IS} (?P<both>.+) {_JOINED}{_EACH_OTHER}", " and "),
    _form(rf"{_IS} (?P<both>.+ {_JOINED} (?:to|with) .+)", "{own} to ", "{own} with "),
)
_ARTICLE = re.compile(r"^(?:the|an?) ", re.IGNORECASE)
_OF_VERB = re.compile("ion(?:ship)?$")
_REFLEXIVES = ("itself", "himself", "herself", "themselves")
_QUOTES = "\"'“”‘’`"


def connected(question: str) -> Connected | None:
    """Return what a question asks to connect; None if its form is another one.

    Example:
        >>> connected("How is Ann related to Bob?")
        Connected(pairs=(('Ann', 'Bob'),), own_words=frozenset())
    """
    said = " ".join(question[:_MAX_CHARACTERS].split()).rstrip("?.! ")
    for form in _FORMS:
        if (match := form.pattern.fullmatch(said)) is None:
            continue
        own = match.groupdict().get("own") or ""
        joints = [joint.replace("{own}", f" {own}") for joint in form.joints]
        if pairs := tuple(dict.fromkeys(_pairs(match["both"], joints)))[:_MAX_PAIRS]:
            return Connected(pairs, frozenset() if form.is_open else frozenset({_root(own)}))
    return None


def is_own_word(relation: str, connected: Connected) -> bool:
    """Return whether a relationship type is called as the question calls the connection: `CONNECTED_TO`."""
    return not connected.own_words.isdisjoint(map(_root, words_of(relation)))


def _root(word: str) -> str:
    """Return the stem of a verb, also for its noun: `connect` for `connection`, and `relat` for `relationship`."""
    return _OF_VERB.sub("", stem(word.lower()))


def _pairs(both: str, joints: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the pairs into which a text can be divided; `between X and Y` has its last `and` most seldom in a name."""
    both = re.sub("^both ", "", both, flags=re.IGNORECASE)
    for joint in joints:
        places = [found.span() for found in re.finditer(re.escape(joint), both, re.IGNORECASE)]
        for start, end in places:
            first, second = (one.strip(_QUOTES + " ") for one in (both[:start], both[end:]))
            if all(one and len(one.split()) <= _MAX_WORDS for one in (first, second)):
                yield first, first if second.lower() in _REFLEXIVES else second


def without_article(name: str) -> str:
    """Return a name without the article before it."""
    return _ARTICLE.sub("", name, count=1)
