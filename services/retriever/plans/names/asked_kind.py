"""Find out which kind of node a question asks for, as in `Which Spanish-speaking country has the most people?`."""

import itertools
from collections.abc import Iterable, Sequence

from language.english.asked_nouns import noun_words
from language.english.stems import noun_stem
from language.marks import Mark
from language.question import Question
from services.retriever.plans.schema.schema_elements import SchemaElements

_LONGEST_NAME = 3  # words


def asked_kinds(question: Question, elements: SchemaElements) -> frozenset[str]:
    """Return the kinds that the noun after `which`, `what`, or `list` may name; none if it names no kind."""
    found = question.first(Mark.ASKED_NOUN)
    return kinds_named(found.parts[0] or "", elements) if found else frozenset()


def kinds_named(words: str, elements: SchemaElements) -> frozenset[str]:
    """Return the kinds that the noun among the first words may name; none if it names no kind."""
    nouns = list(map(noun_stem, noun_words(words)))
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


def are_others(asked: frozenset[str], found: Iterable[Iterable[str]]) -> bool:
    """Return whether the nodes found, given by their kinds, are all of other kinds than those asked for."""
    kinds = [frozenset(one) for one in found]
    return bool(asked and kinds) and all(one and asked.isdisjoint(one) for one in kinds)
