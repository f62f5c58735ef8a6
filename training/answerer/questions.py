"""Questions to train on: made from a relation path's wording, in the many ways in which people ask."""

import random
from collections.abc import Sequence

from training.synthetic.evidence import Step

_WRAPPED = (
    "What is {np}?", "What are {np}?", "Which is {np}?", "Name {np}.", "Tell me {np}.", "List {np}.", "Give me {np}.",
    "Can you tell me {np}?", "Do you know {np}?", "I want to know {np}.", "{np}", "Find {np}.",
)  # fmt: skip


def ask(steps: Sequence[Step], topic: str, random_: random.Random) -> str:
    """A question that the relation path answers, about the topic entity."""
    known = topic
    for step in steps[:-1]:
        known = _fill(random_.choice(_phrases(step)), known)
    last = steps[-1]
    wording = last.relation.wording
    if random_.random() < 0.65:
        questions = wording.subject_questions if last.backwards else wording.object_questions
        question = _fill(random_.choice(questions), known)
    else:
        wrapped = random_.choice(_WRAPPED)
        question = wrapped.replace("{np}", _fill(random_.choice(_phrases(last)), known))
    return _casual(question, random_)


def _phrases(step: Step) -> tuple[str, ...]:
    wording = step.relation.wording
    return wording.subject_phrases if step.backwards else wording.object_phrases


def _fill(pattern: str, known: str) -> str:
    # Not str.format: names may hold braces.
    return pattern.replace("{x}", known)


def _casual(question: str, random_: random.Random) -> str:
    """As typed in a hurry, now and then: no capital at the start, no question mark."""
    if random_.random() < 0.2:
        question = question[0].lower() + question[1:]
    if random_.random() < 0.2:
        question = question.rstrip("?.")
    return question
