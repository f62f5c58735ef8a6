"""Imitate which values a graph would find in a question, for questions whose graph is not at hand."""

import random
import re
from collections.abc import Sequence
from dataclasses import replace

from graph.plan.values import ValueType
from language.values import QuestionValue, ValueForm
from services.retriever.plans.schema.schema_elements import SchemaElements

_LOST = 0.08  # of the stored values: the graph spells them otherwise
_ELSEWHERE = 0.2  # of the stored values: another property holds them as well
_BY_CHANCE = 0.35  # of the questions: an ordinary word is a value of some property
_WORDS = re.compile(r"[A-Za-z]{3,}(?: [a-z]+)?")


def simulate_links(
    question: str, values: Sequence[QuestionValue], elements: SchemaElements, rng: random.Random
) -> list[QuestionValue]:
    """Return the values with some links lost, some added, and an ordinary word that is a value by chance."""
    texts = [number for number, one in enumerate(elements.properties) if one.schema.content is ValueType.STRING]
    found = []
    for value in values:
        if value.stored and rng.random() < _LOST:
            value = replace(value, stored={})
        elif value.stored and texts and rng.random() < _ELSEWHERE:
            value = replace(value, stored={**value.stored, rng.choice(texts): value.value})
        found.append(value)
    if texts and rng.random() < _BY_CHANCE:
        found += _chance(question, found, texts, rng)
    return found


def _chance(
    question: str, values: Sequence[QuestionValue], texts: Sequence[int], rng: random.Random
) -> list[QuestionValue]:
    spans = [match.span() for match in _WORDS.finditer(question)]
    free = [(start, end) for start, end in spans if not any(v.start < end and start < v.end for v in values)]
    if not free:
        return []
    start, end = rng.choice(free)
    text = question[start:end]
    stored = dict.fromkeys(rng.sample(texts, min(len(texts), rng.choice((1, 1, 2)))), text)
    return [QuestionValue(start, end, ValueForm.TEXT, text, text, stored)]
