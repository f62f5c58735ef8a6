"""Hop prediction: how many relations lead from the topic entity to the answers (RRA, section 4.1.1, eq. 1-4)."""

from dataclasses import dataclass

from services.retriever.model import RetrieverModel
from shared.encoder import Vectors

# The second best hop number is tried too where it is likely enough to repair a wrong argmax: its paths count only
# if the graph has none, or only less probable ones, of the best hop number.
MIN_SECOND_HOP = 0.05


@dataclass(frozen=True, slots=True)
class HopPrediction:
    """P(h) for h = 0..H; 0 stands for a question that the graph cannot answer."""

    probabilities: tuple[float, ...]

    @property
    def predicted(self) -> int:
        """The most probable hop number (eq. 4)."""
        return self.probabilities.index(max(self.probabilities))

    @property
    def lengths(self) -> frozenset[int]:
        """The path lengths worth trying: the best hop number above 0, and the second best if it is likely enough."""
        ranked = sorted(range(1, len(self.probabilities)), key=lambda hop: -self.probabilities[hop])[:2]
        return frozenset(
            hop for place, hop in enumerate(ranked) if place == 0 or self.probabilities[hop] > MIN_SECOND_HOP
        )


def predict_hops(model: RetrieverModel, question_vectors: Vectors) -> list[HopPrediction]:
    """Hop numbers of encoded, masked questions, [n, dim] (eq. 2 and 3)."""
    return [HopPrediction(tuple(map(float, row))) for row in model.hop_probabilities(question_vectors)]
