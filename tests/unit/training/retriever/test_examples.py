import pytest

from question_sets.records import QuestionRecord
from shared.errors import InvalidInputError
from tests.fakes.graph import InMemoryGraph
from training.retriever.examples import prepare_questions

GRAPH = InMemoryGraph(
    [
        ("France", "borders", "Spain"),
        ("Spain", "borders", "France"),
        ("France", "capital", "Paris"),
        ("Spain", "capital", "Madrid"),
    ],
    aliases=[("Spain", "España")],
)


def record(question: str, topic: str | None, path: tuple[str, ...] | None, *answers: str) -> QuestionRecord:
    return QuestionRecord(question=question, topic=topic, answers=answers, path=path)


async def test_questions_that_are_identical_once_masked_are_merged() -> None:
    records = [
        record("What is the capital of France?", "France", ("capital",), "Paris"),
        record("What is the capital of Spain?", "Spain", ("capital",), "Madrid"),
        record("What is the capital of España?", "Spain", ("capital",), "Madrid"),
        record("capital near Spainn", "Spain", ("borders", "capital"), "Paris"),
        record("weather in France", "France", ()),
        record("weather in Atlantis", None, ()),
    ]

    prepared = await prepare_questions(GRAPH, records)

    assert [(question.text, question.path, question.count) for question in prepared.with_path] == [
        ("What is the capital of [MASK] ?", ("capital",), 3),
        ("capital near [MASK]", ("borders", "capital"), 1),
        ("weather in [MASK]", (), 1),
        ("weather in Atlantis", (), 1),
    ]


async def test_of_entities_with_one_name_the_topic_is_one_that_has_the_path() -> None:
    graph = InMemoryGraph(
        [("Georgia", "capital", "Tbilisi"), ("Georgia", "borders", "Turkey"), ("US-GA", "state_of", "United States")],
        names={"US-GA": "Georgia"},
    )
    records = [
        record("Where is Georgia?", "Georgia", ("state_of",), "United States"),
        record("capital of Georgia", "Georgia", ("capital",), "Tbilisi"),
        record("whose capital is Tbilisi", "Tbilisi", ("^capital",), "Georgia"),
        record("weather in Georgia", "Georgia", ()),
        record("weather", None, ()),
    ]

    prepared = await prepare_questions(graph, records)

    assert [question.topic_steps for question in prepared.with_path] == [
        {"state_of"},
        {"capital", "borders"},
        {"^capital"},
        {"capital", "borders"},
        set(),
    ]


async def test_unusable_questions_are_counted() -> None:
    records = [
        record("capital of Atlantis", "Atlantis", ("capital",)),
        record("what is the capital there", "France", ("capital",), "Paris"),
        record("who knows", "France", None, "Paris"),
        record("who knows", "France", None, "Atlantis"),
    ]

    prepared = await prepare_questions(GRAPH, records)

    assert len(prepared.answer_only) == 1
    unusable, unknown_topics, unmentioned_topics = prepared.problems.values()
    assert (unusable, unknown_topics, unmentioned_topics) == (1, 1, 3)
    assert [question.text for question in prepared.with_path] == ["capital of [MASK]", "what is the capital there"]


async def test_an_unknown_relation_is_reported_with_its_question() -> None:
    records = [
        record("capital of France", "France", ("capital",), "Paris"),
        record("mayor of Paris", "Paris", ("^capital", "^mayor"), "Anne"),
    ]

    with pytest.raises(InvalidInputError, match=r"question 2 \('mayor of Paris'\): the graph has no relation 'mayor'"):
        await prepare_questions(GRAPH, records)


async def test_question_words_are_those_beside_mentions() -> None:
    records = [
        record(f"{word} capital of {topic}", topic, ("capital",), "Paris")
        for word in ("the", "name the", "what is the")
        for topic in ("France", "Spain")
    ]

    assert (await prepare_questions(GRAPH, records)).question_words == ("capital", "of", "the")


async def test_each_question_has_the_allowed_steps_along_its_path() -> None:
    records = [
        record("capital near Spain", "Spain", ("borders", "capital"), "Paris"),
        record("hello", None, ()),
        record("what borders Paris", "Paris", ("borders",)),
    ]

    prepared = await prepare_questions(GRAPH, records)

    both = {"borders", "^borders", "capital"}
    assert [question.gold.allowed for question in prepared.with_path] == [(both, both, {"^capital"}), (), ()]
