"""Encode texts as token vectors with an int8 ONNX model, without torch."""

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
"""The number of tokens that every encoder must accept."""
MAX_TOKENS_READ = 64
"""The number of tokens to encode per text; each one costs time. Questions in published data sets have up to 38."""
_MASK = "[MASK]"
_KEPT_AT_END = 24
BATCH_SIZE = 32

Vectors = npt.NDArray[np.float32]


class Encoder(Protocol):
    """Encode texts as vectors; implementations are safe for concurrent use."""

    def encode(self, texts: Sequence[str]) -> list[Vectors]:
        """Encode each text; the same call always returns the same vectors.

        Args:
            texts: The texts to encode.

        Returns:
            The token vectors of each text, float32 of shape [tokens, dim].

        Example:
            >>> [vectors] = encoder.encode(["capital of [MASK]"])
            >>> vectors.shape
            (5, 384)
        """
        ...


class OnnxEncoder:
    """Run a transformer encoder from an ONNX file and the `tokenizer.json` in the same folder.

    The ONNX graph takes `input_ids` and `attention_mask` (int64, [n, tokens]) and returns the token vectors of the last
    layer (float32, [n, tokens, dim]).
    """

    def __init__(
        self, folder: Path, threads: int = 1, file: str = ENCODER_FILE, expected_dimension: int | None = None
    ) -> None:
        """Load the encoder from a model folder.

        One thread is fastest for single questions and keeps busy machines responsive. Raises NotFoundError if a file is
        missing, and InvalidInputError if it is damaged or its token vectors do not have the `expected_dimension`.
        """
        for name in (file, TOKENIZER_FILE):
            if not (folder / name).is_file():
                raise NotFoundError(f"{folder / name} is missing; copy the file again or retrain the retriever")
        try:
            self._tokenizer: Any = Tokenizer.from_file(str(folder / TOKENIZER_FILE))
            self._session = open_session(folder / file, threads)
        except Exception as error:  # each library raises its own exceptions for a damaged file
            raise InvalidInputError(f"{folder / file}: cannot read the encoder: {error}; retrain it") from error
        if expected_dimension not in (None, self.dimension):
            raise InvalidInputError(
                f"{folder / file}: the encoder's token vectors have length {self.dimension}, but the model's weights "
                f"expect {expected_dimension}, so the files belong to different models; train the retriever again"
            )
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._mask: int | None = self._tokenizer.token_to_id(_MASK)

    @property
    def dimension(self) -> int:
        """Return the length of a token vector."""
        return int(self._session.get_outputs()[0].shape[2])

    @property
    def vocabulary(self) -> dict[str, int]:
        """Return the tokenizer's tokens and their ids."""
        return dict(self._tokenizer.get_vocab())

    def encode(self, texts: Sequence[str]) -> list[Vectors]:
        """Encode each text as `Encoder.encode` does, reading at most `MAX_TOKENS_READ` of its tokens.

        int8 activations are scaled per batch, so the vectors of a text depend slightly on the other texts in the call.
        """
        token_ids = [self._shorten(encoding.ids) for encoding in self._tokenizer.encode_batch(list(texts))]
        # Batch texts of similar length, so that little time is spent on padding.
        order = sorted(range(len(texts)), key=lambda index: len(token_ids[index]))
        vectors: dict[int, Vectors] = {}
        for start in range(0, len(order), BATCH_SIZE):
            batch = order[start : start + BATCH_SIZE]
            for index, encoded in zip(batch, self._run([token_ids[index] for index in batch]), strict=True):
                vectors[index] = encoded[: len(token_ids[index])]
        return [vectors[index] for index in range(len(texts))]

    def encode_with_offsets(self, text: str) -> tuple[Vectors, list[tuple[int, int]]]:
        """Encode a text, and return its token vectors with the place of each token in the text.

        Reads at most `MAX_TOKENS_READ` tokens. A token that stands for no part of the text has an empty place.
        """
        encoding = self._tokenizer.encode(text)
        ids, offsets = encoding.ids[:MAX_TOKENS_READ], encoding.offsets[:MAX_TOKENS_READ]
        return self._run([ids])[0], list(offsets)

    def _shorten(self, ids: list[int]) -> list[int]:
        """Keep the first token (the same for every text), the tokens around the mask, and the last tokens.

        People usually state what they want at the end of a question. In paper mode, the end of the text also contains
        the relation path so far.
        """
        if len(ids) <= MAX_TOKENS_READ:
            return ids
        window = MAX_TOKENS_READ - 1 - _KEPT_AT_END
        end = len(ids) - _KEPT_AT_END
        mask = ids.index(self._mask) if self._mask in ids else end
        start = min(max(1, mask - window // 2), end - window)
        return [*ids[:1], *ids[start : start + window], *ids[end:]]

    def _run(self, token_ids: list[list[int]]) -> Vectors:
        width = max(len(ids) for ids in token_ids)
        input_ids = np.zeros((len(token_ids), width), dtype=np.int64)
        attention_mask = np.zeros_like(input_ids)
        for row, ids in enumerate(token_ids):
            input_ids[row, : len(ids)] = ids
            attention_mask[row, : len(ids)] = 1
        [vectors] = self._session.run(None, {"input_ids": input_ids, "attention_mask": attention_mask})
        return np.asarray(vectors, dtype=np.float32)


def open_session(file: Path, threads: int) -> Any:
    """Load an ONNX model for this many compute threads, without messages of the runtime."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
