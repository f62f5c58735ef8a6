import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.exact_match import exact, mentions, named, times_named
from shared.text import normalise


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("-11", "−11"),
        ("-11", "minus 11"),
        ("-11", "negative 11"),
        ("-1,245.50", "-1245.5"),
        ("-$5", "$-5"),
        ("11", "(11)"),
        ("11", "- 11"),
        ("1,000", "1000"),
        ("3.0", "3"),
        ("+5", "5"),
        ("+05:00", "05:00"),
        ("UTC-05:00", "utc−05:00"),
        ("2005-2010", "2005–2010"),
        ("X-200", "x 200"),
        ("Jean-Luc", "jean luc"),
        ("Côte d'Ivoire", "cote d’ivoire"),
        ("Straße", "STRASSE"),
        ("№ 5", "no 5"),
        ("The_Matrix (1999)", "the matrix 1999"),
        ("Wham!", "wham"),
        ("٣", "3"),
    ],
)
def test_spellings_of_one_name_are_equal(left: str, right: str) -> None:
    assert exact(left) == exact(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("-11", "11"),
        ("+05:00", "-05:00"),
        ("UTC+05:00", "UTC-05:00"),
        ("UTC+05:00", "UTC−05:00"),
        ("C", "C++"),
        ("C", "C#"),
        ("C++", "C#"),
        ("A+", "A-"),
        ("A", "A-"),
        ("Na+", "Na"),
        ("#identity", "Identity"),
        ("@user", "user"),
        (".fr", "fr"),
        ("R$", "R"),
        ("$5", "€5"),
        ("<5", "5"),
        ("1,000", "1,000.5"),
        ("Python 3.10", "Python 3.1"),
        ("007", "7"),
        ("की", "का"),
        ("バス", "ハス"),
        ("!!!", "???"),
    ],
)
def test_a_sign_or_mark_makes_another_name(left: str, right: str) -> None:
    assert exact(left) != exact(right)


@given(st.integers(1, 10**9))
def test_a_number_is_told_from_its_opposite(number: int) -> None:
    assert exact(f"-{number}") == exact(f"−{number}") == exact(f"minus {number:,}") == exact(f"-{number}.0")
    assert exact(f"-{number}") != exact(str(number))
    assert named(f"It lies {number:,} feet up.", [str(number), f"-{number}"]) == [str(number)]
    assert named(f"It lies at {-number:,} feet.", [str(number), f"-{number}"]) == [f"-{number}"]


@given(st.text(alphabet=st.characters(categories=["L", "Nd", "Zs"]), min_size=1).filter(str.strip))
def test_names_without_marks_compare_as_in_linking(name: str) -> None:
    assert exact(name) == exact(normalise(name))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("It lies 11 feet above sea level.", "-11"),
        ("It lies -11 feet above sea level.", "11"),
        ("from 2005-11 on", "-11"),
        ("5 minus 3", "-3"),
        ("in UTC-05:00", "UTC+05:00"),
        ("It is written in C++.", "C"),
        ("It is written in C.", "C++"),
        ("It is 3.14.", "3"),
        ("It is 1,000.", "1"),
        ("paid in R$", "$"),
    ],
)
def test_another_number_or_identifier_is_not_named(text: str, name: str) -> None:
    assert named(text, [name]) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("It lies at (-11) ft.", "-11"),
        ("It lies at minus 11 feet.", "-11"),
        ("It lies at −11 feet.", "-11"),
        ("It has 160000000 of them.", "160,000,000"),
        ("The offset is UTC-05:00.", "UTC−05:00"),
        ("It is written in C++, not in C.", "C++"),
        ("It was 1970's best.", "1970"),
        ("paid in €5 notes", "€"),
        ("法国的首都是巴黎。", "巴黎"),
        ("<3 Records' band", "<3 Records"),
        ("The band is !!!.", "!!!"),
        ("FRANCE'S capital", "France"),
        ("“Amélie”,", "Amelie"),
    ],
)
def test_a_name_is_named_by_any_of_its_spellings(text: str, name: str) -> None:
    assert named(text, [name]) == [name]


def test_a_name_within_a_longer_one_is_not_named() -> None:
    names = ["Guinea", "Papua New Guinea", "Sudan", "South Sudan", "€"]
    assert named("Papua New Guinea and Sudan pay in €", names) == ["Papua New Guinea", "Sudan", "€"]
    assert named("South Sudan's neighbour Guinea, and Papua New Guinea", names) == [
        "Guinea",
        "Papua New Guinea",
        "South Sudan",
    ]
    assert named("Papua New Guinea", ["Guinea"]) == ["Guinea"]
    assert named("The genre of Henry's Crime is Comedy.", ["Henry's Crime", "Crime"]) == ["Henry's Crime"]


def test_names_are_counted_side_by_side_and_not_within_longer_ones() -> None:
    names = ["Guinea", "Papua New Guinea", "Mali"]
    assert times_named("Mali, Mali, Papua New Guinea and Guinea", names) == {
        "Papua New Guinea": 1,
        "Guinea": 1,
        "Mali": 2,
    }


def test_a_name_occurs_as_whole_words_whatever_its_accents_and_punctuation() -> None:
    names = ["Côte d’Ivoire", "Saint Denis", "Lomé", "a"]
    assert named("cote d'ivoire and the saint-denis", names) == ["Côte d’Ivoire", "Saint Denis"]
    assert named("France's capital", ["France", "Frances"]) == ["France", "Frances"]


def test_a_name_without_letters_occurs_as_it_is() -> None:
    assert named("The symbol of the Euro is €.", ["€", "Euro", "$"]) == ["€", "Euro"]


def test_a_mention_holds_the_names_own_punctuation_and_no_possessive() -> None:
    text = "R.E.M. is France's Wham!"
    found = {mention.name: text[mention.start : mention.end] for mention in mentions(text, ["R.E.M.", "Wham!"])}
    assert found == {"R.E.M.": "R.E.M.", "Wham!": "Wham!"}
    assert [mention.is_possessive for mention in mentions(text, ["France"])] == [True]


@given(st.text(min_size=1).filter(lambda name: any(map(str.isalnum, name))), st.text())
def test_any_name_is_found_between_other_words(name: str, other: str) -> None:
    assert named(f"so , {name} , then", [name]) == [name]
    assert named(other, [name]) in ([], [name])
