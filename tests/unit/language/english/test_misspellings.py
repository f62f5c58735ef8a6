"""Words that are one letter off stand for words of the schema first, and for common ones otherwise."""

from collections.abc import Container

import pytest

from language.english.misspellings import respelled


@pytest.mark.parametrize(
    ("word", "likely", "expected"),
    [
        ("vehicels", {"vehicles"}, "vehicles"),
        ("emploier", {"employer"}, "employer"),
        ("averge", (), "average"),
        ("filsm", {"film", "films"}, "films"),
        ("averge", {"verge"}, "verge"),
        ("custmer", {"customer"}, "customer"),
        ("cheapest", {"cheapen"}, None),
        ("brnch", {"branch"}, "branch"),
        ("brnc", {"branc"}, None),
        ("havent", {"havens"}, "haven't"),
        ("Averge", (), None),
        ("r2d2x", {"r2d2s"}, None),
        ("xqzvwk", (), None),
        ("crewmats", {"crewmatz"}, "crewmatz"),
    ],
)
def test_misspelt_words_stand_for_close_ones(word: str, likely: Container[str], expected: str | None) -> None:
    assert respelled(word, lambda other: other in likely) == expected
