"""Test which part of a long text the demo's encoder reads."""

from pathlib import Path

import numpy as np
import pytest

from services.retriever.encoder.encoder import MAX_TOKENS_READ, OnnxEncoder

DEMO_MODEL = Path(__file__).parents[5] / "examples" / "world" / "retriever"


@pytest.fixture(scope="module")
def encoder() -> OnnxEncoder:
    return OnnxEncoder(DEMO_MODEL)


@pytest.mark.parametrize("text", ["city " * 300, "京" * 1000, "?" * 1000, "[MASK] " + "city " * 300, "qzx" * 300])
def test_no_text_has_more_tokens_than_the_limit(encoder: OnnxEncoder, text: str) -> None:
    [vectors] = encoder.encode([text])

    assert len(vectors) <= MAX_TOKENS_READ


@pytest.mark.parametrize("before", [0, 5, 60, 120, 200])
def test_the_mask_and_the_end_of_a_long_text_are_read(encoder: OnnxEncoder, before: int) -> None:
    text = f"{'city ' * before}near [MASK] {'river ' * (200 - before)}which country is that in"
    [whole], [other], [ending] = (
        encoder.encode([one]) for one in (text, text.replace("near", "beyond"), text.replace("country", "language"))
    )

    assert len(whole) == MAX_TOKENS_READ
    assert not np.allclose(whole, other)
    assert not np.allclose(whole, ending)
