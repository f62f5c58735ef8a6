"""Find out which kind of node a question asks for, as in `Which Spanish-speaking country has the most people?`."""

import itertools
import re
from collections.abc import Collection, Iterable, Sequence

from language.english.stems import noun_stem
from services.retriever.plans.schema.schema_elements import SchemaElements

_WHICH = r"which|what|what['’]?s"
_SHOW = r"list|show|display|give|find|get|name|identify|retrieve|return|fetch|who\s+(?:is|are|was|were)"
_ASKED = re.compile(
    rf"(?:\b(?:{_WHICH})|(?:^|[.?!,:;]\s+|\b(?:please|you|to)\s+)(?:{_SHOW}))\s+"
    r"(?:(?:is|are|was|were|me|us)\s+)?(?:all\s+)?(?:of\s+)?(?:the\s+)?"
    r"(?:(?:names?|titles?)\s+of\s+(?:all\s+)?(?:the\s+)?)?"
    r"((?:[\w'’-]+\s+){0,4}[\w'’-]+)",
    re.IGNORECASE,
)
_AFTER_NOUN = (
    "is are was were do does did has have had can could will would should may might of in on at to from for with by as "
    "that who which whose what where when and or not isn't aren't don't doesn't didn't"
)
_ENDS_NOUN = frozenset(_AFTER_NOUN.split())
_PARTICIPLE = re.compile(r"\b(?:most|least)\s+\w+ed[ -](?:on|by|in|at|to|for|with)\s+")  # `the most commented on posts`
_HOW_MANY = re.compile(r"\bhow many\s+((?:[\w'’-]+\s+){0,4}[\w'’-]+)", re.IGNORECASE)
_WHERE = re.compile(
    r"\W*where(?:['’]s|\s+(?:is|are|was|were|do|does|did))\s+(?:(?:all|each|every|the|an?|our|my)\s+)*"
    r"((?:[\w'’-]+\s+){0,4}[\w'’-]+)",
    re.IGNORECASE,
)
_NO_NOUNS = ("ed", "ing", "ly")
_SAY_LITTLE = frozenset(("number", "code", "address", "name", "id"))
_POSSESSIVE = re.compile(r"['’]s?$")
_LONGEST_NAME = 3  # words


def asked_kinds(question: str, elements: SchemaElements) -> frozenset[str]:
    """Return the kinds that the noun after `which`, `what`, or `list` may name; none if it names no kind."""
    found = _ASKED.search(question)
    return kinds_named(found[1], elements) if found else frozenset()


def placed_kinds(question: str, elements: SchemaElements) -> frozenset[str]:
    """Return the kinds of what a question asks the place of: suppliers in `Where is the supplier of butter based?`"""
    found = _WHERE.match(question)
    return kinds_named(found[1], elements) if found else frozenset()


def kinds_named(words: str, elements: SchemaElements) -> frozenset[str]:
    """Return the kinds that the noun among the first words may name; none if it names no kind."""
    before = itertools.takewhile(lambda one: one not in _ENDS_NOUN, _PARTICIPLE.sub("", words.lower()).split())
    nouns = [noun_stem(word) for word in before]
    named = [_kinds_called(nouns[:end], elements) for end in range(1, len(nouns) + 1)]
    # The noun is the last of the first words in a row that name kinds, as in `film actors`.
    together = list(itertools.takewhile(bool, itertools.dropwhile(lambda one: not one, named)))
    return together[-1] if together else frozenset()


def _kinds_called(nouns: Sequence[str], elements: SchemaElements) -> frozenset[str]:
    """Return the kinds whose name is the last of these words, or the last few: `order details`."""
    for length in range(min(_LONGEST_NAME, len(nouns)), 0, -1):
        last = frozenset(nouns[-length:])
        if called := frozenset(kind for kind, own in elements.kind_nouns.items() if last in own):
            return called
    return frozenset()


def asked_noun(question: str) -> str | None:
    """Return the noun that says what a question asks for, in lower case: `shelf` of `what shelf is it on`.

    Participles behind the noun do not count, as in `roles played`; in `phone number`, the first noun says more.
    """
    found = _ASKED.search(question) or _HOW_MANY.search(question)
    if found is None:
        return None
    words = itertools.takewhile(lambda one: one not in _ENDS_NOUN, found[1].lower().split())
    nouns: list[str] = [word for word in words if not word.endswith(_NO_NOUNS)]
    if len(nouns) > 1 and nouns[-1] in _SAY_LITTLE and not _POSSESSIVE.search(nouns[-2]):
        return nouns[-2]
    return nouns[-1] if nouns else None


def leaves_modifier(question: str, unread: Collection[str], elements: SchemaElements) -> bool:
    """Return whether a word before the noun of the kind that a question asks for is unread: `which outdoor cages`.

    The `unread` words are in lower case.
    """
    found = _ASKED.search(question) or _HOW_MANY.search(question)
    words = found[1].lower().split() if found else []
    named = next((end for end in range(1, len(words) + 1) if kinds_named(" ".join(words[:end]), elements)), 0)
    return any(word in unread for word in words[: max(0, named - 1)])


def are_others(asked: frozenset[str], found: Iterable[Iterable[str]]) -> bool:
    """Return whether the nodes found, given by their kinds, are all of other kinds than those asked for."""
    kinds = [frozenset(one) for one in found]
    return bool(asked and kinds) and all(one and asked.isdisjoint(one) for one in kinds)
