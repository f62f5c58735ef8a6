"""A paper-mode retriever as read from its folder: two classifiers of texts, each with an encoder of its own.

Both are a pretrained language model and a linear layer (RRA eq. 1-3 and 12-14). A text's vector is the mean of its
token vectors: it serves encoders that were trained without [CLS], as MiniLM was, and those that start from nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from services.retriever.linking.word_surprisal import WordSurprisal
from services.retriever.prediction.encoder import Encoder, OnnxEncoder, Vectors
from services.retriever.prediction.manifest import Manifest, read_manifest
from services.retriever.prediction.relation_scorer import softmax
from services.retriever.prediction.weights_io import Shapes, read_arrays
from shared.errors import InvalidInputError

HOP_ENCODER_FILE = "hops.onnx"
STEP_ENCODER_FILE = "relation-paths.onnx"
HEADS_FILE = "heads.npz"


@dataclass(frozen=True)
class Heads:
    """The linear layers: `hop_weight` [H, dim], `step_weight` [R, dim], each bias as long as its weight."""

    hop_weight: Vectors
    hop_bias: Vectors
    step_weight: Vectors
    step_bias: Vectors

    def shapes(self, hops: int, steps: int) -> Shapes:
        """The shapes that the arrays must have for so many hop numbers and relation steps, in their order."""
        dimension = self.hop_weight.shape[1]
        return [(hops, dimension), (hops,), (steps, dimension), (steps,)]


@dataclass(frozen=True)
class Classifier:
    """A linear layer, `weight` [classes, dim] and `bias` [classes], over the mean of an encoder's token vectors."""

    encoder: Encoder
    weight: Vectors
    bias: Vectors

    def probabilities(self, texts: Sequence[str]) -> Vectors:
        """P(class) of each text, [n, classes] (eq. 1-3; 12-14)."""
        means = np.stack([vectors.mean(axis=0) for vectors in self.encoder.encode(texts)])
        return softmax(means @ self.weight.T + self.bias)


@dataclass(frozen=True)
class PaperModel:
    """What predicts hop numbers and relation paths on one graph, and knows which words of its questions are rare.

    `hops` tells 1..H apart, in this order; `steps` the manifest's steps.
    """

    manifest: Manifest
    hops: Classifier
    steps: Classifier
    word_surprisal: WordSurprisal

    @classmethod
    def load(cls, folder: Path, threads: int = 1) -> "PaperModel":
        """Read the folder of a model that was trained in paper mode.

        Raises NotFoundError if the folder or one of its files is missing, InvalidInputError if one is damaged or of
        another format.
        """
        manifest = read_manifest(folder)
        heads = read_arrays(
            folder / HEADS_FILE, Heads, lambda heads: heads.shapes(manifest.max_hops, len(manifest.steps))
        )
        hop_encoder, step_encoder = (OnnxEncoder(folder, threads, f) for f in (HOP_ENCODER_FILE, STEP_ENCODER_FILE))
        for encoder, weight in ((hop_encoder, heads.hop_weight), (step_encoder, heads.step_weight)):
            if encoder.dimension != weight.shape[1]:
                raise InvalidInputError(
                    f"{folder}: an encoder gives {encoder.dimension} numbers a token, its head takes "
                    f"{weight.shape[1]}; the files belong to different models, train again"
                )
        return cls(
            manifest,
            Classifier(hop_encoder, heads.hop_weight, heads.hop_bias),
            Classifier(step_encoder, heads.step_weight, heads.step_bias),
            WordSurprisal(manifest.question_words, hop_encoder.vocabulary),
        )
