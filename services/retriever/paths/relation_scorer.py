"""Score the next relation of a path with small matrix products instead of another encoder call.

For a question with token vectors H, [T, dim], their mean v, and a path r_1 ... r_(t-1):

    s_1 = tanh(W_v v + W_f f)            f: mean vector of the steps that leave the topic
    s_t = GRU(s_(t-1), e_(r_(t-1)))
    a_t = sum_i w_i V H_i,  u_t = sum_i w_i H_i,   w = softmax(K H . Q s_t)
    z_t = W_2 relu(W_1 [s_t; a_t])
    logit of step r = z_t . e_r + scale * cos(u_t, m_r)
    logit of stop   = z_t . w_stop

e_r and m_r are projections of the vector of the relation's name, with separate weights for each direction; e_r also
adds a learned correction. Stopping before the first step (t = 1) means that the graph cannot answer the question. The
paper instead scores steps with a linear layer over an encoding of `q|r1|...` (RRA eq. 12-14), which takes one encoder
call per path.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from services.retriever.encoder.encoder import Vectors
from services.retriever.encoder.matrix_threads import use_one_matrix_thread
from services.retriever.paths.model_folder import Shapes

WEIGHTS_FILE = "steps.npz"
# The largest number of rows that are multiplied one at a time.
_FEW_ROWS = 6


@dataclass(frozen=True)
class RelationScorerWeights:
    """Hold the scorer's arrays in fields with the same names as in the weights file.

    Let d be the size of the state, R the number of steps, and dim the length of a token vector. `steps` contains e_r,
    [R, d]. `meanings` contains m_r, normalised to length 1, [R, dim]. `scale` has shape [1]. Each bias has one value
    per output of its layer.
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
        """Return the shapes that the arrays must have for this number of steps, in field order."""
        size, dimension = self.mean.shape
        inner = self.wide.shape[0]
        return [
            (size, dimension), (size, size), (size,),
            (size, size), (size, dimension), (size, dimension),
            (inner, 2 * size), (inner,), (size, inner), (size,),
            (3 * size, size), (3 * size,), (3 * size, size), (3 * size,),
            (steps, size), (steps, dimension), (1,), (size,), (1,),
        ]  # fmt: skip


@dataclass(frozen=True)
class EncodedQuestions:
    """Hold n questions of up to T tokens, prepared for the scoring of every step.

    `hidden` holds the token vectors, [n, T, dim]; `keys` and `values` are [n, T, d]; `padding`, [n, T], is -1e9 where a
    question has no token and 0 elsewhere.
    """

    hidden: Vectors
    keys: Vectors
    values: Vectors
    padding: Vectors


class RelationScorer:
    """Score the next steps of many paths at once."""

    def __init__(self, weights: RelationScorerWeights) -> None:
        self._weights = weights
        self._key_value = np.concatenate([weights.key, weights.value])
        # The GRU's input for each step, [R, 3d].
        self._step_inputs = weights.steps @ weights.gru_input.T + weights.gru_input_bias
        use_one_matrix_thread()

    def prepare(self, token_vectors: Sequence[Vectors]) -> EncodedQuestions:
        """Pad the token vectors of each question, [T, dim], and project them to keys and values."""
        width = max(len(vectors) for vectors in token_vectors)
        padded = np.zeros((len(token_vectors), width, token_vectors[0].shape[1]), dtype=np.float32)
        padding = np.full((len(token_vectors), width), -1e9, dtype=np.float32)
        for row, vectors in enumerate(token_vectors):
            padded[row, : len(vectors)] = vectors
            padding[row, : len(vectors)] = 0.0
        keys, values = np.split(padded @ self._key_value.T, 2, axis=2)
        return EncodedQuestions(padded, keys, values, padding)

    def initial_states(self, questions: EncodedQuestions, topic_steps: Vectors) -> Vectors:
        """Return s_1 for each question, [n, d]; `topic_steps`, [n, R], is 1 for the steps that leave its topic."""
        weights = self._weights
        tokens = (questions.padding == 0.0).astype(np.float32)
        mean = np.einsum("ntd,nt->nd", questions.hidden, tokens) / tokens.sum(axis=1, keepdims=True)
        kind = topic_steps @ weights.steps / np.maximum(topic_steps.sum(axis=1, keepdims=True), 1.0)
        start = np.tanh(mean @ weights.mean.T + kind @ weights.kind.T + weights.start_bias)
        return np.asarray(start, dtype=np.float32)

    def logits(self, questions: EncodedQuestions, question_rows: Sequence[int], states: Vectors) -> Vectors:
        """Return the logits of all steps and, in the last column, of stopping, [b, R + 1].

        `states`, [b, d], holds the state of each path so far; `question_rows` holds the index of each path's question.
        """
        weights = self._weights
        # A single question broadcasts over its paths, so it need not be copied for each of them.
        rows = np.asarray(question_rows) if len(questions.hidden) > 1 else slice(None)
        query = _product(states, weights.query)[:, :, None] / np.float32(np.sqrt(states.shape[1]))
        attention = softmax((questions.keys[rows] @ query)[:, :, 0] + questions.padding[rows])[:, None, :]
        attended = (attention @ questions.values[rows])[:, 0]
        wide = np.maximum(_product(np.concatenate([states, attended], axis=1), weights.wide) + weights.wide_bias, 0.0)
        output = _product(wide, weights.narrow) + weights.narrow_bias
        meaning = (attention @ questions.hidden[rows])[:, 0]
        meaning /= np.maximum(np.sqrt((meaning * meaning).sum(axis=1, keepdims=True)), 1e-6)
        steps = output @ weights.steps.T + weights.scale * (meaning @ weights.meanings.T)
        stop = output @ weights.stop[:, None] + weights.stop_bias
        return np.concatenate([steps, stop], axis=1)

    def advance(self, states: Vectors, steps: Sequence[int]) -> Vectors:
        """Return the states, [b, d], after each path takes one more step (GRU, Cho et al. 2014)."""
        weights = self._weights
        inputs = self._step_inputs[np.asarray(steps)]
        before = _product(states, weights.gru_state) + weights.gru_state_bias
        size = states.shape[1]
        reset = _sigmoid(inputs[:, :size] + before[:, :size])
        update = _sigmoid(inputs[:, size : 2 * size] + before[:, size : 2 * size])
        candidate = np.tanh(inputs[:, 2 * size :] + reset * before[:, 2 * size :])
        return np.asarray((1.0 - update) * candidate + update * states, dtype=np.float32)


def _product(rows: Vectors, matrix: Vectors) -> Vectors:
    """Return rows . matrix^T; a few rows are multiplied one at a time, since BLAS would copy the matrix."""
    if len(rows) > _FEW_ROWS:
        return np.asarray(rows @ matrix.T)
    return np.stack([matrix @ row for row in rows])


def softmax(logits: Vectors) -> Vectors:
    """Return the softmax along the last axis."""
    exponents = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(exponents / exponents.sum(axis=-1, keepdims=True), dtype=np.float32)


def _sigmoid(values: Vectors) -> Vectors:
    return np.asarray(1.0 / (1.0 + np.exp(-values)), dtype=np.float32)
