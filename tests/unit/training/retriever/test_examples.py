import pytest

from question_sets.records import QuestionRecord
from shared.errors import InvalidInputError
from shared.graph.store import WalkRule
from tests.fakes.graph import InMemoryGraph
from training.retriever.examples import prepare
from training.retriever.walk_rule import fit_walk_rule, rule_name

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


async def test_questions_that_read_the_same_once_masked_are_merged() -> None:
    records = [
        record("What is the capital of France?", "France", ("capital",), "Paris"),
        record("What is the capital of Spain?", "Spain", ("capital",), "Madrid"),
        record("What is the capital of España?", "Spain", ("capital",), "Madrid"),
        record("capital near Spainn", "Spain", ("borders", "capital"), "Paris"),
        record("weather in France", "France", ()),
        record("weather in Atlantis", None, ()),
    ]

    prepared = await prepare(GRAPH, records)

    assert [(question.text, question.path, question.count) for question in prepared.questions] == [
        ("What is the capital of [MASK] ?", ("capital",), 3),
        ("capital near [MASK]", ("borders", "capital"), 1),
        ("weather in [MASK]", (), 1),
        ("weather in Atlantis", (), 1),
    ]


async def test_the_steps_around_a_topic_are_those_of_the_entity_that_the_path_can_leave() -> None:
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

    prepared = await prepare(graph, records)

    assert [question.topic_steps for question in prepared.questions] == [
        {"state_of"},
        {"capital", "borders"},
        {"^capital"},
        {"capital", "borders"},
        set(),
    ]


async def test_what_cannot_be_used_is_counted() -> None:
    records = [
        record("capital of Atlantis", "Atlantis", ("capital",)),
        record("what is the capital there", "France", ("capital",), "Paris"),
        record("who knows", "France", None, "Paris"),
        record("who knows", "France", None, "Atlantis"),
    ]

    prepared = await prepare(GRAPH, records)

    assert (prepared.records, prepared.useless, len(prepared.untold)) == (4, 1, 1)
    assert (prepared.unknown_topics, prepared.unmentioned_topics) == (1, 3)
    assert [question.text for question in prepared.questions] == ["capital of [MASK]", "what is the capital there"]


async def test_a_relation_that_the_graph_does_not_have_is_named_with_its_question() -> None:
    records = [
        record("capital of France", "France", ("capital",), "Paris"),
        record("mayor of Paris", "Paris", ("^capital", "^mayor"), "Anne"),
    ]

    with pytest.raises(InvalidInputError, match=r"question 2 \('mayor of Paris'\): the graph has no relation 'mayor'"):
        await prepare(GRAPH, records)


async def test_question_words_are_those_beside_mentions() -> None:
    records = [
        record(f"{word} capital of {topic}", topic, ("capital",), "Paris")
        for word in ("the", "name the", "what is the")
        for topic in ("France", "Spain")
    ]

    assert (await prepare(GRAPH, records)).question_words == ("capital", "of", "the")


async def test_each_question_tells_what_leads_on_along_its_path() -> None:
    records = [
        record("capital near Spain", "Spain", ("borders", "capital"), "Paris"),
        record("hello", None, ()),
        record("what borders Paris", "Paris", ("borders",)),
    ]

    prepared = await prepare(GRAPH, records)

    both = {"borders", "^borders", "capital"}
    assert [question.allowed for question in prepared.questions] == [(both, both, {"^capital"}), (), ()]


@pytest.mark.parametrize(("mode", "gold"), [("trail", ("Madrid",)), ("walk", ("Paris", "Lyon", "Madrid"))])
async def test_the_walk_rule_that_gives_the_gold_answers_is_chosen(mode: str, gold: tuple[str, ...]) -> None:
    graph = InMemoryGraph(
        [
            ("France", "seat", "Paris"),
            ("France", "seat", "Lyon"),
            ("Spain", "seat", "Lyon"),
            ("Spain", "seat", "Madrid"),
        ]
    )

    chosen, figures = await fit_walk_rule(graph, [record("q", "France", ("seat", "^seat", "seat"), *gold)], seed=1)

    assert chosen.mode == mode
    assert figures[rule_name(chosen)] == 1.0
    assert len(figures) == 4


async def test_the_topic_is_an_answer_if_the_gold_answers_say_so() -> None:
    path = ("borders", "borders")

    chosen, _ = await fit_walk_rule(GRAPH, [record("q", "France", path, "France")], seed=1)

    assert chosen == WalkRule("trail", False)


async def test_without_telling_questions_the_rule_is_trail_without_topic() -> None:
    assert await fit_walk_rule(GRAPH, [record("q", None, ())], seed=1) == (WalkRule("trail", True), {})
    assert await fit_walk_rule(GRAPH, [record("q", "Atlantis", ("capital",), "x")], seed=1) == (WalkRule(), {})
