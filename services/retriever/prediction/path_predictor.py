"""Define what a path predictor takes and returns, in served mode and in paper mode."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from shared.graph.store import Entity, RelationPath


@dataclass(frozen=True, slots=True)
class PathQuery:
    """Ask which relation paths a question means, given its topic entity; without a topic, no paths are predicted.

    `masked_question` has the mention of the topic replaced by `[MASK]`; `question` is the original. The query
    `is_ambiguous` if the question may be about another topic instead.
    """

    masked_question: str
    topic: Entity | None
    question: str
    is_ambiguous: bool = False


@dataclass(frozen=True, slots=True)
class PredictedPath:
    """Pair a relation path with its score, the product of its steps' probabilities (RRA eq. 15).

    In served mode, the probability of stopping after the last step is one of the factors.
    """

    relations: RelationPath
    score: float


@dataclass(frozen=True, slots=True)
class PathPrediction:
    """Hold the relation paths predicted for one query, best first.

    `hop_probabilities` are P(h) for h = 0..H, normalized over the paths that were found; hop 0 means that the graph
    cannot answer the question. `unanswerable` is the probability of hop 0 before normalization; both are 0 in paper
    mode, which has no hop 0. `coverage` is the total probability of what was found, hop 0 included; the rest went to
    steps that the graph lacks around this topic. `first_step_probabilities` depend on the question's words alone, not
    on the topic's steps; they are empty for unambiguous queries and in paper mode, which reads only the words anyway.
    """

    hop_probabilities: tuple[float, ...]
    unanswerable: float
    paths: tuple[PredictedPath, ...]
    coverage: float = 1.0
    first_step_probabilities: Mapping[str, float] = field(default_factory=dict)


class PathPredictor(Protocol):
    """Predict relation paths; implementations are safe for concurrent use."""

    async def predict(self, queries: Sequence[PathQuery], beam_width: int) -> list[PathPrediction]:
        """Predict the relation paths of each query.

        Args:
            queries: The questions with their topic entities.
            beam_width: How many paths the beam keeps at every step, K in the paper.

        Returns:
            One prediction for each query, in order. In paper mode, predicted paths may be missing from the graph.

        Raises:
            DependencyError: The graph store does not answer.

        Example:
            >>> query = PathQuery("capital of [MASK]", Entity("France", "France"), "capital of France")
            >>> [prediction] = await predictor.predict([query], beam_width=3)
            >>> prediction.paths[0].relations
            ('capital',)
        """
        ...
