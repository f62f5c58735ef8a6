"""Encode questions and triples for dense retrieval, with the packaged encoder or with one trained for the graph."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from language.mentions import Mention
from services.retriever.dense.path_search import PathWeights
from services.retriever.encoder.encoder import ENCODER_FILE, TOKENIZER_FILE, Encoder, Vectors
from services.retriever.encoder.sentence_vectors import sentence_vectors
from services.retriever.linking.masking import masked_question
from services.retriever.plans.predictor.plan_manifest import BASE_MODEL
from shared.errors import InvalidInputError
from shared.paths import dense_folder

ENCODER_FOLDER = BASE_MODEL
"""The packaged encoder, so that training the relation paths does not outdate the index."""
MANIFEST_FILE = "manifest.json"
MAX_HOPS = 5
"""The longest relation path to train on, the paper's limit."""
STOP = "The question is answered."
"""The text that a query resembles if the hops before it have reached the answer."""
_UNTRAINED_SHARES = (1.0, 0.8)


class DenseManifest(BaseModel):
    """Describe an encoder that was trained for a graph: `manifest.json` in its folder.

    Attributes:
        format: The version of the files.
        graph: The graph.
        graph_version: The version of the graph that it was trained on.
        hops: The number of hops that its queries search.
        questions: The number of training questions.
        seed: The seed of the run.
        training: Figures of the run.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal[1] = 1
    graph: str
    graph_version: str
    hops: int = Field(ge=1, le=MAX_HOPS)
    questions: int = Field(ge=1)
    seed: int
    training: dict[str, float]


class DenseEncoder:
    """Encode the queries of each hop. Safe for concurrent use if the encoder is.

    A trained encoder reads the question once for each hop, with the topic entity masked, so that each query resembles
    only the triples of its hop. An encoder without training compares one query with all triples.
    """

    def __init__(self, encoder: Encoder, hops: int | None = None) -> None:
        """Use an encoder that was trained for `hops` hops, or one without training."""
        self.encoder = encoder
        self._hops = hops
        shares = tuple(1 / hop for hop in range(1, hops + 1)) if hops else _UNTRAINED_SHARES
        self.weights = PathWeights(shares, sentence_vectors(encoder, [STOP])[0] if hops else None)

    @property
    def is_trained(self) -> bool:
        """Return whether the encoder was trained for a graph."""
        return self._hops is not None

    def hop_queries(self, queries: Sequence[str], mention: Mention | None) -> Vectors:
        """Return the query of each hop, [hops, dim].

        Args:
            queries: The question, and with thoughts after it, if there are any; see `growing_queries`.
            mention: Where all of them mention the topic entity, if anywhere.
        """
        if self._hops is None:
            found = sentence_vectors(self.encoder, queries).mean(axis=0)
            return np.repeat(found[None], len(self.weights.shares), axis=0)
        texts = [hop_text(masked_question(text, mention), hop) for hop in range(1, self._hops + 1) for text in queries]
        return np.asarray(sentence_vectors(self.encoder, texts).reshape(self._hops, len(queries), -1).mean(axis=1))


def hop_text(masked: str, hop: int) -> str:
    """Return the text whose vector resembles the triples of a hop, the first of which is 1.

    Example:
        >>> hop_text("who directed the films of [MASK]", 2)
        'step 2: who directed the films of [MASK]'
    """
    return f"step {hop}: {masked}"


def encoder_folder(graph: str) -> Path:
    """Return the folder of the encoder that was trained for a graph, or else of the packaged one."""
    own = dense_folder(graph)
    return own if (own / MANIFEST_FILE).is_file() else ENCODER_FOLDER


def read_dense_manifest(folder: Path, graph: str) -> DenseManifest | None:
    """Return the manifest of a trained encoder; None for the packaged encoder.

    Raises InvalidInputError if it is damaged or belongs to another version.
    """
    if folder == ENCODER_FOLDER:
        return None
    try:
        return DenseManifest.model_validate_json((folder / MANIFEST_FILE).read_text(encoding="utf-8"))
    except (ValidationError, UnicodeDecodeError, OSError) as error:
        raise InvalidInputError(
            f"{folder / MANIFEST_FILE} is damaged, or of another version of kgqa; train the encoder again with: "
            f"kgqa train dense --graph {graph}, or remove {folder} to use the packaged encoder"
        ) from error


def encoder_fingerprint(folder: Path = ENCODER_FOLDER) -> str:
    """Return a hash of an encoder's files, which changes whenever its vectors may."""
    content = hashlib.sha256()
    for name in (ENCODER_FILE, TOKENIZER_FILE):
        content.update((folder / name).read_bytes())
    return content.hexdigest()[:16]
