"""Questions about the connection of two named things are recognised, and others are not."""

import pytest

from language.english.connections import connected, is_own_word


@pytest.mark.parametrize(
    "question",
    [
        "How are Ann Lee and Bob related?",
        "how are Ann Lee and Bob connected to each other",
        "How is Ann Lee connected with Bob?",
        "what links Ann Lee and Bob",
        "What connects Ann Lee with Bob?",
        "how many degrees between Ann Lee and Bob",
        "How many degrees of separation are there between Ann Lee and Bob?",
        "what is the connection between Ann Lee and Bob",
        "What's the shortest path from Ann Lee to Bob?",
        "Are Ann Lee and Bob related?",
        "is Ann Lee connected to Bob",
        "how does Ann Lee relate to Bob",
        "Tell me how Ann Lee and Bob are linked.",
        "Is there a link between “Ann Lee” and Bob?",
        "What does Ann Lee have to do with Bob?",
        "what do Ann Lee and Bob have to do with each other?",
    ],
)
def test_the_two_names_are_found(question: str) -> None:
    found = connected(question)

    assert found is not None
    assert found.pairs == (("Ann Lee", "Bob"),)


@pytest.mark.parametrize(
    "question",
    [
        "Which stations are connected to Paddington?", "Who is related to Ann and Bob?", "What relates to Ann and Bob?",
        "How many countries border France and Spain?", "Are the stations connected?", "How are you and", "and", "",
        "What is the capital of Trinidad and Tobago?", "How many people are connected to Ann and Bob?",
    ],
)  # fmt: skip
def test_other_questions_are_not(question: str) -> None:
    assert connected(question) is None


def test_a_name_may_contain_an_and() -> None:
    found = connected("Are Trinidad and Tobago and Cuba connected?")

    assert found is not None
    assert found.pairs == (("Trinidad", "Tobago and Cuba"), ("Trinidad and Tobago", "Cuba"))


@pytest.mark.parametrize(
    ("question", "relation", "is_own"),
    [
        ("Are Ann and Bob related?", "RELATED_TO", True),
        ("Are Ann and Bob related?", "borders", False),
        ("Is Paddington connected to Euston?", "CONNECTED_TO", True),
        ("Is Paddington connected to Euston?", "connection", True),
        ("What is the relationship between Ann and Bob?", "relatedTo", True),
        ("What links Paddington and Euston?", "links", True),
        ("How are Paddington and Euston connected?", "CONNECTED_TO", False),
    ],
)
def test_a_graph_may_have_the_connection_as_a_relationship(question: str, relation: str, is_own: bool) -> None:
    found = connected(question)

    assert found is not None
    assert is_own_word(relation, found) == is_own
