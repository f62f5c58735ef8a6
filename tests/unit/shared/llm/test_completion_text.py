"""The text of a completion is read without thoughts."""

import pytest

from shared.llm.completion_text import visible_text


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("<think>a</think>Paris", "Paris"),
        ("Well. <think>a</think> Paris <thinking>b</thinking>.", "Well.  Paris ."),
        ("<think>a <thinking>b</think>Paris", "Paris"),
        ("<thinking>a </think> b</thinking>Paris", "Paris"),
        ("<think>a<think>b</think>Paris", "Paris"),
        ("a</think>Paris", "Paris"),
        ("Paris <think>a", "Paris"),
        ("<think>" * 100_000, ""),
        ("<think></think>" * 100_000 + "Paris", "Paris"),
        ("<thinking>" * 100_000 + "</think>Paris", "Paris"),
    ],
)
def test_thoughts_are_left_out_however_many_there_are(written: str, expected: str) -> None:
    assert visible_text(written) == expected
