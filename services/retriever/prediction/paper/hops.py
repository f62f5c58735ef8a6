"""Hop prediction: how many relations lead from the topic entity to the answers (RRA, section 4.1.1, eq. 1-7).

How the classifier learns (eq. 5-7) is in `training.retriever.paper.trainer`.
"""

from services.retriever.prediction.encoder import Vectors
from services.retriever.prediction.paper.model import PaperModel


def hop_probabilities(model: PaperModel, question: str) -> Vectors:
    """P(h) for h = 1..H of a question as it was asked, [H] (eq. 1-3)."""
    return model.hops.probabilities([question]).reshape(-1)


def hop_number(probabilities: Vectors) -> int:
    """The most probable hop number (eq. 4)."""
    return int(probabilities.argmax()) + 1
