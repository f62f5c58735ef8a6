from dataclasses import replace

import pytest

from contracts.retrieve import RetrieveRequest, RetrieveResponse
from graph.plan.checks import read_plan
from graph.store import Entity, WalkRule
from services.retriever.linking.linker import EntityLinker
from services.retriever.paths.model import RetrieverModel
from services.retriever.replies.path_replies import PathReplies
from services.retriever.replies.retrieval import Retrieval
from shared.errors import UnknownEntityError
from tests.fakes.encoder import HashingEncoder
from tests.fakes.graph import InMemoryGraph
from tests.unit.services.retriever.models import STOP, keyword_model

GRAPH = InMemoryGraph(
    [
        ("France", "borders", "Spain"),
        ("France", "borders", "Luxembourg"),
        ("France", "capital", "Paris"),
        ("Spain", "capital", "Madrid"),
        ("Luxembourg", "capital", "Luxembourg City"),
        ("Luxembourg City", "located_in", "Luxembourg"),
        ("Luxembourg City", "population", "133000"),
        ("Paris", "population", "2100000"),
    ],
    aliases=[("Luxembourg City", "Luxembourg")],
)
STEPS = ("borders", "capital", "population", "^capital")
MODEL = keyword_model(
    STEPS,
    {
        "capital": ("capital", 12.0),
        "border": ("borders", 16.0),
        "neighbouring": ("borders", 16.0),
        "inhabitants": ("population", 16.0),
        "weather": (STOP, 14.0),
        "maybe": ("borders", 6.5),
    },
)


async def ask(
    question: str,
    topic: str | None = None,
    max_paths: int = 5,
    model: RetrieverModel = MODEL,
    min_confidence: float | None = None,
) -> RetrieveResponse:
    retriever = PathReplies(GRAPH, EntityLinker(GRAPH, model.word_surprisal), model)
    return await Retrieval(retriever).retrieve(
        RetrieveRequest(question=question, topic_entity=topic, max_paths=max_paths, min_confidence=min_confidence)
    )


def best_answers(response: RetrieveResponse) -> list[str]:
    return [answer.value for answer in response.answers]


async def test_a_question_of_one_hop() -> None:
    response = await ask("Which countries border France?")

    assert best_answers(response) == ["Spain", "Luxembourg"]
    assert [topic.mention for topic in response.topic_entities] == ["France"]
    assert response.hops and response.hops.predicted == 1
    assert response.relation_paths[0].relations == ["borders"]
    assert [triple.object for triple in response.evidence[0].triples] == ["Spain", "Luxembourg"]
    assert response.confidence == response.answers[0].score == response.relation_paths[0].score > 0.9
    assert not response.truncated
    assert response.graph_version == await GRAPH.version()
    assert response.link_ms > 0
    assert response.retrieve_ms > 0


async def test_a_question_of_two_hops_with_one_item_of_evidence_a_neighbour() -> None:
    response = await ask("capital of each neighbouring country of France")

    assert best_answers(response) == ["Madrid", "Luxembourg City"]
    assert response.hops and response.hops.predicted == 2
    assert [len(item.triples) for item in response.evidence[:2]] == [2, 2]
    assert [answer.evidence for answer in response.answers[:2]] == [[0], [1]]


async def test_the_graph_distinguishes_entities_with_the_same_name() -> None:
    city = await ask("How many inhabitants has Luxembourg?")
    country = await ask("capital of Luxembourg")

    assert (best_answers(city), city.topic_entities[0].entity) == (["133000"], "Luxembourg City")
    assert (best_answers(country), country.topic_entities[0].entity) == (["Luxembourg City"], "Luxembourg")


async def test_the_confidence_is_lower_if_the_graph_lacks_the_likeliest_path() -> None:
    response = await ask("maybe capital of Spain")

    assert best_answers(response) == ["Madrid"]
    assert response.relation_paths[0].relations == ["capital"]
    assert response.confidence < (await ask("capital of Spain")).confidence


async def test_lower_paths_follow_with_lower_scores_and_evidence_of_their_own() -> None:
    unsure = keyword_model(STEPS, {"important": ("capital", 10.0), "close": ("borders", 10.0)})
    response = await ask("what is important and close to France", model=unsure)

    assert best_answers(response) == ["Madrid", "Luxembourg City"]
    others = response.other_answers
    assert {answer.value for answer in others} == {"Spain", "Luxembourg", "Paris"}
    assert all(answer.score < response.answers[0].score for answer in others)
    for answer in [*response.answers, *others]:
        assert answer.value in {triple.object for triple in response.evidence[answer.evidence[0]].triples}


async def test_answers_of_unlikely_readings_are_not_listed() -> None:
    response = await ask("capital of France")

    assert [answer.value for answer in response.answers] == ["Paris"]
    assert response.other_answers == []
    assert len(response.evidence) > 1


async def test_paths_that_the_graph_does_not_have_are_not_listed() -> None:
    response = await ask("capital of France")

    listed = [tuple(path.relations) for path in response.relation_paths]
    france = Entity("France", "France")
    assert listed[0] == ("capital",)
    assert all(walk.reached for walk in await GRAPH.walk([(france, path) for path in listed], WalkRule()))


@pytest.mark.parametrize(
    "question",
    ["What is the weather in France?", "capital of Atlantis", "Hello!", "?", "inhabitants of Spain"],
)
async def test_what_the_graph_cannot_answer_has_no_answers_and_low_confidence(question: str) -> None:
    response = await ask(question)

    assert (response.answers, response.evidence, response.relation_paths) == ([], [], [])
    assert response.confidence <= 0.5
    assert response.hops and len(response.hops.probabilities) == 3


async def test_0_hops_are_predicted_for_what_the_graph_cannot_answer() -> None:
    response = await ask("What is the weather in France?")

    assert response.hops and response.hops.predicted == 0
    assert response.confidence < 0.01


async def test_a_given_topic_is_used_even_if_the_question_names_another() -> None:
    response = await ask("What is the capital there, unlike France?", topic="Spain")

    assert best_answers(response) == ["Madrid"]
    assert response.topic_entities[0].mention is None


async def test_an_unknown_given_topic_is_refused() -> None:
    with pytest.raises(UnknownEntityError, match="did you mean 'France'"):
        await ask("capital of Frence", topic="Frence")


async def test_the_same_question_gives_the_same_answer() -> None:
    times = {"link_ms", "retrieve_ms"}

    assert (await ask("capital of France")).model_dump(exclude=times) == (await ask("capital of France")).model_dump(
        exclude=times
    )


async def test_topics_with_one_mention_share_one_encoding() -> None:
    encoder = HashingEncoder()
    retriever = PathReplies(GRAPH, EntityLinker(GRAPH, MODEL.word_surprisal), replace(MODEL, encoder=encoder))

    response = await Retrieval(retriever).retrieve(RetrieveRequest(question="capital of Luxembourg"))

    assert len(response.topic_entities) == 2
    assert encoder.calls[0] == ("capital of [MASK]",)


async def test_the_confidence_in_a_corrected_name_grows_with_its_likeness_to_a_typing_error() -> None:
    right, mistyped, other = [
        (await ask(f"Which countries border {name}?")).confidence for name in ("France", "Frnace", "Drance")
    ]

    assert right > mistyped > other


async def test_other_readings_share_the_probability_that_the_answer_leaves() -> None:
    response = await ask("inhabitants or capital of Luxembourg")

    assert response.alternatives
    assert response.confidence + sum(reading.score for reading in response.alternatives) <= 1.0
    for reading in response.alternatives:
        again = await GRAPH.run(read_plan({"steps": reading.steps}), 100)
        assert [row[0].name for row in again.rows][:3] == reading.answers


async def test_a_path_that_only_the_request_withholds_is_said_to_be() -> None:
    question, topic = "Which countries border France?", "France"
    answered = await ask(question, topic)

    withheld = await ask(question, topic, min_confidence=1.0)

    assert answered.answers and not withheld.answers
    assert [one.kind for one in withheld.warnings] == ["withheld"]
    assert withheld.confidence == answered.confidence
    assert withheld.alternatives[0].answers == [one.value for one in answered.answers]


async def test_a_path_that_the_model_itself_withholds_is_not() -> None:
    response = await ask("Which weather does France have?", min_confidence=1.0)

    assert not response.answers and not response.warnings
