from pathlib import Path

import numpy as np
import pytest

from services.retriever.paths.model import load_model
from services.retriever.paths.model_folder import MANIFEST_FILE, write_weights
from services.retriever.paths.paper.model import HEADS_FILE, HOP_ENCODER_FILE, Heads
from shared.errors import InvalidInputError, NotFoundError
from tests.unit.services.retriever.models import manifest


def write_model(folder: Path, steps: int = 2) -> Path:
    """Write a paper-mode model folder without its encoders, with heads for this number of steps."""
    told = manifest(["capital", "^capital"], max_hops=3).model_copy(update={"mode": "paper"})
    (folder / MANIFEST_FILE).write_text(told.model_dump_json())
    heads = [np.zeros((3, 4)), np.zeros(3), np.zeros((steps, 4)), np.zeros(steps)]
    write_weights(folder / HEADS_FILE, Heads(*(array.astype(np.float32) for array in heads)))
    return folder


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=HOP_ENCODER_FILE):
        load_model(write_model(tmp_path))
    (tmp_path / HEADS_FILE).unlink()
    with pytest.raises(NotFoundError, match=HEADS_FILE):
        load_model(tmp_path)


def test_heads_that_do_not_fit_the_manifest_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="but the manifest requires"):
        load_model(write_model(tmp_path, steps=5))


def test_damaged_heads_are_refused(tmp_path: Path) -> None:
    (write_model(tmp_path) / HEADS_FILE).write_bytes(b"PK damaged")

    with pytest.raises(InvalidInputError, match="cannot read the weights"):
        load_model(tmp_path)
