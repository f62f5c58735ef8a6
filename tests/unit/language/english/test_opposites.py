import pytest

from language.english.english import english
from language.english.opposites import says_opposite


@pytest.mark.parametrize(
    ("question", "names", "expected"),
    [
        ("Which animals died in 2020?", {"Animal", "birth_date"}, True),
        ("Which animals were born in 2020?", {"Animal", "birth_date"}, False),
        ("Who was born and died in 2020?", {"birth_date"}, False),
        ("Who died in 2020?", {"birth_date", "deathDate"}, False),
        ("When was the hut opened?", {"closed_on"}, True),
        ("Who bought the car?", {"SOLD_TO"}, False),
    ],
)
def test_births_are_no_deaths(question: str, names: set[str], expected: bool) -> None:
    assert says_opposite(english(question), names) is expected
