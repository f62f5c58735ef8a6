import pytest

from language.english.place_adjectives import means_place, places_at


@pytest.mark.parametrize(
    ("question", "word", "expected"),
    [
        ("What is the French capital?", "French", True),
        ("Which countries are Dutch neighbours?", "Dutch", True),
        ("which french cities are there", "french", True),
        ("Who speaks French?", "French", False),
        ("Which French dialects are spoken?", "French", False),
        ("Which countries have French as a language?", "French", False),
        ("Where is Dutch used?", "Dutch", False),
        ("What is the big capital?", "big", False),
    ],
)
def test_an_adjective_before_a_noun_means_the_place(question: str, word: str, expected: bool) -> None:
    start = question.index(word)
    assert means_place(question, start, start + len(word)) is expected


def test_places_are_named_only_where_the_adjective_means_them() -> None:
    assert places_at("What is the French capital?", 12, 18) == ["France"]
    assert places_at("Who speaks French?", 11, 17) == []
