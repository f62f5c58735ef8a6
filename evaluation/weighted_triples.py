"""Weigh triples by a distribution over relations for each hop, as Sen et al. do (NLRSE 2023, with Rigel).

Every entity has a weight at every hop: 1 for the topic entity at first, and after each hop the highest weight of the
triples that lead to it. The weight of a triple is that of the entity at its near end times the probability of its
relation at this hop. Hops are independent of each other, whereas RRA scores whole relation paths.

The distributions are those of the trained path predictor: the probability of a relation at a hop is the share of the
predicted paths that have it there.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from graph.store import INVERSE
from services.retriever.dense.index_file import TripleIds
from services.retriever.paths.path_predictor import PathPrediction

Distribution = Mapping[str, float]
"""The probability of each relation; `^` marks those that are followed from object to subject."""
Weights = npt.NDArray[np.float32]


def hop_distributions(prediction: PathPrediction) -> Sequence[Distribution]:
    """Return the distribution over relations for each hop.

    Its sum decreases from hop to hop by the probability of the paths that have ended.
    """
    hops: list[defaultdict[str, float]] = []
    total = sum(path.score for path in prediction.paths) or 1.0
    for path in prediction.paths:
        hops += [defaultdict(float) for _ in path.relations[len(hops) :]]
        for hop, step in zip(hops, path.relations, strict=False):
            hop[step] += path.score / total
    return hops


def triple_weights(
    ids: TripleIds,
    relations: Mapping[int, str],
    topics: Mapping[int, float],
    hops: Sequence[Distribution],
) -> Weights:
    """Return the highest weight of each triple at any hop and in either direction, [n].

    Args:
        ids: The subject, relation, and object of each triple, [n, 3].
        relations: The name of each relation, by its number in `ids`.
        topics: The weights of the topic entities, by their numbers in `ids`.
        hops: The distribution over relations for each hop.
    """
    best = np.zeros(len(ids), dtype=np.float32)
    size = int(ids[:, [0, 2]].max(initial=0)) + 1
    entities = np.zeros(size, dtype=np.float32)
    for topic, weight in topics.items():
        entities[topic] = weight
    for hop in hops:
        reached = np.zeros(size, dtype=np.float32)
        for near, far, direction in ((0, 2, ""), (2, 0, INVERSE)):
            weights = entities[ids[:, near]] * _of(relations, hop, direction)[ids[:, 1]]
            np.maximum.at(reached, ids[:, far], weights)
            np.maximum(best, weights, out=best)
        entities = reached
    return best


def best_triples(weights: Weights, most: int) -> list[int]:
    """Return the places of at most `most` triples, highest weight first; those without a weight are left out."""
    order = np.argsort(-weights, kind="stable")[:most]
    return [int(place) for place in order if weights[place] > 0.0]


def _of(relations: Mapping[int, str], hop: Distribution, direction: str) -> Weights:
    """Return the probability of each relation when it is followed in one direction, by its number."""
    probabilities = np.zeros(max(relations, default=0) + 1, dtype=np.float32)
    for number, name in relations.items():
        probabilities[number] = hop.get(direction + name, 0.0)
    return probabilities
