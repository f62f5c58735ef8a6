import pytest
from hypothesis import given
from hypothesis import strategies as st

from texts.grounding.spelling import copy_names, respelt_names


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("INC-2003 is open.", "INC-2003"),
        ("INC-2003's owner is known.", "INC-2003"),
        ("Write to Ann.Lee@example.org.", "Ann.Lee@example.org"),
        ("See /var/log/Kern.log.", "/var/log/Kern.log"),
        ("Wham! is a band.", "Wham!"),
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
        ("Wham is a band.", "Wham!", "Wham"),
        ("The elevation is minus 11.", "-11", "minus 11"),
        ("It is in room 2,003.", "2003", "2,003"),
    ],
)
def test_another_spelling_is_found_and_replaced(text: str, name: str, found: str) -> None:
    assert respelt_names(text, [name]) == [found]
    assert copy_names(text, [name]) == text.replace(found, name)


@pytest.mark.parametrize(
    ("written", "name", "copied"),
    [
        ("inc-2003's owner", "INC-2003", "INC-2003's owner"),
        ("the file var/log/kern.log.", "/var/log/Kern.log", "the file /var/log/Kern.log."),
        ("a share of 5 %.", "5%", "a share of 5%."),
        ("the team launch", "🚀 Launch", "the team 🚀 Launch"),
        ("by Amélie", "Ame\u0301lie", "by Ame\u0301lie"),
        ("by O’Connor", "O'Connor", "by O'Connor"),
        ("on C:\\USERS\\ann", "C:\\Users\\Ann", "on C:\\Users\\Ann"),
        ("of Acme inc.", "Acme Inc.", "of Acme Inc."),
        ("an iphone 3RD gen", "iPhone 3rd Gen", "an iPhone 3rd Gen"),
        ("of the hague", "The Hague", "of The Hague"),
    ],
)
def test_a_name_is_copied_with_its_case_and_marks(written: str, name: str, copied: str) -> None:
    assert copy_names(written, [name]) == copied
    assert copy_names(copied, [name]) == copied


def test_what_is_not_certainly_a_name_is_left_and_reported() -> None:
    assert copy_names("by us", ["US", "Us"]) == "by us"
    assert respelt_names("by us", ["US", "Us"]) == ["us"]
    assert copy_names("it is a film", ["It"]) == "it is a film"
    assert respelt_names("it is a film", ["It"]) == ["it"]


def test_a_quantity_may_have_grouped_digits() -> None:
    also = {"66987244": "66,987,244"}
    text = "The population is 66,987,244."
    assert copy_names(text, ["66987244"], also=also) == text
    assert respelt_names(text, ["66987244"], also=also) == []
    assert respelt_names(text, ["66987244"]) == ["66,987,244"]


_NAMES = st.text(min_size=1, max_size=12).filter(lambda name: bool(name.strip()) and name == name.strip())


@given(names=st.lists(_NAMES, min_size=1, max_size=4, unique=True))
def test_names_that_are_copied_already_stay(names: list[str]) -> None:
    text = " | ".join(names)
    copied = copy_names(text, names)
    assert copy_names(copied, names) == copied


def test_either_spelling_of_two_names_is_right() -> None:
    assert respelt_names("us, US", ["US", "us"]) == []


def test_a_word_of_the_relations_is_no_name() -> None:
    assert respelt_names("The capital of France is Paris.", ["Capital", "France"], {"capital"}) == []
    assert respelt_names("The capital of France is Paris.", ["Capital", "France"]) == ["capital"]
