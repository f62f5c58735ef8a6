"""The neighbourhood of an entity answers by the relation that is most similar to the question."""

import pytest

from contracts.retrieve import RetrieveRequest, RetrieveResponse
from graph.plan.checks import read_plan
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.word_surprisal import WordSurprisal
from services.retriever.replies.retrieval import Retrieval
from services.retriever.strategies.neighbourhood import NeighbourhoodStrategy
from shared.errors import UnknownEntityError
from shared.triple import Triple
from tests.fakes.encoder import HashingEncoder
from tests.fakes.graph import InMemoryGraph

_TRIPLES = (
    ("Ardenia", "capital", "Veltmar"),
    ("Ardenia", "currency", "Crown"),
    ("Ardenia", "anthem", "Hail"),
    ("Borland", "borders", "Ardenia"),
)


async def retrieve(question: str, **options: object) -> RetrieveResponse:
    store = InMemoryGraph(_TRIPLES)
    strategy = NeighbourhoodStrategy(store, EntityLinker(store, WordSurprisal()), HashingEncoder())
    return await Retrieval(strategy).retrieve(RetrieveRequest.model_validate({"question": question, **options}))


async def test_the_most_similar_relation_answers_with_evidence() -> None:
    response = await retrieve("What is the currency of Ardenia?")

    assert [answer.value for answer in response.answers] == ["Crown"]
    assert response.evidence[response.answers[0].evidence[0]].triples == [Triple("Ardenia", "currency", "Crown")]
    assert response.relation_paths[0].relations == ["currency"]
    assert response.topic_entities[0].entity == "Ardenia"


async def test_a_relation_that_is_not_certain_enough_is_an_alternative() -> None:
    response = await retrieve("What about Ardenia?", min_confidence=0.99)

    assert response.answers == [] and response.evidence == [] and response.plan is None
    assert 0 < response.confidence < 0.99
    assert response.alternatives[0].score == pytest.approx(response.confidence)
    for reading in response.alternatives:
        again = await InMemoryGraph(_TRIPLES).run(read_plan({"steps": reading.steps}), 100)
        assert [row[0].name for row in again.rows] == reading.answers


async def test_a_question_without_an_entity_abstains() -> None:
    response = await retrieve("What is this?")

    assert (response.answers, response.confidence) == ([], 0.0)


async def test_the_request_replaces_the_threshold() -> None:
    response = await retrieve("What about Ardenia?", min_confidence=0.01, explain=True)

    assert response.answers
    assert response.plan is not None and response.plan.query is not None


async def test_an_unknown_topic_entity_is_an_error() -> None:
    with pytest.raises(UnknownEntityError):
        await retrieve("What is the currency?", topic_entity="Nowhere")
