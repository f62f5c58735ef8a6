"""Connect questions with the functions that compute their answers from the facts."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from bench.questions.demo_conditions.facts import World

# A set has no order, and a list is in the order that the question asks for.
Answer = set[str] | list[str] | str | float | bool

KINDS = (
    "count",
    "and",
    "or",
    "not",
    "superlative",
    "top_k",
    "compare",
    "yes_no",
    "filter",
    "sum_average",
    "group",
    "text",
    "second_stage",
)


class Question(NamedTuple):
    """Connect the text of a question with the function that computes its answer."""

    kind: str
    text: str
    answer: Callable[[World], Answer]


Pairs = list[tuple[str, Callable[[World], Answer]]]


def in_order(parts: Iterable[Pairs]) -> tuple[Question, ...]:
    """Return the questions of all kinds; `parts` has those of each kind, in the order of KINDS."""
    return tuple(Question(kind, text, answer) for kind, part in zip(KINDS, parts, strict=True) for text, answer in part)
