from collections.abc import Mapping

import pytest

from contracts.ask import AskRequest
from contracts.plans import QueryPlan
from language.english.english import english
from services.answerer.chat.ellipsis import repeated_with
from services.answerer.pipeline import Found
from tests.fakes.services import nothing_found

KINDS = {"Duke": "Pet", "Biscuit": "Pet", "Rufus": "Pet", "Meloxicam": "Medication", "Insulin": "Medication"}
CLINIC = KINDS | {"Arthritis": "Disease", "Asthma": "Disease", "Meadow Vets": "Clinic", "Paws & Claws": "Clinic"}


def found(question: str, kinds: Mapping[str, str] = CLINIC) -> Found:
    """Return a question with the plan of a graph in which names have kinds."""
    named = {name: kind for name, kind in kinds.items() if name in question}
    nodes = [{"variable": name.lower(), "kinds": [kind] if kind else None} for name, kind in named.items()]
    conditions = [
        {
            "op": "comparison",
            "left": {"op": "property", "variable": name.lower(), "key": "name"},
            "right": {"op": "constant", "value": name},
        }
        for name in named
    ]
    steps = [{"op": "match", "nodes": nodes, "where": {"op": "and", "conditions": conditions}}]
    changed = {"topic_entities": [], "plan": QueryPlan(text="", steps=steps)}
    return Found(AskRequest(question=question), nothing_found().model_copy(update=changed), 0.0)


def repeated(before: str, question: str, kinds: Mapping[str, str] = CLINIC) -> str | None:
    ellipsis = english(question).fragment
    assert ellipsis is not None
    return repeated_with(ellipsis, found(question, kinds), found(before, kinds))


@pytest.mark.parametrize(
    ("before", "question", "read_as"),
    [
        ("What is the dose of Meloxicam for Duke?", "and for Biscuit?", "What is the dose of Meloxicam for Biscuit?"),
        ("What is the dose of Meloxicam for Duke?", "and of Insulin?", "What is the dose of Insulin for Duke?"),
        ("When was Rufus diagnosed with Arthritis?", "and with Asthma?", "When was Rufus diagnosed with Asthma?"),
        ("Which pets are at the Meadow Vets?", "And at Paws & Claws?", "Which pets are at the Paws & Claws?"),
        ("Where is Meadow Vets?", "What about with Paws & Claws?", "Where is Paws & Claws?"),
    ],
)
def test_the_name_behind_the_same_preposition_is_replaced(before: str, question: str, read_as: str) -> None:
    assert repeated(before, question) == read_as


@pytest.mark.parametrize(
    ("before", "question", "read_as"),
    [
        ("What is the dose of Meloxicam for Duke?", "and Insulin?", "What is the dose of Insulin for Duke?"),
        ("When was Rufus diagnosed with Arthritis?", "and Duke?", "When was Duke diagnosed with Arthritis?"),
        ("When was Rufus diagnosed with Arthritis?", "and for Duke?", "When was Duke diagnosed with Arthritis?"),
    ],
)
def test_a_name_of_the_same_kind_is_replaced(before: str, question: str, read_as: str) -> None:
    assert repeated(before, question) == read_as


def test_without_kinds_the_last_name_is_replaced() -> None:
    kinds = dict.fromkeys(CLINIC, "")
    assert repeated("Did Rufus have Arthritis?", "and Asthma?", kinds) == "Did Rufus have Asthma?"


@pytest.mark.parametrize(
    ("before", "question", "read_as"),
    [
        ("Who treated Biscuit in 2023?", "and in 2022?", "Who treated Biscuit in 2022?"),
        ("Who treated Biscuit in 2023?", "and Duke?", "Who treated Duke in 2023?"),
        ("Which pets were diagnosed in 2023?", "and in 2022?", "Which pets were diagnosed in 2022?"),
        ("Which pets weigh 9 kg since 2023?", "What about since 2022?", "Which pets weigh 9 kg since 2022?"),
        ("Who treated Biscuit?", "and since 2022?", "Who treated Biscuit since 2022?"),
    ],
)
def test_a_number_replaces_a_number_or_is_added(before: str, question: str, read_as: str) -> None:
    assert repeated(before, question) == read_as


def test_nothing_is_replaced_in_a_question_without_a_name() -> None:
    assert repeated("Which pets are there?", "and Duke?") is None


def test_an_article_of_the_name_replaces_that_of_the_question() -> None:
    kinds = {"lion": "Animal", "grey wolf": "Animal"}

    assert repeated("What does the lion eat?", "And the grey wolf?", kinds) == "What does the grey wolf eat?"
