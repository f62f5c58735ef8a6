"""Doubt plans that rest on names alone: nothing else that the question says is like anything that they do.

In a small graph, the one property of a book is a probable answer to whatever is asked about it, such as its price.
"""

from collections.abc import Sequence
from dataclasses import replace

from services.retriever.planning.accounting import Part, Unread, says_something
from services.retriever.planning.asked_kind import asked_noun
from services.retriever.planning.plan_confidence import held_back
from services.retriever.planning.plan_readings import PlanReading
from services.retriever.planning.plan_structure import element_names
from services.retriever.planning.stems import question_words, spelt_out
from services.retriever.prediction.word_vectors import WordVectors

UNLIKE_NOUN = 0.4
"""The cosine similarity below which the noun that a question asks for is none of the nouns of a plan. Of right readings
of questions to develop with, the least has 0.45, as `actors` and `person`."""
_DATED = frozenset(("year", "years", "date", "dates", "day", "month", "time", "number", "amount"))
_OTHER_NOUN = Unread("", Part.NAME)
UNLIKE = 0.22
"""The cosine similarity below which no word of a question is like a word of a plan. Of right readings of the company's
and the demo's questions to develop with that rest on names alone, the least has 0.24, as `speak` and `skill`."""


def rests_on_names(question: str, reading: PlanReading) -> bool:
    """Return whether a plan reads nothing of a question but the names in it."""
    named, unread = _words(*reading.mentions), _words(*reading.unread)
    others = _words(question) - named
    return bool(named and others) and unread >= others


def leaves_noun(question: str, reading: PlanReading) -> bool:
    """Return whether a plan leaves the noun unread that says what is asked for; any plan may read `which year`."""
    noun = asked_noun(question)
    return noun is not None and noun not in _DATED and noun in _words(*reading.unread)


def doubt_unlike(
    question: str, readings: Sequence[PlanReading], vectors: WordVectors, keys: frozenset[str]
) -> list[PlanReading]:
    """Lower the confidence in plans that are unlike what they leave unread.

    These rest on names alone, and are unlike the rest of the question, or are unlike the noun that is asked for:
    branches for `publishers`.

    Args:
        question: The question.
        readings: Its readings.
        vectors: Compares words.
        keys: The keys of properties that name nodes, which say nothing about what a plan does.
    """
    noun = asked_noun(question)
    doubted = []
    for one in readings:
        if rests_on_names(question, one) and _likeness(sorted(_words(*one.unread)), one, vectors, keys) < UNLIKE:
            one = replace(one, confidence=held_back(one.confidence, (), is_wrong=True))
        if noun is not None and leaves_noun(question, one) and _likeness([noun], one, vectors, keys) < UNLIKE_NOUN:
            one = replace(one, confidence=held_back(one.confidence, (_OTHER_NOUN,)))
        doubted.append(one)
    return doubted


def _likeness(words: Sequence[str], reading: PlanReading, vectors: WordVectors, keys: frozenset[str]) -> float:
    """Return how like the most similar of these words and of a plan's words are."""
    done = sorted({word for name in element_names(reading.read, keys) for word in spelt_out(name)})
    if not done:
        return 0.0
    vectors.learn((*words, *done))
    return float((vectors.of(words) @ vectors.of(done).T).max())


def _words(*texts: str) -> set[str]:
    """Return the words that say something, in lower case."""
    found = {text[start:end] for text in texts for start, end, _ in question_words(text)}
    return {word.lower() for word in found if says_something(word)}
