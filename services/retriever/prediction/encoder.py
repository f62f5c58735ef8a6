"""Text encoder: texts in, token vectors out. Serving runs it as int8 ONNX, without torch."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import Tokenizer

from shared.errors import InvalidInputError, NotFoundError

ENCODER_FILE = "encoder.onnx"
TOKENIZER_FILE = "tokenizer.json"
MAX_TOKENS = 256
"""What an encoder must be able to take."""
MAX_TOKENS_READ = 64
"""What is read of a text, since each token takes time. The longest question of the published data sets has 38."""
_MASK = "[MASK]"
_END = 24
BATCH_SIZE = 32

Vectors = npt.NDArray[np.float32]
_NOTHING: Vectors = np.zeros((0, 0), dtype=np.float32)


class Encoder(Protocol):
    """Turns texts into vectors; safe for concurrent use."""

    def encode(self, texts: Sequence[str]) -> list[Vectors]:
        """The token vectors of each text, float32 of shape [tokens, dim]; the same call always gives the same ones."""
        ...


class OnnxEncoder:
    """A transformer encoder, as an ONNX file beside its `tokenizer.json`.

    The ONNX graph takes `input_ids` and `attention_mask` (int64, [n, tokens]) and gives the last layer's token vectors
    (float32, [n, tokens, dim]).
    """

    def __init__(self, folder: Path, threads: int = 1, file: str = ENCODER_FILE) -> None:
        """Load from `folder`. One thread is fastest for single questions and keeps busy machines usable.

        Raises NotFoundError for a missing file, InvalidInputError for one that cannot be read.
        """
        for name in (file, TOKENIZER_FILE):
            if not (folder / name).is_file():
                raise NotFoundError(f"{folder / name}: there is no such file; train or copy the encoder again")
        try:
            self._tokenizer: Any = Tokenizer.from_file(str(folder / TOKENIZER_FILE))
            self._session = _session(folder / file, threads)
        except Exception as error:  # both libraries raise their own bare exceptions on a damaged file
            raise InvalidInputError(f"{folder}: the encoder cannot be read: {error}") from error
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._mask: int | None = self._tokenizer.token_to_id(_MASK)

    @property
    def dimension(self) -> int:
        """How many numbers a token vector has."""
        return int(self._session.get_outputs()[0].shape[2])

    @property
    def vocabulary(self) -> dict[str, int]:
        """The tokenizer's tokens with their ids."""
        return dict(self._tokenizer.get_vocab())

    def encode(self, texts: Sequence[str]) -> list[Vectors]:
        """The token vectors of each text, [tokens, dim]; of a long text those around its mask and those at its end.

        int8 activations are scaled by batch, so a vector depends a little on its company.
        """
        token_ids = [self._shortened(encoding.ids) for encoding in self._tokenizer.encode_batch(list(texts))]
        # Texts of like length go together, so that little is computed on padding.
        order = sorted(range(len(texts)), key=lambda index: len(token_ids[index]))
        vectors: list[Vectors] = [_NOTHING] * len(texts)
        for start in range(0, len(order), BATCH_SIZE):
            batch = order[start : start + BATCH_SIZE]
            for index, found in zip(batch, self._run([token_ids[index] for index in batch]), strict=True):
                vectors[index] = found[: len(token_ids[index])]
        return vectors

    def _shortened(self, ids: list[int]) -> list[int]:
        """At most `MAX_TOKENS_READ` tokens: the first, which begins every text, those around the mask, and the end.

        The end is where people ask, and in paper mode the relation path so far.
        """
        if len(ids) <= MAX_TOKENS_READ:
            return ids
        around = MAX_TOKENS_READ - 1 - _END
        end = len(ids) - _END
        mask = ids.index(self._mask) if self._mask in ids else end
        start = min(max(1, mask - around // 2), end - around)
        return [*ids[:1], *ids[start : start + around], *ids[end:]]

    def _run(self, token_ids: list[list[int]]) -> Vectors:
        width = max(len(ids) for ids in token_ids)
        input_ids = np.zeros((len(token_ids), width), dtype=np.int64)
        attention_mask = np.zeros_like(input_ids)
        for row, ids in enumerate(token_ids):
            input_ids[row, : len(ids)] = ids
            attention_mask[row, : len(ids)] = 1
        [vectors] = self._session.run(None, {"input_ids": input_ids, "attention_mask": attention_mask})
        return np.asarray(vectors, dtype=np.float32)


def _session(file: Path, threads: int) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
