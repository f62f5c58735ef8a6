import pytest

from shared.grounding.spelling import respelt_names


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("INC-2003 is open.", "INC-2003"),
        ("INC-2003's owner is known.", "INC-2003"),
        ("The population is 66,987,244.", "66987244"),
        ("Write to Ann.Lee@example.org.", "Ann.Lee@example.org"),
        ("See /var/log/Kern.log.", "/var/log/Kern.log"),
        ("Wham is a band.", "Wham!"),
        ("The team is 🚀 Launch.", "🚀 Launch"),
        ("القاهرة is a city.", "القاهرة"),
        ("Nothing is named.", "INC-2003"),
    ],
)
def test_a_copied_name_is_spelt_as_in_the_graph(text: str, name: str) -> None:
    assert respelt_names(text, [name]) == []


@pytest.mark.parametrize(
    ("text", "name", "found"),
    [
        ("Inc-2003 is open.", "INC-2003", "Inc-2003"),
        ("Write to ann.lee@example.org.", "Ann.Lee@example.org", "ann.lee@example.org"),
        ("She leads Work on Team.", "work on team", "Work on Team"),
        ("See /VAR/log.", "/var/log", "/VAR/log"),
        ("Cote d'Ivoire is a country.", "Côte d'Ivoire", "Cote d'Ivoire"),
    ],
)
def test_another_case_or_accent_is_found(text: str, name: str, found: str) -> None:
    assert respelt_names(text, [name]) == [found]


def test_either_spelling_of_two_names_is_right() -> None:
    assert respelt_names("us, US", ["US", "us"]) == []


def test_a_word_of_the_relations_is_no_name() -> None:
    assert respelt_names("The capital of France is Paris.", ["Capital", "France"], {"capital"}) == []
    assert respelt_names("The capital of France is Paris.", ["Capital", "France"]) == ["capital"]
