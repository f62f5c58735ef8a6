"""Load a paper-mode retriever: two text classifiers, each with its own encoder.

Each classifier consists of a pretrained language model and a linear layer (RRA eq. 1-3 and 12-14). A text is
represented by the mean of its token vectors. This suits encoders that were trained without [CLS], such as MiniLM, and
encoders without pretraining.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from services.retriever.encoder.encoder import Encoder, OnnxEncoder, Vectors
from services.retriever.linking.word_surprisal import WordSurprisal
from services.retriever.paths.model_folder import Manifest, Shapes, read_manifest, read_weights
from services.retriever.paths.relation_scorer import softmax

HOP_ENCODER_FILE = "hops.onnx"
STEP_ENCODER_FILE = "relation-paths.onnx"
HEADS_FILE = "heads.npz"


@dataclass(frozen=True)
class Heads:
    """Hold the weights and biases of the linear layers: `hop_weight` is [H, dim], and `step_weight` is [R, dim]."""

    hop_weight: Vectors
    hop_bias: Vectors
    step_weight: Vectors
    step_bias: Vectors

    def shapes(self, hops: int, steps: int) -> Shapes:
        """Return the shapes that the arrays must have for these numbers of classes, in field order."""
        dimension = self.hop_weight.shape[1]
        return [(hops, dimension), (hops,), (steps, dimension), (steps,)]


@dataclass(frozen=True)
class Classifier:
    """Apply a linear layer, `weight` [classes, dim] and `bias` [classes], to the mean of a text's token vectors."""

    encoder: Encoder
    weight: Vectors
    bias: Vectors

    def probabilities(self, texts: Sequence[str]) -> Vectors:
        """Return the class probabilities of each text, [n, classes] (eq. 1-3 and 12-14)."""
        means = np.stack([vectors.mean(axis=0) for vectors in self.encoder.encode(texts)])
        return softmax(means @ self.weight.T + self.bias)


@dataclass(frozen=True)
class PaperModel:
    """Bundle everything that paper mode needs to predict relation paths on one graph and to link entities.

    The classes of `hops` are 1..H; the classes of `steps` are the manifest's steps, in order.
    """

    manifest: Manifest
    hops: Classifier
    steps: Classifier
    word_surprisal: WordSurprisal

    @classmethod
    def load(cls, folder: Path, threads: int = 1) -> "PaperModel":
        """Load a model that was trained in paper mode; see `services.retriever.paths.model.load_model`."""
        manifest = read_manifest(folder)
        heads = read_weights(
            folder / HEADS_FILE, Heads, lambda found: found.shapes(manifest.max_hops, len(manifest.steps))
        )
        dimension = heads.hop_weight.shape[1]
        hop_encoder, step_encoder = (
            OnnxEncoder(folder, threads, file, dimension) for file in (HOP_ENCODER_FILE, STEP_ENCODER_FILE)
        )
        return cls(
            manifest,
            Classifier(hop_encoder, heads.hop_weight, heads.hop_bias),
            Classifier(step_encoder, heads.step_weight, heads.step_bias),
            WordSurprisal(manifest.question_words, hop_encoder.vocabulary),
        )
