"""Build retriever models with hand-set or random weights for tests."""

from collections.abc import Mapping, Sequence

import numpy as np

from graph.store import WalkRule
from services.retriever.encoder.encoder import Vectors
from services.retriever.linking.word_surprisal import WordSurprisal
from services.retriever.paths.model import RetrieverModel
from services.retriever.paths.model_folder import Manifest
from services.retriever.paths.paper.model import Classifier, PaperModel
from services.retriever.paths.relation_scorer import RelationScorer, RelationScorerWeights
from tests.fakes.encoder import DIMENSION, HashingEncoder, column

STOP = "stop"
# The logit of a step that no word in the question supports; the logit of stopping is 0.
UNSUPPORTED = -6.0


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
    steps: Sequence[str], step_words: Mapping[str, tuple[str, float]], max_hops: int = 2
) -> RetrieverModel:
    """Build a model in which each word adds its strength to the logit of a step or of `STOP`.

    No step is taken twice: the state, [R + 1], marks the steps already taken, and the GRU's update gate closes for a
    new step.
    """
    size = len(steps) + 1
    value = np.zeros((size, DIMENSION), np.float32)
    for word, (step, strength) in step_words.items():
        value[size - 1 if step == STOP else list(steps).index(step), column(word)] = strength
    one, nothing = np.eye(size, dtype=np.float32), np.zeros((size, size), np.float32)
    weights = RelationScorerWeights(
        mean=np.zeros((size, DIMENSION), np.float32),
        kind=nothing,
        start_bias=np.zeros(size, np.float32),
        query=nothing,
        key=np.zeros((size, DIMENSION), np.float32),
        value=value,
        wide=np.eye(2 * size, dtype=np.float32),
        wide_bias=np.zeros(2 * size, np.float32),
        narrow=np.concatenate([-100 * one, one], axis=1),
        narrow_bias=np.array([UNSUPPORTED] * len(steps) + [0.0], np.float32),
        gru_input=np.concatenate([nothing, -40 * one, 20 * one]),
        gru_input_bias=np.array([0.0] * size + [20.0] * size + [0.0] * size, np.float32),
        gru_state=np.zeros((3 * size, size), np.float32),
        gru_state_bias=np.zeros(3 * size, np.float32),
        steps=one[:-1],
        meanings=np.zeros((len(steps), DIMENSION), np.float32),
        scale=np.zeros(1, np.float32),
        stop=one[-1],
        stop_bias=np.zeros(1, np.float32),
    )
    return RetrieverModel(manifest(steps, max_hops), HashingEncoder(), RelationScorer(weights), WordSurprisal())


def keyword_paper_model(
    steps: Sequence[str], hop_words: Mapping[str, tuple[int, float]], step_words: Mapping[str, tuple[str, float]]
) -> PaperModel:
    """Build a paper-mode model in which each word adds its strength to the logit of a hop number or of a step.

    Words are separated by spaces, so the last word of a step input is `word|first relation`.
    """
    max_hops = max(hops for hops, _ in hop_words.values())
    hop_weight = np.zeros((max_hops, DIMENSION), np.float32)
    step_weight = np.zeros((len(steps), DIMENSION), np.float32)
    for word, (hops, strength) in hop_words.items():
        hop_weight[hops - 1, column(word)] = strength
    for word, (step, strength) in step_words.items():
        step_weight[list(steps).index(step), column(word)] = strength
    return _paper_model(steps, hop_weight, step_weight)


def random_paper_model(steps: Sequence[str], max_hops: int, seed: int) -> PaperModel:
    """Build a paper-mode model with random probabilities that depend on every word and every prefix of the path."""
    source = np.random.default_rng(seed)
    hop_weight, step_weight = (
        source.normal(size=(classes, DIMENSION)).astype(np.float32) for classes in (max_hops, len(steps))
    )
    return _paper_model(steps, hop_weight, step_weight)


def _paper_model(steps: Sequence[str], hop_weight: Vectors, step_weight: Vectors) -> PaperModel:
    hops, relations = (
        Classifier(HashingEncoder(), weight, np.zeros(len(weight), np.float32)) for weight in (hop_weight, step_weight)
    )
    paper_manifest = manifest(steps, len(hop_weight)).model_copy(update={"mode": "paper"})
    return PaperModel(paper_manifest, hops, relations, WordSurprisal())


def random_weights(steps: int, size: int, seed: int) -> RelationScorerWeights:
    source = np.random.default_rng(seed)
    inner = 2 * size

    def array(*shape: int) -> Vectors:
        return source.normal(scale=0.4, size=shape).astype(np.float32)

    return RelationScorerWeights(
        array(size, DIMENSION), array(size, size), array(size),
        array(size, size), array(size, DIMENSION), array(size, DIMENSION),
        array(inner, 2 * size), array(inner), array(size, inner), array(size),
        array(3 * size, size), array(3 * size), array(3 * size, size), array(3 * size),
        array(steps, size), array(steps, DIMENSION), array(1), array(size), array(1),
    )  # fmt: skip


def random_model(steps: Sequence[str], max_hops: int, seed: int) -> RetrieverModel:
    """Build a model with random probabilities that depend on every word, topic step, and prefix of the path."""
    weights = random_weights(len(steps), 4, seed)
    return RetrieverModel(manifest(steps, max_hops), HashingEncoder(), RelationScorer(weights), WordSurprisal())
