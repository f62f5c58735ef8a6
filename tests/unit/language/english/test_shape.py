"""Questions are reduced to operators and content words; hypothesis varies what does not matter."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.english.shape import root, shape


@pytest.mark.parametrize(
    ("question", "words", "operators"),
    [
        ("Could you please tell me how many airports {c} has?", ("airports", "{c}"), {"count"}),
        ("{c}'s largest city", ("city", "{c}"), {"largest"}),
        ("Which countries do people visit from {c}", ("countries", "visit", "from", "{c}"), set()),
        ("Count the countries of {k}", ("countries", "{k}"), {"count"}),
        ("countries of {k}", ("countries", "{k}"), set()),
        ("Does {c} have no coast?", ("{c}", "coast"), {"negation", "yes_no"}),
        ("orders that weren't paid since {d}", ("orders", "paid", "{d}"), {"negation", "since"}),
        ("orders of at least {n}", ("orders", "{n}"), {"at_least"}),
        ("orders of no less than {n}", ("orders", "{n}"), {"at_least"}),
        ("orders >= {n}", ("orders", "{n}"), {"at_least"}),
        ("orders of {n} or higher", ("orders", "{n}"), {"at_least"}),
        ("orders from {d} onwards", ("orders", "{d}"), {"since"}),
        ("the most populous country", ("population", "country"), {"largest"}),
        ("How many members does {t} have?", ("members", "{t}"), {"count"}),
        ("By whom is {p} supplied?", ("who", "supplied", "{p}"), set()),
        ("the most recent order of {c}", ("order", "{c}"), {"newest"}),
        ("parcels over {n} km and under {m} miles", ("parcels", "{n}", "{m}"), {"greater", "less", "both"}),
    ],
)
def test_a_question_says(question: str, words: tuple[str, ...], operators: set[str]) -> None:
    found = shape(question)
    units = {"kilometres", "miles"} if "km" in question else set()
    assert found.words == words
    assert found.operators == operators | units


@pytest.mark.parametrize(
    ("one", "other", "are_same"),
    [
        ("border", "bordering", True),
        ("neighbour", "neighbors", True),
        ("speak", "spoken", True),
        ("employer", "employee", False),
        ("import", "export", False),
    ],
)
def test_forms_of_a_word_have_one_root(one: str, other: str, are_same: bool) -> None:
    assert (root(one) == root(other)) is are_same


@given(st.sampled_from(["not", "without", "only", "at least", "before", "how many", "total", "or"]), st.booleans())
def test_an_operator_never_gets_lost(operator: str, is_last: bool) -> None:
    words = ["orders", "of", "{c}"]
    words.insert(3 if is_last else 0, operator)
    assert shape(" ".join(words)).operators > shape("orders of {c}").operators
