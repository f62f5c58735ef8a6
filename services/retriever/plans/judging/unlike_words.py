"""Doubt plans that are unlike what they leave unread of a question: all but the names, or the noun that is asked for.

In a small graph, the one property of a book is a probable answer to whatever is asked about it, such as its price.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from graph.plan.algebra import RelationshipPattern
from graph.plan.traversal import walk
from language.english.asked_nouns import asked_noun
from language.english.stems import question_words, spelt_out
from language.question import Question
from services.retriever.encoder.word_vectors import WordVectors
from services.retriever.plans.accounting.unread import Part, Unread, says_something
from services.retriever.plans.assembly.plan_structure import element_names
from services.retriever.plans.judging.held_back import held_back
from services.retriever.plans.judging.plan_readings import PlanReading

UNLIKE_NOUN = 0.4
"""The cosine similarity below which the noun that a question asks for is none of the nouns of a plan. Of right readings
of questions to develop with, the least has 0.45, as `actors` and `person`."""
UNLIKE_ROLE = 0.25
"""The cosine similarity below which the noun in `who is the boss of` is no role in a relationship of a plan: `boss` and
`brewed` have 0.09, and `owner` and `belongs` 0.31."""
_ROLE = re.compile(r"\W*who(?:m|['’]s)?\s+(?:(?:is|are|was|were)\s+)?(?:the\s+)?(?:\w+\s+)?(\w+)\s+of\b", re.IGNORECASE)
_DATED = frozenset(("year", "years", "date", "dates", "day", "month", "time", "number", "amount"))
_OTHER_NOUN = Unread("", Part.NAME)
UNLIKE = 0.22
"""The cosine similarity below which no word of a question is like a word of a plan. Of right readings of the company's
and the demo's questions to develop with that rest on names alone, the least has 0.24, as `speak` and `skill`."""


def rests_on_names(question: Question, reading: PlanReading) -> bool:
    """Return whether a plan reads nothing of a question but the names in it."""
    named, unread = _words(*reading.mentions), _words(*reading.unread)
    others = _words(question) - named
    return bool(named and others) and unread >= others


def leaves_noun(question: Question, reading: PlanReading) -> bool:
    """Return whether a plan leaves the noun unread that says what is asked for; any plan may read `which year`."""
    noun = asked_noun(question)
    return noun is not None and noun not in _DATED and noun in _words(*reading.unread)


def leaves_role(question: Question, reading: PlanReading) -> bool:
    """Return whether a plan leaves the noun unread in a question such as `who is the boss of the brewer`."""
    return _asked_role(question) in _words(*reading.unread)


def may_be_unlike(question: Question, reading: PlanReading) -> bool:
    """Return whether `doubt_unlike` would compare a plan with the question."""
    return rests_on_names(question, reading) or leaves_noun(question, reading) or leaves_role(question, reading)


def doubt_unlike(
    question: Question, readings: Sequence[PlanReading], vectors: WordVectors, keys: frozenset[str]
) -> list[PlanReading]:
    """Lower the confidence in plans that are unlike what they leave unread.

    These rest on names alone, and are unlike the rest of the question; or are unlike the noun that is asked for:
    branches for `publishers`; or have no relationship that is like the role that is asked for, such as `boss`.

    Args:
        question: The question.
        readings: Its readings.
        vectors: Compares words.
        keys: The keys of properties that name nodes, which say nothing about what a plan does.
    """
    noun, role = asked_noun(question), _asked_role(question)
    doubted = []
    for one in readings:
        if rests_on_names(question, one) and _likeness(sorted(_words(*one.unread)), one, vectors, keys) < UNLIKE:
            one = replace(one, confidence=held_back(one.confidence, (), is_wrong=True))
        if noun is not None and leaves_noun(question, one) and _likeness([noun], one, vectors, keys) < UNLIKE_NOUN:
            one = replace(one, confidence=held_back(one.confidence, (_OTHER_NOUN,)))
        if role is not None and leaves_role(question, one) and _likeness_of_types(role, one, vectors) < UNLIKE_ROLE:
            one = replace(one, confidence=held_back(one.confidence, (_OTHER_NOUN,)))
        doubted.append(one)
    return doubted


def _asked_role(question: Question) -> str | None:
    found = _ROLE.match(question)
    return found[1].lower() if found else None


def _likeness(words: Sequence[str], reading: PlanReading, vectors: WordVectors, keys: frozenset[str]) -> float:
    """Return how like the most similar of these words and of a plan's words are."""
    done = sorted({word for name in element_names(reading.read, keys) for word in spelt_out(name)})
    if not done:
        return 0.0
    vectors.learn((*words, *done))
    return float((vectors.of(words) @ vectors.of(done).T).max())


def _likeness_of_types(role: str, reading: PlanReading, vectors: WordVectors) -> float:
    """Return how like a role the most similar word of the types of relationships of a plan is; 1 if there is none."""
    types = [name for part in walk(reading.read) if isinstance(part, RelationshipPattern) for name in part.types]
    words = sorted({word for name in types for word in spelt_out(name) if says_something(word)})
    if not words:
        return 1.0
    vectors.learn((role, *words))
    return float((vectors.of([role]) @ vectors.of(words).T).max())


def _words(*texts: str) -> set[str]:
    """Return the words that say something, in lower case."""
    found = {text[start:end] for text in texts for start, end, _ in question_words(text)}
    return {word.lower() for word in found if says_something(word)}
