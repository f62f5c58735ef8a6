import pytest

from language.english.asked_nouns import asked_noun
from language.english.english import english


@pytest.mark.parametrize(
    ("question", "noun"),
    [
        ("what shelf is it on", "shelf"),
        ("Which roles played by Ann are long?", "roles"),
        ("How many new cars did Ann buy?", "cars"),
        ("Who directed it?", None),
    ],
)
def test_the_noun_that_is_asked_for(question: str, noun: str | None) -> None:
    assert asked_noun(english(question)) == noun


@pytest.mark.parametrize(
    ("question", "noun"),
    [
        ("What is Ann's phone number?", "phone"),
        ("What is Ann's number?", "number"),
        ("which email address does she have", "email"),
    ],
)
def test_the_first_noun_of_a_compound_says_more(question: str, noun: str) -> None:
    assert asked_noun(english(question)) == noun
