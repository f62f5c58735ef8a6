"""Part of the questions is kept aside, by a seed, and stays aside when others are added."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from question_sets.records import QuestionRecord
from tests.fakes.graph import InMemoryGraph
from training.retriever.held_aside import SplitQuestions, keep_aside

_GRAPH = InMemoryGraph([("France", "capital", "Paris"), ("Spain", "capital", "Madrid")])


def _record(text: str, topic: str | None = None) -> QuestionRecord:
    return QuestionRecord(question=text, topic=topic, answers=("x",))


def _split(records: list[QuestionRecord], seed: int = 1) -> SplitQuestions:
    return asyncio.run(keep_aside(_GRAPH, records, seed))


@pytest.mark.parametrize(("count", "aside"), [(0, 0), (1, 0), (6, 3), (40, 20), (60, 20), (100, 25), (1000, 200)])
def test_a_quarter_is_kept_aside_but_half_of_few_and_at_most_200(count: int, aside: int) -> None:
    split = _split([_record(f"question {number}") for number in range(count)])

    assert (len(split.training), len(split.aside)) == (count - aside, aside)


@given(st.lists(st.text("abc ", min_size=1).filter(str.strip), max_size=30), st.integers(0, 3))
def test_every_question_is_on_one_side_and_equal_ones_on_the_same(texts: list[str], seed: int) -> None:
    records = [_record(text) for text in texts]

    split = _split(records, seed)

    assert sorted(map(id, (*split.training, *split.aside))) == sorted(map(id, records))
    assert {one.question for one in split.training}.isdisjoint(one.question for one in split.aside)


def test_questions_that_differ_in_their_topic_stay_together() -> None:
    pairs = [
        _record(f"{wording} of {country}", country)
        for wording in map(str, range(20))
        for country in ("France", "Spain")
    ]

    aside = {one.question.partition(" of ")[0] for one in _split(pairs).aside}

    assert aside.isdisjoint(one.question.partition(" of ")[0] for one in _split(pairs).training)


def test_a_question_stays_aside_when_others_are_added() -> None:
    records = [_record(f"question {number}") for number in range(100)]
    before = {one.question for one in _split(records).aside}

    # One more in four is kept aside, so that none of those aside needs to move.
    after = {one.question for one in _split([*records, *(_record(f"new {number}") for number in range(4))]).aside}

    assert len(before - after) <= 3
    assert {one.question for one in _split(records, 2).aside} != before
