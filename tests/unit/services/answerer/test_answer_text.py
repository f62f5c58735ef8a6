import pytest

from services.answerer.answer_text import enumerate_answers, is_list, without_remainder


def test_long_enumerations_say_how_many_more() -> None:
    assert enumerate_answers(["a", "b"]) == "a and b"
    assert enumerate_answers([str(i) for i in range(25)]).endswith("18, 19 and 5 more")
    assert enumerate_answers(["Bedford, Texas", *"bcdefghijklmnopqrstuvwxyz"]).startswith("Bedford, Texas; b; c;")


@pytest.mark.parametrize(
    ("text", "listed", "counts"),
    [
        ("Ann, Bob and 90 more", True, [90]),
        ("Ann, Bob and more", True, []),
        ("Ann, Bob and 1,200 others.", True, [1200]),
        ("The Others and Ann", True, []),
        ("Ann and The Others and 9 more", True, [9]),
        ("They are Ann and Bob", False, []),
    ],
)
def test_a_bare_list_and_what_it_leaves_out_are_recognised(text: str, listed: bool, counts: list[int]) -> None:
    names = ["Ann", "Bob", "The Others"]
    assert is_list(text, names) == listed
    assert without_remainder(text, names)[1] == counts
