"""The trained retriever: an encoder, what the graph says of the topic, and two linear heads, kept in a folder."""

import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shared.encoder import Encoder, OnnxEncoder, Vectors
from shared.errors import InvalidInputError, NotFoundError
from shared.graph.store import WalkRule

MANIFEST_FILE = "manifest.json"
HEADS_FILE = "heads.npz"
FORMAT: Literal[1] = 1


class Manifest(BaseModel):
    """What a model folder is and where it comes from; `training` holds figures for people.

    `steps`: the relation steps (`r` or `^r`) in the order of the step head's rows. `question_words`: words that the
    training questions use outside their mentions, which entity linking takes for poor names.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal[1] = FORMAT
    graph: str
    graph_version: str
    data: dict[str, int]
    seed: int
    walk_rule: WalkRule
    steps: tuple[str, ...] = Field(min_length=1)
    max_hops: int = Field(ge=1)
    question_words: tuple[str, ...] = ()
    training: dict[str, float | int | str] = {}


@dataclass(frozen=True, slots=True)
class Query:
    """What the model is asked: a text, and the relation steps that lead away from the topic that it masks."""

    text: str
    topic_steps: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Heads:
    """Linear layers: one that mixes text and topic, and over both and the mixture the two that predict.

    With v the encoder's vector, [dim], and f marking the topic's steps with 1, [steps], the hop and step heads read
    q_v = [v; f; relu(mix_weight [v; f] + mix_bias)]. Shapes: `mix_weight` [mixture, dim + steps], `hop_weight`
    [H + 1, dim + steps + mixture], `step_weight` [steps, dim + steps + mixture], each bias as long as its weight.
    """

    mix_weight: Vectors
    mix_bias: Vectors
    hop_weight: Vectors
    hop_bias: Vectors
    step_weight: Vectors
    step_bias: Vectors


class RetrieverModel:
    """Hop and relation probabilities of encoded texts (RRA eq. 2-3, 8-9 and 13-14)."""

    def __init__(self, manifest: Manifest, encoder: Encoder, heads: Heads) -> None:
        self.manifest = manifest
        self.encoder = encoder
        self._heads = heads

    @classmethod
    def load(cls, folder: Path, threads: int = 1) -> "RetrieverModel":
        """Read a model folder.

        Raises NotFoundError if the folder or one of its files is missing, InvalidInputError if one is damaged or of
        another format.
        """
        manifest = _read_manifest(folder / MANIFEST_FILE)
        heads = _read_heads(folder / HEADS_FILE, manifest)
        encoder = OnnxEncoder(folder, threads)
        dimension = encoder.encode(["?"]).shape[1]
        expected = heads.mix_weight.shape[1] - len(manifest.steps)
        if dimension != expected:
            raise InvalidInputError(
                f"{folder}: the encoder gives {dimension} numbers a text, the heads take {expected}; "
                "the files belong to different models, train again"
            )
        return cls(manifest, encoder, heads)

    @property
    def steps(self) -> tuple[str, ...]:
        """The relation steps in the order of `step_probabilities`' columns."""
        return self.manifest.steps

    def encode(self, queries: Sequence[Query]) -> Vectors:
        """q_v of each query, [n, dim + steps + mixture] (eq. 1 and 12); queries of one text share its encoding."""
        texts = list(dict.fromkeys(query.text for query in queries))
        rows = {text: row for row, text in enumerate(texts)}
        vectors = self.encoder.encode(texts)[[rows[query.text] for query in queries]]
        joined = np.concatenate([vectors, self._topic_features(queries)], axis=1)
        mixed = np.maximum(joined @ self._heads.mix_weight.T + self._heads.mix_bias, 0.0)
        return np.concatenate([joined, mixed], axis=1)

    def _topic_features(self, queries: Sequence[Query]) -> Vectors:
        features = np.zeros((len(queries), len(self.steps)), dtype=np.float32)
        for row, query in enumerate(queries):
            for column, step in enumerate(self.steps):
                features[row, column] = step in query.topic_steps
        return features

    def hop_probabilities(self, vectors: Vectors) -> Vectors:
        """P(h) for h = 0..H, [n, H + 1]."""
        return _softmax(vectors @ self._heads.hop_weight.T + self._heads.hop_bias)

    def step_probabilities(self, vectors: Vectors) -> Vectors:
        """P(relation step), [n, steps]."""
        return _softmax(vectors @ self._heads.step_weight.T + self._heads.step_bias)


def _softmax(logits: Vectors) -> Vectors:
    exponents = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(exponents / exponents.sum(axis=1, keepdims=True), dtype=np.float32)


def _read_manifest(file: Path) -> Manifest:
    if not file.is_file():
        raise NotFoundError(f"{file}: there is no trained retriever in this folder; run `kgqa train` first")
    try:
        fields = json.loads(file.read_text(encoding="utf-8"))
        if isinstance(fields, dict) and fields.get("format") != FORMAT:
            raise InvalidInputError(
                f"{file}: format {fields.get('format')!r} is not the one this version reads, {FORMAT}; train again"
            )
        return Manifest.model_validate(fields)
    except (ValueError, ValidationError) as error:
        raise InvalidInputError(f"{file}: not a retriever's manifest: {error}") from error


def _read_heads(file: Path, manifest: Manifest) -> Heads:
    if not file.is_file():
        raise NotFoundError(f"{file}: there is no such file; the model folder is incomplete, train again")
    try:
        with np.load(file, allow_pickle=False) as arrays:
            heads = Heads(*(arrays[name].astype(np.float32) for name in Heads.__dataclass_fields__))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise InvalidInputError(f"{file}: the heads cannot be read: {error}") from error
    mixture, joined = heads.mix_weight.shape
    expected = [(mixture, joined), (mixture,)]
    for rows in (manifest.max_hops + 1, len(manifest.steps)):
        expected += [(rows, joined + mixture), (rows,)]
    actual = [getattr(heads, name).shape for name in Heads.__dataclass_fields__]
    if actual != expected:
        raise InvalidInputError(f"{file}: heads of shapes {actual} do not fit the manifest, which needs {expected}")
    return heads
