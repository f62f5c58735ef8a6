import pytest

from language.english.english import english
from language.english.superlatives import superlatives


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which is the friendliest dog?", ["friendliest"]),
        ("Which is the most dangerous peak?", ["dangerous"]),
        ("Which is the most expensive and largest of the most recent forest requests?", []),
        ("Which band has the most members?", []),
    ],
)
def test_some_superlatives_ask_for_certain_properties(question: str, expected: list[str]) -> None:
    assert superlatives(english(question)) == expected
