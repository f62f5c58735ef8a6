"""Wordings of trusted questions, and what is refused before it is served."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.json_lines import write_lines
from contracts.trusted_questions import TrustedQuestion, check, read_file, wording
from graph.plan.algebra import Comparison, Constant, Match
from graph.plan.schema import GraphSchema, KindSchema, PropertySchema
from graph.plan.values import ValueType
from language.comparable import comparable
from shared.errors import InvalidInputError

_STRING = PropertySchema(frozenset({ValueType.STRING}), ValueType.STRING, 1)
SCHEMA = GraphSchema({"Customer": KindSchema(1, {"company": _STRING, "city": _STRING}, "company")}, {})


def customer(value: str = "{who}", key: str = "company") -> dict[str, Any]:
    where = {
        "op": "comparison", "operator": "=",
        "left": {"op": "property", "variable": "c", "key": key}, "right": {"op": "constant", "value": value},
    }  # fmt: skip
    return {"steps": [{"op": "match", "nodes": [{"variable": "c", "kinds": ["Customer"]}], "where": where}]}


def question(*wordings: str, plan: dict[str, Any] | None = None) -> TrustedQuestion:
    return TrustedQuestion(name="A customer", wordings=wordings, plan=plan or customer())


@pytest.mark.parametrize(
    ("asked", "who"),
    [
        ("Show customer Ann", "Ann"),
        ("show  CUSTOMER Ann & Co. Ltd?", "Ann & Co. Ltd"),
        ("Show customer O’Hara", "O'Hara"),
        ("Show customers Ann", None),
        ("Please show customer Ann", None),
        ("Show customer", None),
    ],
)
def test_a_wording_matches_whole_questions(asked: str, who: str | None) -> None:
    found = wording("Show customer {who:Customer}?").pattern.fullmatch(comparable(asked))
    assert (found and found["who"]) == who


@given(st.from_regex(r"\w+", fullmatch=True), st.from_regex(r"[a-zäß]+", fullmatch=True))
def test_what_fills_the_slots_is_found_again(first: str, second: str) -> None:
    one = wording("orders of {who:Customer} since {day:date} (all)")
    found = one.pattern.fullmatch(comparable(f"Orders of {first} since {second} (all)?"))
    assert found is not None
    assert (found["who"], found["day"]) == (first, second)


def test_slots_are_filled_in_the_plan() -> None:
    [step] = question("Show customer {who:Customer}").filled({"who": "Ann"}).steps
    assert isinstance(step, Match)
    assert isinstance(step.where, Comparison)
    assert step.where.right == Constant("Ann")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (question("Show {who:Customer} or {who:Customer}"), "has a slot twice"),
        (question("Show {who:Customer}{day:date}"), "has slots next to each other"),
        (question("{who:Customer}?"), "has no words besides its slots"),
        (question("Show {who}"), "has a brace outside of a slot"),
        (question("Show {1:Customer}"), "has a brace outside of a slot"),
        (question("Show {who: }"), "has a brace outside of a slot"),
        (question("Show customers"), "has the slots none, but the plan has who"),
        (question("Show customer {whom:Customer}"), "has the slots whom, but the plan has who"),
        (question("Show customer {who:Client}"), "the slot 'who' has the type 'Client'"),
        (question("Show {who:Customer}", plan=customer(key="companies")), "A customer: .*company"),
        (question("Show {who:Customer}", plan={"steps": []}), "the plan is malformed"),
    ],
)
def test_what_does_not_fit_is_refused(wrong: TrustedQuestion, said: str) -> None:
    with pytest.raises(InvalidInputError, match=said):
        check(wrong, SCHEMA)


def test_what_fits_is_accepted_and_kept(tmp_path: Path) -> None:
    good = question("Show customer {who:Customer}", "Who is {who:Customer}?")
    check(good, SCHEMA)
    file = tmp_path / "trusted.jsonl"
    assert read_file(file) == []
    file.write_text(write_lines([good]), encoding="utf-8")
    assert read_file(file) == [good]
    file.write_text(write_lines([good]) + "\n{}\n", encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"trusted\.jsonl, line 3: name: Field required"):
        read_file(file)


def test_no_question_takes_long_to_match() -> None:
    many = " and ".join(f"{{s{number}:Customer}}" for number in range(20))
    assert wording(f"show {many} now").pattern.fullmatch("show" + " and" * 5000) is None
