"""Define the interface of path predictors, which served mode and paper mode implement."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from graph.store import Entity, RelationPath


@dataclass(frozen=True, slots=True)
class PathQuery:
    """Hold a question and a topic entity for which to predict relation paths; without a topic, none are predicted.

    `masked_question` is the question with its topic mention replaced by `[MASK]`; `question` is the original.
    `is_ambiguous` is true if the question may be about a different topic.
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

    `hop_probabilities` are P(h) for h = 0..H, normalised over the paths that were found; hop 0 means that the graph
    cannot answer the question. `unanswerable` is P(0) before normalisation. In paper mode, which has no hop 0, P(0) and
    `unanswerable` are 0. `coverage` is the total probability of the paths that were found, including hop 0; the
    rest belongs to steps that do not exist around this topic. `first_step_probabilities` depend only on the question's
    words, not on the topic's steps; they are empty for unambiguous queries and in paper mode, which uses only the words
    anyway.
    """

    hop_probabilities: tuple[float, ...]
    unanswerable: float
    paths: tuple[PredictedPath, ...]
    coverage: float = 1.0
    first_step_probabilities: Mapping[str, float] = field(default_factory=dict)


class PathPredictor(Protocol):
    """Predict relation paths for questions; implementations are safe for concurrent use."""

    async def predict(self, queries: Sequence[PathQuery], beam_width: int) -> list[PathPrediction]:
        """Predict the relation paths of each query.

        Args:
            queries: The questions with their topic entities.
            beam_width: How many paths the beam keeps at every step (K in the paper).

        Returns:
            One prediction for each query, in order. In paper mode, predicted paths may be missing from the graph.

        Raises:
            DependencyError: The graph store does not respond.

        Example:
            >>> query = PathQuery("capital of [MASK]", Entity("France", "France"), "capital of France")
            >>> [prediction] = await predictor.predict([query], beam_width=3)
            >>> prediction.paths[0].relations
            ('capital',)
        """
        ...
