"""Questions about a part of the previous answers, through `read_message`."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from contracts.answers import answer_names
from services.answerer.chat.follow_ups import Reading, read_message
from services.answerer.chat.restriction import AskedAbout
from services.answerer.pipeline import Found
from tests.fakes.graph_answers import Known, ListedAnswers

FILMS: Known = {
    "Which films are long?": (None, ["Dusk", "Harbour", "Tide"]),
    "Which films won a prize?": (None, ["Anna", "Dusk", "Tide"]),
    "Which film has a sequel?": (None, ["Tide"]),
    "Which films flopped?": (None, ["Anna"]),
    "who wrote Tide?": ("Tide", ["Bo Marsh"]),
    "Which films is the longest?": (None, ["Anna"]),
}


async def read(*questions: str, changed: dict[str, dict[str, Any]] | None = None) -> Reading:
    answers = ListedAnswers(FILMS)

    async def find(asked: AskedAbout) -> Found:
        found = await answers.find(asked)
        changes = (changed or {}).get(asked.text, {})
        return replace(found, retrieved=found.retrieved.model_copy(update=changes))

    return await read_message(questions, find)


def named(reading: Reading) -> Sequence[str]:
    return [name for one in reading.found for name in answer_names(one.retrieved.answers)]


@pytest.mark.parametrize(
    ("question", "names", "opening"),
    [
        ("How many of them won a prize?", ["Dusk", "Tide"], "2 of 3: "),
        ("And how many of those films won a prize?", ["Dusk", "Tide"], "2 of 3: "),
        ("Which of them won a prize?", ["Dusk", "Tide"], ""),
        ("Which ones of these won a prize?", ["Dusk", "Tide"], ""),
        ("Which of them has a sequel?", ["Tide"], ""),
    ],
)
async def test_only_the_previous_answers_are_kept(question: str, names: list[str], opening: str) -> None:
    reading = await read("Which films are long?", question)
    assert (named(reading), reading.opening) == (names, opening)
    assert reading.note.endswith("for Dusk, Harbour, Tide.")
    [found] = reading.found
    assert [item.triples[0].object for item in found.retrieved.evidence] == names
    assert [answer.evidence for answer in found.retrieved.answers] == [[place] for place in range(len(names))]


async def test_the_next_pronoun_refers_to_what_was_kept() -> None:
    reading = await read("Which films are long?", "Which of them has a sequel?", "who wrote it?")
    assert named(reading) == ["Bo Marsh"]


async def test_none_of_them() -> None:
    reading = await read("Which films are long?", "How many of them flopped?")
    assert not reading.found
    assert reading.note == "None of them. Read as “Which films flopped?”, for Dusk, Harbour, Tide."


async def test_there_is_no_answer_about_any_film() -> None:
    reading = await read("Which films are long?", "How many of them were banned?")
    assert not reading.is_answered
    assert reading.note.startswith("Read as “Which films were banned?”")


async def test_them_refers_to_nothing() -> None:
    reading = await read("Which films are lost?", "How many of them won a prize?")
    assert reading.note.startswith("I don't know what “them” refers to.")


@pytest.mark.parametrize(
    ("question", "changed"),
    [
        ("Who saw all of them?", {}),
        ("Which of them won a prize?", {"Which films won a prize?": {"truncated": True}}),
        ("Which of them won a prize?", {"Which films are long?": {"truncated": True}}),
    ],
)
async def test_what_cannot_be_restricted_is_refused(question: str, changed: dict[str, dict[str, Any]]) -> None:
    reading = await read("Which films are long?", question, changed=changed)
    assert not reading.found
    assert reading.note.startswith("I can't restrict this question to Dusk, Harbour, Tide.")


@pytest.mark.parametrize(
    ("question", "read_as"),
    [
        ("Which is the oldest of them?", "Which is the oldest of the films?"),
        ("And the longest of those?", "the longest of the films?"),
        ("What is their average length?", "What is the average length of the films?"),
        ("Which of them is the longest?", "Which film is the longest?"),
    ],
)
async def test_earlier_answers_are_compared_and_summed_up_alone(question: str, read_as: str) -> None:
    reading = await read("Which films are long?", question)
    [found] = reading.found
    assert (found.request.question, found.request.among) == (read_as, ("Dusk", "Harbour", "Tide"))


async def test_they_are_the_last_list_if_the_previous_question_has_one_answer() -> None:
    reading = await read("Which films are long?", "Which of them has a sequel?", "What is their average length?")
    assert reading.found[0].request.among == ("Dusk", "Harbour", "Tide")


async def test_they_are_the_last_list_if_the_previous_question_has_no_answer() -> None:
    reading = await read("Which films are long?", "How many of them were banned?", "Which of them won a prize?")
    assert named(reading) == ["Dusk", "Tide"]


async def test_answers_of_another_kind_are_a_misreading() -> None:
    retrieved = (await ListedAnswers(FILMS).find(AskedAbout("Which films won a prize?"))).retrieved
    people = {"answers": [one.model_copy(update={"kind": "Person"}) for one in retrieved.answers]}
    reading = await read(
        "Which films are long?", "Which of them won a prize?", changed={"Which films won a prize?": people}
    )
    assert reading.note.startswith("I can't restrict")
