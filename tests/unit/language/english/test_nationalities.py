import pytest

from language.english.nationalities import adjectives_for, places_of


@pytest.mark.parametrize(
    ("adjective", "place"),
    [
        ("Spanish", "Spain"),
        ("south african", "South Africa"),
        ("South American", "South America"),
        ("central asian", "central asia"),
        ("Western European", "Western Europe"),
        ("Costa  Rican", "Costa Rica"),
    ],
)
def test_an_adjective_stands_for_a_place(adjective: str, place: str) -> None:
    assert place in places_of(adjective)


@pytest.mark.parametrize("word", ["Susan", "human", "an", "", "Spain", "red"])
def test_other_words_stand_for_no_place(word: str) -> None:
    assert places_of(word) == []


@pytest.mark.parametrize(
    ("text", "place"), [("US", "United States"), ("U.S.", "United States"), ("EU", "European Union")]
)
def test_an_abbreviation_in_upper_case_stands_for_a_place(text: str, place: str) -> None:
    assert place in places_of(text)
    assert places_of(text.lower()) == []


def test_a_place_has_its_adjectives() -> None:
    assert "Spanish" in adjectives_for("Spain")
    assert adjectives_for("Africa") == ("African",)
    assert adjectives_for("Acme") == ()
