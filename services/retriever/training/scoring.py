"""How many validation questions a predictor gets right, whether it is the network or the exported model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from services.retriever.model import Query, RetrieverModel
from services.retriever.training.examples import Example, MaskedQuestion, examples_of
from shared.encoder import Vectors

# Queries to P(h), [n, H + 1], and P(relation step), [n, steps].
Predictor = Callable[[Sequence[Query]], tuple[Vectors, Vectors]]
_SMALLEST = 1e-9


@dataclass(frozen=True, slots=True)
class PathScores:
    """Shares of questions with the right hop number, and with the right hop number and relation path.

    The path is the greedy one: teacher forcing gets every step right exactly if greedy decoding does. `loss` is the
    mean negative log-likelihood of a question's hop number and relation path.
    """

    hops: float
    paths: float
    loss: float


def score_paths(questions: Sequence[MaskedQuestion], steps: Sequence[str], predict: Predictor) -> PathScores:
    """Score a predictor; every line of the question file counts once. A relation not in `steps` is a miss."""
    hop_hits = path_hits = loss = 0.0
    total = sum(question.count for question in questions)
    columns = {step: column for column, step in enumerate(steps)}
    examples = [examples_of([question]) for question in questions]
    hops, relations = predict([example.query for group in examples for example in group])
    row = 0
    for question, group in zip(questions, examples, strict=True):
        rows = slice(row, row + len(group))
        row += len(group)
        hop = _hop(hops[rows][0], len(question.path))
        wanted = [
            _step(probabilities, columns, example)
            for probabilities, example in zip(relations[rows], group, strict=True)
        ]
        hop_hits += question.count * hop[0]
        path_hits += question.count * (hop[0] and all(right for right, _ in wanted))
        loss -= question.count * (np.log(hop[1]) + sum(np.log(probability) for _, probability in wanted))
    return PathScores(hop_hits / total, path_hits / total, float(loss / total))


def agreement(questions: Sequence[MaskedQuestion], one: Predictor, other: Predictor) -> float:
    """The share of inputs for which two predictors have the same most probable hop number and relation."""
    queries = [example.query for example in examples_of(questions)]
    (hops, relations), (other_hops, other_relations) = one(queries), other(queries)
    same = (hops.argmax(1) == other_hops.argmax(1)) & (relations.argmax(1) == other_relations.argmax(1))
    return float(same.mean())


def served_predictor(model: RetrieverModel) -> Predictor:
    """The exported model as a predictor."""

    def predict(queries: Sequence[Query]) -> tuple[Vectors, Vectors]:
        vectors = model.encode(queries)
        return model.hop_probabilities(vectors), model.step_probabilities(vectors)

    return predict


def _hop(probabilities: Vectors, gold: int) -> tuple[bool, float]:
    if gold >= len(probabilities):
        return False, _SMALLEST
    return int(probabilities.argmax()) == gold, max(float(probabilities[gold]), _SMALLEST)


def _step(probabilities: Vectors, columns: dict[str, int], example: Example) -> tuple[bool, float]:
    if example.step is None:
        return True, 1.0
    column = columns.get(example.step)
    if column is None:
        return False, _SMALLEST
    return int(probabilities.argmax()) == column, max(float(probabilities[column]), _SMALLEST)
