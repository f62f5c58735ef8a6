import pytest

from language.english.english import english


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Who wrote it?", ["it"]),
        ("Which of those films did she direct?", ["those films", "she"]),
        ("who supplied that in 2023?", ["that in", "that"]),  # no reply has a noun `in`
        ("Who lives there?", ["there"]),
        ("How many pets are there?", []),
        ("Is it true that Ann has a dog?", ["that Ann"]),
        ("Which films came out this year?", []),
    ],
)
def test_pronouns_and_nouns_with_those_may_refer_to_something(text: str, expected: list[str]) -> None:
    assert [one.text for one in english(text).references] == expected


@pytest.mark.parametrize(
    ("text", "is_plural", "is_possessive", "is_place", "is_person"),
    [
        ("And its population?", False, True, False, False),
        ("Who are their vets?", True, True, False, False),
        ("Where was her dog born?", False, True, False, True),
        ("Who saw them?", True, False, False, False),
        ("Who lives there?", False, False, True, False),
    ],
)
def test_what_a_pronoun_refers_to(
    text: str, is_plural: bool, is_possessive: bool, is_place: bool, is_person: bool
) -> None:
    [one] = english(text).references
    found = (one.is_plural, one.is_possessive, one.is_place, one.is_person)
    assert found == (is_plural, is_possessive, is_place, is_person)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("List all owners and their pets", True),
        ("Who has a dog of his own?", False),
        ("Who lives in their own house?", True),
        ("Which owners love their pets?", True),
        ("Which pets have their shots?", False),
        ("Who wrote them?", False),
    ],
)
def test_a_pronoun_may_refer_to_a_noun_of_its_sentence(text: str, expected: bool) -> None:
    [one] = english(text).references
    assert one.may_be_bound is expected
