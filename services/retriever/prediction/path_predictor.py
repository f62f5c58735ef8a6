"""What predicts relation paths is asked, and what it says; the same in both modes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from shared.graph.store import Entity, RelationPath


@dataclass(frozen=True, slots=True)
class Asked:
    """A question about a topic entity; without one, nothing leads anywhere.

    `text`: the question with the topic masked; `question`: as it was asked; `among_others`: whether it may be about
    another topic instead.
    """

    text: str
    topic: Entity | None
    question: str
    among_others: bool = False


@dataclass(frozen=True, slots=True)
class PredictedPath:
    """A relation path; `score` is the product of its steps' probabilities (RRA eq. 15).

    In served mode stopping after it is a step, too.
    """

    relations: RelationPath
    score: float


@dataclass(frozen=True, slots=True)
class Reading:
    """What the model makes of a question about a certain topic.

    `hops`: P(h) for h = 0..H, where 0 stands for a question that the graph cannot answer, as shares of what was found;
    `none`: the probability of 0 before that; both are 0 in paper mode, which has no hop 0. `paths`: best first.
    `found`: the probability of all that, hop 0 included; the rest went to steps that the graph lacks here.
    `first_steps`: the probability of each first step by the question's words alone, whatever the topic has; empty where
    no other topic may be meant, and in paper mode, in which words alone decide anyway.
    """

    hops: tuple[float, ...]
    none: float
    paths: tuple[PredictedPath, ...]
    found: float = 1.0
    first_steps: Mapping[str, float] = field(default_factory=dict)


class PathPredictor(Protocol):
    """Predicts relation paths; safe for concurrent use."""

    async def read(self, asked: Sequence[Asked], width: int) -> list[Reading]:
        """A reading of each question; `width` is K of the paper. Raises DependencyError if the store does not answer.

        What it predicts may lack in the graph.
        """
        ...
