import pytest

from language.english.articles import with_the


@pytest.mark.parametrize(
    "name",
    [
        "United Kingdom", "United States", "United States of America", "United Arab Emirates", "Netherlands",
        "Philippines", "Faroe Islands", "British Virgin Islands", "Czech Republic", "Central African Republic",
        "Democratic Republic of the Congo", "Republic of Ireland", "People's Republic of China", "Russian Federation",
        "Gambia", "European Union",
    ],
)  # fmt: skip
def test_unions_republics_and_plural_names_of_places_take_the_article(name: str) -> None:
    assert with_the(name) == f"the {name}"


@pytest.mark.parametrize(
    "name",
    [
        "France", "United Airlines", "Manchester United", "United Artists", "Banana Republic", "Islands", "Hell",
        "The Netherlands", "Kingdom of Heaven", "Isle of Dogs", "Netherlands Bank", "States", "Los Angeles",
        "united states", "United States Steel", "Republic", "Ann Philippines",
    ],
)  # fmt: skip
def test_other_names_stay_as_they_are(name: str) -> None:
    assert with_the(name) == name
