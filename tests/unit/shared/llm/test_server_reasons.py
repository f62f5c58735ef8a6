import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.llm.server_reasons import Refusal, read_refusal

PROMPT = "Below are facts: (Ann Lee, directed, The Silent Orchard) Question: who directed it?"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"error": {"message": "no", "type": "x"}}, "no"),
        ({"error": "no"}, "no"),
        ({"message": "no"}, "no"),
        ({"detail": "no"}, "no"),
        ({"detail": [{"loc": ["body", "n"], "msg": "is 0"}, 7]}, "body.n: is 0"),
        ([{"error": {"message": "no"}}], "no"),
        ("no", "no"),
        ({}, ""),
        ([], ""),
        (None, ""),
        ({"error": {"message": 7}}, ""),
        ({"error": ["no"]}, ""),
    ],
)
def test_formats_of_errors(body: Any, message: str) -> None:
    assert read_refusal(json.dumps(body).encode()).message == message


def test_a_page_is_no_reason_but_a_line_is() -> None:
    assert read_refusal(b"<!doctype html><p>bad gateway") == Refusal()
    assert read_refusal(b"upstream is busy\n") == Refusal("upstream is busy")
    assert read_refusal(b"\xff").message


def test_a_parameter_is_named_as_a_whole_word_or_by_the_field() -> None:
    assert Refusal("use max_completion_tokens").names("max_completion_tokens")
    assert not Refusal("use max_completion_tokens").names("max_tokens")
    assert read_refusal(b'{"error": {"message": "no", "param": "temperature"}}').names("temperature")


def test_a_reason_that_repeats_the_prompt_is_not_shown() -> None:
    assert Refusal("cannot read: The Silent Orchard)").shown(PROMPT, "") == ""
    assert Refusal("the name 'Ann Lee' is blocked by `rules`").shown(PROMPT, "") == "the name … is blocked by `rules`"


def test_a_reason_is_one_short_line_without_the_key() -> None:
    assert Refusal("no\n\tkey sk-1\x1b[31m").shown("", "sk-1") == "no key … [31m"
    assert len(Refusal("long " * 999).shown(PROMPT, "")) < 310


@given(st.binary(max_size=200))
def test_any_body_can_be_read(body: bytes) -> None:
    assert read_refusal(body).shown(PROMPT, "").isprintable()


@pytest.mark.parametrize("before", [0, 150, 280, 290, 297, 1990])
def test_no_part_of_a_key_is_shown_wherever_it_stands(before: int) -> None:
    key = "sk-proj-4f9a8b7c6d5e"
    said = read_refusal(f"{'long ' * (before // 5)}bad key: {key} {'and more ' * 99}".encode()).shown(PROMPT, key)
    assert not any(key[at : at + 4] in said for at in range(len(key) - 3))


def test_a_key_that_the_server_masks_is_not_shown_either() -> None:
    said = Refusal("incorrect API key: sk-proj-******6d5e.").shown("", "sk-proj-4f9a8b7c6d5e")
    assert said == "incorrect API key: …"


@pytest.mark.parametrize("quote", ["who\ndirected: it, and\nwho wrote?", "WHO DIRECTED: IT", r"who\"directed: it, and"])
def test_a_prompt_is_recognised_in_other_spacing_case_and_escapes(quote: str) -> None:
    assert Refusal(f"cannot read {quote}").shown('Facts:\nwho"directed:\nit, and who wrote?', "") == ""


@pytest.mark.parametrize("quoted", ["“Ann Lee”", "«Ann Lee»", "‘Ann Lee’"])
def test_names_in_typographic_quotes_are_not_shown(quoted: str) -> None:
    assert Refusal(f"the name {quoted} is blocked").shown(PROMPT, "") == "the name … is blocked"
