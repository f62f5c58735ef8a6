"""Retriever models with heads set by hand, for tests."""

from collections.abc import Mapping, Sequence

import numpy as np

from services.retriever.model import Heads, Manifest, RetrieverModel
from shared.graph.store import WalkRule
from tests.fakes.encoder import DIMENSION, HashingEncoder, column

Evidence = Mapping[str, Mapping[int, float]]


def manifest(steps: Sequence[str], max_hops: int, question_words: Sequence[str] = ()) -> Manifest:
    return Manifest(
        graph="tiny",
        graph_version="1",
        data={"train": 1},
        seed=1,
        walk_rule=WalkRule(),
        steps=tuple(steps),
        max_hops=max_hops,
        question_words=tuple(question_words),
    )


def keyword_model(
    steps: Sequence[str],
    hop_words: Mapping[str, tuple[int, float]],
    step_words: Mapping[str, tuple[str, float]],
    max_hops: int = 2,
) -> RetrieverModel:
    """A model in which a word speaks for a hop number or a relation step, as strongly as its logit says."""
    inputs = DIMENSION + len(steps)
    hop_weight = np.zeros((max_hops + 1, inputs), dtype=np.float32)
    step_weight = np.zeros((len(steps), inputs), dtype=np.float32)
    for word, (hop, logit) in hop_words.items():
        hop_weight[hop, column(word)] = logit
    for word, (step, logit) in step_words.items():
        step_weight[list(steps).index(step), column(word)] = logit
    heads = Heads(
        mix_weight=np.zeros((0, inputs), np.float32),
        mix_bias=np.zeros(0, np.float32),
        hop_weight=hop_weight,
        hop_bias=np.zeros(max_hops + 1, np.float32),
        step_weight=step_weight,
        step_bias=np.zeros(len(steps), np.float32),
    )
    return RetrieverModel(manifest(steps, max_hops), HashingEncoder(), heads)


def random_model(step_count: int, max_hops: int, seed: int) -> RetrieverModel:
    """A model whose probabilities depend on every word and topic step, without meaning."""
    source = np.random.default_rng(seed)
    inputs, mixture = DIMENSION + step_count, 8
    shapes: list[tuple[int, ...]] = [(mixture, inputs), (mixture,)]
    for rows in (max_hops + 1, step_count):
        shapes += [(rows, inputs + mixture), (rows,)]
    heads = Heads(*(source.normal(size=shape).astype(np.float32) for shape in shapes))
    steps = [f"relation{index}" for index in range(step_count)]
    return RetrieverModel(manifest(steps, max_hops), HashingEncoder(), heads)
