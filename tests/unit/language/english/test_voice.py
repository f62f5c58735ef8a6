"""Who does what a verb says, and whom it is done to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.english.voice import does, has


def _span(text: str, part: str) -> tuple[int, int]:
    start = text.index(part)
    return start, start + len(part)


@pytest.mark.parametrize(
    ("text", "verb", "is_doer"),
    [
        ("Who trained Ann?", "trained", False),
        ("Which people trained Ann?", "trained", False),
        ("Who was trained by Ann?", "trained", True),
        ("Which people were ever trained by Ann?", "trained", True),
        ("people trained by the caver Ann", "trained", True),
        ("By whom was Ann trained?", "trained", False),
        ("Was Ann trained by anybody?", "trained", False),
        ("Whom did Ann train?", "train", True),
        ("Who did Ann train?", "train", True),
        ("Which people has Ann trained?", "trained", True),
        ("people that Ann trained", "trained", True),
        ("Who is Ann training?", "training", True),
        ("Who reports to Ann?", "reports", False),
        ("To whom does Ann report?", "report", True),
        ("Who is the trainer of Ann?", "trainer", False),
        ("Who is Ann's trainer?", "trainer", False),
        ("Who are Ann's first trainees?", "trainees", True),
        ("Who is Ann's boss?", "boss", None),
        ("Who besides Ann trained Bo?", "trained", None),
        ("Who trained people older than Ann?", "trained", None),
        ("Ann and who trained Bo", "trained", None),
        ("Who trained the one whom Ann likes?", "trained", None),
        ("Ann is somebody of whom nobody here ever knew who trained Bo", "trained", None),
    ],
)
def test_the_voice_of_a_verb_and_its_nouns_say_who_does_it(text: str, verb: str, is_doer: bool | None) -> None:
    assert does(text, _span(text, "Ann"), _span(text, verb)) is is_doer


@pytest.mark.parametrize(
    ("text", "noun", "is_had"),
    [
        ("Who is Ann's parent?", "parent", True),
        ("Who is Ann's only parent?", "parent", True),
        ("Who is the parent of Ann?", "parent", True),
        ("Who is Ann the parent of?", "parent", False),
        ("Is Ann a parent?", "parent", False),
    ],
)
def test_a_noun_is_that_of_a_name(text: str, noun: str, is_had: bool) -> None:
    assert has(text, _span(text, "Ann"), _span(text, noun)) is is_had


@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=40))
def test_any_text_around_a_name_and_a_verb_is_read(before: str, between: str, behind: str) -> None:
    for first, second in (("Ann", "trained"), ("trained", "Ann")):
        text = f"{before}{first}{between}{second}{behind}"
        spans = {first: len(before), second: len(before) + len(first) + len(between)}
        name, verb = ((spans[one], spans[one] + len(one)) for one in ("Ann", "trained"))

        assert does(text, name, verb) in (True, False, None)
