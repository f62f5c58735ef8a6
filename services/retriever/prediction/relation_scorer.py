"""The light step: what a question asks for next, given the relations so far; small matrix products, no encoder call.

For a question whose encoder gives the token vectors H, [T, dim], with mean v, and a path r_1 ... r_(t-1):

    s_1 = tanh(W_v v + W_f f)            f: mean vector of the steps that the topic has
    s_t = GRU(s_(t-1), e_(r_(t-1)))
    a_t = sum_i w_i V H_i,  u_t = sum_i w_i H_i,   w = softmax(K H . Q s_t)
    z_t = W_2 relu(W_1 [s_t; a_t])
    logit of step r = z_t . e_r + scale * cos(u_t, m_r)
    logit of stop   = z_t . w_stop

e_r and m_r are vectors of the relation's name in its direction, e_r with a learnt correction. To stop at once (t = 1)
means that the graph cannot answer the question. The paper scores steps with a linear layer over an encoding of
`q|r1|...` (RRA eq. 12-14), one encoder call for each.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from services.retriever.prediction.encoder import Vectors
from services.retriever.prediction.weights_io import Shapes, read_arrays

WEIGHTS_FILE = "steps.npz"
_FEW_ROWS = 6


@dataclass(frozen=True)
class StepWeights:
    """The arrays of the light step, with d the state's size, R the number of steps, dim the encoder's.

    Biases are as long as their weight. `steps` e_r, [R, d]; `meanings` m_r of length 1, [R, dim]; `scale` [1].
    """

    mean: Vectors
    kind: Vectors
    start_bias: Vectors
    query: Vectors
    key: Vectors
    value: Vectors
    wide: Vectors
    wide_bias: Vectors
    narrow: Vectors
    narrow_bias: Vectors
    gru_input: Vectors
    gru_input_bias: Vectors
    gru_state: Vectors
    gru_state_bias: Vectors
    steps: Vectors
    meanings: Vectors
    scale: Vectors
    stop: Vectors
    stop_bias: Vectors

    def shapes(self, steps: int) -> Shapes:
        """The shapes that the arrays must have for so many steps, in their order."""
        size, dimension = self.mean.shape
        inner = self.wide.shape[0]
        return [
            (size, dimension), (size, size), (size,),
            (size, size), (size, dimension), (size, dimension),
            (inner, 2 * size), (inner,), (size, inner), (size,),
            (3 * size, size), (3 * size,), (3 * size, size), (3 * size,),
            (steps, size), (steps, dimension), (1,), (size,), (1,),
        ]  # fmt: skip


def read_weights(folder: Path, steps: int) -> StepWeights:
    """The arrays of a model folder.

    Raises NotFoundError if the file is missing, InvalidInputError if it is damaged or not for so many steps.
    """
    return read_arrays(folder / WEIGHTS_FILE, StepWeights, lambda weights: weights.shapes(steps))


@dataclass(frozen=True)
class ReadQuestions:
    """Encoded questions, n of them with up to T tokens each, as every step reads them.

    `hidden` [n, T, dim]; `keys` and `values` [n, T, d]; `padding` [n, T] is -1e9 where a question has no token.
    """

    hidden: Vectors
    keys: Vectors
    values: Vectors
    padding: Vectors


class StepScorer:
    """Scores of next steps for many paths at once."""

    def __init__(self, weights: StepWeights) -> None:
        self._weights = weights
        self._key_value = np.concatenate([weights.key, weights.value])
        # What the state takes in with each step, [R, 3d].
        self._taken = weights.steps @ weights.gru_input.T + weights.gru_input_bias
        # For products as small as these a second thread costs more than it brings: on busy cores twenty times the time.
        threadpool_limits(1, "blas")

    @property
    def steps(self) -> int:
        """R, the number of steps."""
        return len(self._weights.steps)

    def read(self, hidden: Sequence[Vectors]) -> ReadQuestions:
        """What the steps need of each question's token vectors, [T, dim] each."""
        width = max(len(vectors) for vectors in hidden)
        padded = np.zeros((len(hidden), width, hidden[0].shape[1]), dtype=np.float32)
        padding = np.full((len(hidden), width), -1e9, dtype=np.float32)
        for row, vectors in enumerate(hidden):
            padded[row, : len(vectors)] = vectors
            padding[row, : len(vectors)] = 0.0
        keys, values = np.split(padded @ self._key_value.T, 2, axis=2)
        return ReadQuestions(padded, keys, values, padding)

    def start(self, read: ReadQuestions, allowed: Vectors) -> Vectors:
        """s_1 of each question, [n, d]; `allowed`, [n, R], is 1 for the steps that its topic has."""
        weights = self._weights
        tokens = (read.padding == 0.0).astype(np.float32)
        mean = np.einsum("ntd,nt->nd", read.hidden, tokens) / tokens.sum(axis=1, keepdims=True)
        kind = allowed @ weights.steps / np.maximum(allowed.sum(axis=1, keepdims=True), 1.0)
        start = np.tanh(mean @ weights.mean.T + kind @ weights.kind.T + weights.start_bias)
        return np.asarray(start, dtype=np.float32)

    def logits(self, read: ReadQuestions, questions: Sequence[int], states: Vectors) -> Vectors:
        """The logits of all steps and, last, of stop: [b, R + 1], for states [b, d] of the given questions."""
        weights = self._weights
        # A lone question need not be copied for each of its paths.
        rows = np.asarray(questions) if len(read.hidden) > 1 else slice(None)
        asking = _product(states, weights.query)[:, :, None] / np.float32(np.sqrt(states.shape[1]))
        attention = softmax((read.keys[rows] @ asking)[:, :, 0] + read.padding[rows])[:, None, :]
        attended = (attention @ read.values[rows])[:, 0]
        wide = np.maximum(_product(np.concatenate([states, attended], axis=1), weights.wide) + weights.wide_bias, 0.0)
        asked = _product(wide, weights.narrow) + weights.narrow_bias
        meaning = (attention @ read.hidden[rows])[:, 0]
        meaning /= np.maximum(np.sqrt((meaning * meaning).sum(axis=1, keepdims=True)), 1e-6)
        steps = asked @ weights.steps.T + weights.scale * (meaning @ weights.meanings.T)
        stop = asked @ weights.stop[:, None] + weights.stop_bias
        return np.concatenate([steps, stop], axis=1)

    def advance(self, states: Vectors, taken: Sequence[int]) -> Vectors:
        """The states [b, d] after one more step each (GRU, Cho et al. 2014)."""
        weights = self._weights
        inputs = self._taken[np.asarray(taken)]
        before = _product(states, weights.gru_state) + weights.gru_state_bias
        size = states.shape[1]
        reset = _sigmoid(inputs[:, :size] + before[:, :size])
        update = _sigmoid(inputs[:, size : 2 * size] + before[:, size : 2 * size])
        candidate = np.tanh(inputs[:, 2 * size :] + reset * before[:, 2 * size :])
        return np.asarray((1.0 - update) * candidate + update * states, dtype=np.float32)


def _product(rows: Vectors, matrix: Vectors) -> Vectors:
    """rows . matrix^T; of a few rows each by itself, since BLAS first copies the matrix for two or more."""
    if len(rows) > _FEW_ROWS:
        return np.asarray(rows @ matrix.T)
    return np.stack([matrix @ row for row in rows])


def softmax(logits: Vectors) -> Vectors:
    """Along the last axis."""
    exponents = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(exponents / exponents.sum(axis=-1, keepdims=True), dtype=np.float32)


def _sigmoid(values: Vectors) -> Vectors:
    return np.asarray(1.0 / (1.0 + np.exp(-values)), dtype=np.float32)
