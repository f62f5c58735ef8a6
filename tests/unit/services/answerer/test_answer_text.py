import pytest

from services.answerer.answer_text import correct_remainder, enumerate_answers
from shared.exact_match import named


def test_long_enumerations_say_how_many_more() -> None:
    assert enumerate_answers(["a", "b"]) == "a and b"
    assert enumerate_answers([str(i) for i in range(25)]).endswith("18, 19 and 5 more")
    assert enumerate_answers(["Bedford, Texas", *"bcdefghijklmnopqrstuvwxyz"]).startswith("Bedford, Texas; b; c;")


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("Ann, Bob and 90 more", "Ann, Bob and 4 more"),
        ("Ann, Bob and more", "Ann, Bob and 4 more"),
        ("Ann, Bob and 1,200 others.", "Ann, Bob and 4 others."),
        ("Ann and 2 more; Bob and 3 more", "Ann and 2 more; Bob and 3 more"),
        ("Ann, Bob, 138 more and 138 more", "Ann, Bob and 4 more"),
        ("Ann, Bob and 9 more, and others", "Ann, Bob and 4 more"),
        ("The Others and Ann", "The Others and Ann"),
        ("Ann and The Others and 9 more", "Ann and The Others and 9 more"),
        ("Ann and Bob", "Ann and Bob"),
    ],
)
def test_a_text_that_leaves_answers_out_says_how_many(text: str, right: str) -> None:
    answers = ["Ann", "Bob", "The Others", "Cid", "Dan", "Eve"]
    assert correct_remainder(text, named(text, answers), answers) == right
    assert correct_remainder("Ann and 2 more", ["Ann"], ["Ann"]) == "Ann and 2 more"
    many = [f"City {number}" for number in range(140)]
    assert correct_remainder("City 1 and City 2.", many[1:3], many) == "City 1, City 2 and 138 more"
    assert (
        correct_remainder("They are City 1 and City 2.", many[1:3], many) == "They are City 1 and City 2 and 138 more"
    )
