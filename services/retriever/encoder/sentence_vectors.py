"""Turn the token vectors of an encoder into one vector per text."""

from collections.abc import Sequence

import numpy as np

from services.retriever.encoder.encoder import Encoder, Vectors


def sentence_vectors(encoder: Encoder, texts: Sequence[str]) -> Vectors:
    """Return the mean of each text's token vectors, scaled to length 1, as float32 of shape [texts, dim]."""
    means = np.stack([vectors.mean(axis=0) for vectors in encoder.encode(texts)])
    return np.asarray(means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-9), dtype=np.float32)
