"""Doubt plans that sort by what a superlative is unlike: the friendliest dog by its weight."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from graph.plan.algebra import Aggregate, AggregateFunction, Order, Plan, Property
from graph.plan.traversal import walk
from language.english.lexicon import words_of_class
from language.english.quantities import ADJECTIVES
from language.english.stems import spelt_out
from services.retriever.encoder.word_vectors import WordVectors
from services.retriever.plans.judging.held_back import held_back
from services.retriever.plans.judging.plan_readings import PlanReading

UNLIKE = 0.27
"""The cosine similarity below which a superlative says nothing about a property. Of 46 right pairs such as `steepest`
and `slope`, all but `reliable` and `uptime` have more; of 34 wrong ones such as `bravest` and `height`, two have."""
UNLIKE_OPINION = 0.45
"""The same for opinions: `beautiful` and `price` have 0.32."""
_ANYTHING = words_of_class("any comparison") | ADJECTIVES
_NONE = words_of_class("no superlative")
_OPINIONS = words_of_class("opinion")
_EST = re.compile(r"\b([a-z]{2,}est)\b")
_MOST = re.compile(
    r"\b(?:most|least) (\w+(?:ful|ous|ive|ic|al|able|ible|ant|ent|ing|ary|ular|ult|ern|less|some|ish))\b"
)
_EXTREMES = (AggregateFunction.MIN, AggregateFunction.MAX)


def superlatives(question: str) -> list[str]:
    """Return the superlatives of a question that only some properties can answer.

    Example:
        >>> superlatives("What is the most dangerous of the friendliest and biggest dogs?")
        ['friendliest', 'dangerous']
    """
    found = [match[1] for pattern in (_EST, _MOST) for match in pattern.finditer(question)]
    return [word for word in dict.fromkeys(found) if word not in _ANYTHING and word not in _NONE]


def doubt_superlatives(question: str, readings: Sequence[PlanReading], vectors: WordVectors) -> list[PlanReading]:
    """Lower the confidence in plans that sort by a property that a superlative of the question is unlike."""
    words = superlatives(question)
    return [_doubted(one, words, vectors) for one in readings]


def _doubted(reading: PlanReading, words: Sequence[str], vectors: WordVectors) -> PlanReading:
    named = sorted({word for key in _ordering_keys(reading.read) for word in spelt_out(key)})
    if not named or not words:
        return reading
    vectors.learn((*words, *named))
    likeness = (vectors.of(words) @ vectors.of(named).T).max(axis=1)
    unlike = [
        word
        for word, like in zip(words, likeness.tolist(), strict=True)
        if like < (UNLIKE_OPINION if word in _OPINIONS else UNLIKE)
    ]
    if not unlike:
        return reading
    unread = tuple(dict.fromkeys((*reading.unread, *unlike)))
    return replace(reading, unread=unread, confidence=held_back(reading.confidence, (), is_wrong=True))


def _ordering_keys(plan: Plan) -> Iterator[str]:
    """Yield the properties by which a plan sorts, and of which it takes the least or the greatest."""
    for part in walk(plan):
        match part:
            case Order(keys=keys):
                yield from (one.key for key in keys for one in walk(key.value) if isinstance(one, Property))
            case Aggregate(function=function, value=Property(key=key)) if function in _EXTREMES:
                yield key
