"""Whether the QA model's words may stand above the grounded answers."""

import pytest

from services.answerer.prose import doubts
from shared.contracts import Answer, EvidenceTriples, RetrieveResponse, TripleModel
from tests.fakes.services import capital_of_france

QUESTION = "Which countries border France?"


def neighbours() -> RetrieveResponse:
    """Three neighbours of France, and a less likely reading that leads to the Seine."""
    borders = [TripleModel(subject="France", relation="borders", object=name) for name in ("Spain", "Italy", "Guinea")]
    river = TripleModel(subject="France", relation="has_river", object="Seine")
    best = [Answer(entity=fact.object, score=0.9, evidence=[0]) for fact in borders]
    return capital_of_france().model_copy(
        update={
            "answers": [*best, Answer(entity="Seine", score=0.1, evidence=[1])],
            "evidence": [EvidenceTriples(triples=borders), EvidenceTriples(triples=[river])],
        }
    )


@pytest.mark.parametrize(
    "text",
    [
        "Spain, Italy and Guinea",
        "France borders Spain, Italy and Guinea.",
        "There are 3 countries that border France: Spain, Italy, and Guinea.",
        "Spain and 2 more",
        "According to the facts, these are:\n1. Spain\n2. Italy\n- Guinea",
        "France's neighbours: Italy.",
    ],
)
def test_nothing_speaks_against_what_the_graph_says(text: str) -> None:
    assert doubts(text, QUESTION, neighbours()) == []


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("I don't know.", "names no answer"),
        ("Papua New Guinea", "names 'Papua', which nobody told it"),
        ("Spain, Italy, Bahirondia and Guinea", "names 'Bahirondia', which nobody told it"),
        ("Spain, since 1659", "names '1659', which nobody told it"),
        ("Spain and Seine", "names 'Seine', which another reading leads to"),
        ("France, Spain and Italy", "lists 'France', which is no answer"),
        ("Spain, Italy and Spain", "names 'Spain' 2 times"),
        ("Italy, it is said, it is said, it is said", "repeats itself"),
    ],
)
def test_what_the_graph_does_not_say_is_seen(text: str, doubt: str) -> None:
    assert doubt in doubts(text, QUESTION, neighbours())


def test_a_question_may_name_what_another_reading_leads_to() -> None:
    text = "The Seine does not flow through Spain."
    assert doubts(text, "Does the Seine flow through Spain?", neighbours()) == []


def test_on_the_way_to_an_answer_is_no_other_reading() -> None:
    facts = [
        TripleModel(subject="Alien", relation="directed_by", object="Ridley Scott"),
        TripleModel(subject="Ridley Scott", relation="born_in", object="South Shields"),
    ]
    found = capital_of_france().model_copy(
        update={
            "answers": [Answer(entity="South Shields", score=0.9, evidence=[0])],
            "evidence": [EvidenceTriples(triples=facts)],
        }
    )
    question = "Where was the director of Alien born?"
    assert doubts("Ridley Scott, who directed Alien, was born in South Shields.", question, found) == []
    assert doubts("Ridley Scott and South Shields", question, found) == ["lists 'Ridley Scott', which is no answer"]
