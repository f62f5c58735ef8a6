"""Odd files load the right graph, or end with a true message; `bench/files/odd_files.py` imports more of them."""

from pathlib import Path

import pytest

from tests.support.odd_files import ODDITIES, WRONG, outcome
from tests.support.seeds import SEED

_FORMATS = 5
_FIRST = SEED * len(ODDITIES) * _FORMATS


@pytest.mark.parametrize("seed", range(_FIRST, _FIRST + len(ODDITIES) * _FORMATS))
def test_no_odd_file_is_silently_different(tmp_path: Path, seed: int) -> None:
    format_, oddity, found, description = outcome(seed, tmp_path / "files")

    assert found != WRONG, f"{format_} with {oddity}: {description}"
