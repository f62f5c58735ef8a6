import pytest

from language.english.wordings import in_known_words


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("tickets for no more than 70 euros", "tickets for at most 70 euros"),
        ("halls with not fewer than 500 seats", "halls with at least 500 seats"),
        ("halls that don't hold more than $5,000", "halls that hold at most $5,000"),
        ("Halls which can’t seat less than 20", "Halls which seat at least 20"),
        ("not over 30 minutes, not under 5", "at most 30 minutes, at least 5"),
        ("Who has no more than Ann?", "Who has no more than Ann?"),
        ("halls with more than 500 seats", "halls with more than 500 seats"),
        ("Who does not live in a city with more than 5 halls?", "Who does not live in a city with more than 5 halls?"),
    ],
)
def test_negated_comparisons_are_turned_round(question: str, expected: str) -> None:
    assert in_known_words(question) == expected
