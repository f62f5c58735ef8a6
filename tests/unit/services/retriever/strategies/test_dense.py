"""The triples most similar to the question form the paths that answer."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts.retrieve import RetrieveRequest, RetrieveResponse
from graph.sqlite.connection import connect
from graph.sqlite.store import SqliteGraphStore
from graph.store import Entity
from ingestion.importer import import_files
from language.mentions import Mention
from services.retriever.dense.dense_encoder import DenseEncoder
from services.retriever.dense.index_file import read_index
from services.retriever.dense.triple_index import Topic, TripleIndex
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.selection import LinkedTopic
from services.retriever.linking.word_surprisal import WordSurprisal
from services.retriever.replies.retrieval import Retrieval
from services.retriever.strategies.dense import DenseStrategy, searched
from shared.errors import UnknownEntityError
from shared.llm.client import LanguageModel
from shared.paths import graph_file, index_file
from shared.triple import Triple
from tests.fakes.encoder import HashingEncoder
from tests.fakes.llm import FailingModel, ScriptedModel
from training.dense.triple_index import index_graph

_FACTS = (
    ("Ardenia", "capital", "Veltmar"),
    ("Ardenia", "currency", "Crown"),
    ("Ardenia", "anthem", "Hail"),
    ("Borland", "borders", "Ardenia"),
    ("Corland", "borders", "Ardenia"),
    ("Veltmar", "mayor", "Ada Quist"),
)
_Parts = tuple[SqliteGraphStore, EntityLinker, TripleIndex]


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[_Parts]:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path / "home"))
    file = graph_file("mine")
    file.parent.mkdir(parents=True)
    (tmp_path / "facts.tsv").write_text("".join("\t".join(fact) + "\n" for fact in _FACTS), encoding="utf-8")
    import_files([tmp_path / "facts.tsv"], file)
    index_graph("mine", lambda done, total: None, HashingEncoder())
    store = SqliteGraphStore(file)
    _, arrays = read_index(index_file(graph_file("mine")))
    index = TripleIndex(connect(file), arrays, DenseEncoder(HashingEncoder()))
    yield store, EntityLinker(store, WordSurprisal()), index
    index.close()


@pytest.fixture
def strategy(parts: _Parts) -> DenseStrategy:
    return DenseStrategy(*parts)


async def retrieve(strategy: DenseStrategy, question: str, **options: object) -> RetrieveResponse:
    return await Retrieval(strategy).retrieve(RetrieveRequest.model_validate({"question": question, **options}))


async def test_the_most_similar_triple_answers_with_evidence(strategy: DenseStrategy) -> None:
    response = await retrieve(strategy, "What is the currency of Ardenia?", min_confidence=0.1)

    assert [answer.value for answer in response.answers] == ["Crown"]
    assert response.evidence[response.answers[0].evidence[0]].triples == [Triple("Ardenia", "currency", "Crown")]
    assert response.relation_paths[0].relations == ["currency"]
    assert response.topic_entities[0].entity == "Ardenia"
    assert response.hops and response.hops.predicted == 1


async def test_an_encoder_without_training_is_trusted_half(parts: _Parts) -> None:
    store, linker, untrained = parts
    claimed = TripleIndex(
        connect(graph_file("mine")), read_index(index_file(graph_file("mine")))[1], _Claimed(HashingEncoder())
    )

    less = await retrieve(DenseStrategy(store, linker, untrained), "What is the currency of Ardenia?")
    more = await retrieve(DenseStrategy(store, linker, claimed), "What is the currency of Ardenia?")
    claimed.close()

    assert less.confidence == pytest.approx(0.5 * more.confidence)
    assert bool(less.answers) == bool(more.answers)


class _Claimed(DenseEncoder):
    """Claim to be trained, and encode as if it were not."""

    is_trained = True


async def test_an_answer_set_is_complete(strategy: DenseStrategy) -> None:
    response = await retrieve(
        strategy, "Borland Corland: which borders Ardenia", topic_entity="Ardenia", min_confidence=0
    )

    assert [answer.value for answer in response.answers] == ["Borland", "Corland"]
    assert response.relation_paths[0].relations == ["^borders"]


async def test_low_confidence_abstains_with_readings(strategy: DenseStrategy) -> None:
    response = await retrieve(strategy, "What about Ardenia?", min_confidence=0.99)

    assert (response.answers, response.evidence, response.plan) == ([], [], None)
    assert 0 < response.confidence < 0.99
    assert response.alternatives[0].score == pytest.approx(response.confidence)


async def test_a_question_without_an_entity_abstains(strategy: DenseStrategy) -> None:
    response = await retrieve(strategy, "What is this?", min_confidence=0)

    assert (response.answers, response.confidence) == ([], 0.0)


async def test_an_unknown_topic_entity_is_an_error(strategy: DenseStrategy) -> None:
    with pytest.raises(UnknownEntityError):
        await retrieve(strategy, "What is the currency?", topic_entity="Nowhere")


async def test_a_chain_of_thought_finds_what_the_question_does_not_say(parts: _Parts) -> None:
    question = "What do they pay with in Ardenia?"
    model = ScriptedModel(["1. Find the currency of Ardenia.\n2. currency"])

    alone = await retrieve(DenseStrategy(*parts), question, min_confidence=0)
    thought = await retrieve(DenseStrategy(*parts, model), question, min_confidence=0)

    assert [answer.value for answer in thought.answers] == ["Crown"]
    assert share_of(alone, "currency") < share_of(thought, "currency")
    assert thought.warnings == []


@pytest.mark.parametrize("model", [FailingModel(), ScriptedModel(lambda prompt: "???\n\u0000")])
async def test_without_thoughts_the_question_alone_answers(parts: _Parts, model: LanguageModel) -> None:
    question = "What is the currency of Ardenia?"

    alone = await retrieve(DenseStrategy(*parts), question, min_confidence=0)
    response = await retrieve(DenseStrategy(*parts, model), question, min_confidence=0)

    assert (response.answers, response.confidence) == (alone.answers, alone.confidence)
    assert [warning.kind for warning in response.warnings] == ["no_thoughts"]


async def test_no_thoughts_are_asked_for_without_an_entity(parts: _Parts) -> None:
    model = ScriptedModel([])

    response = await retrieve(DenseStrategy(*parts, model), "What is this?", min_confidence=0)

    assert (response.warnings, model.prompts) == ([], [])


def share_of(response: RetrieveResponse, relation: str) -> float:
    """Return the share of a relation path, whether it answers or is an alternative."""
    if [path.relations for path in response.relation_paths] == [[relation]]:
        return response.confidence
    return next((one.score for one in response.alternatives if one.relations == [relation]), 0.0)


def entity(name: str) -> Entity:
    return Entity(name, name)


def topic(name: str, mention: Mention | None = None) -> LinkedTopic:
    return LinkedTopic(entity(name), mention, 1.0)


def test_triples_that_meet_form_a_path_of_two_hops(parts: _Parts) -> None:
    *_, index = parts

    found = index.search(["Veltmar mayor"], 2, [Topic("Ardenia")])

    assert {path.relations for path in found.paths} == {
        ("capital",),
        ("capital", "mayor"),
        ("currency",),
        ("anthem",),
        ("^borders",),
    }
    assert found.paths[0].relations == ("capital", "mayor")
    assert [(triple.relation, triple.object.name) for triple in found.triples] == [
        ("capital", "Veltmar"),
        ("mayor", "Ada Quist"),
    ]


def test_what_the_question_names_is_no_answer() -> None:
    topics = [topic("Ardenia", Mention(0, 7, "ardenia", 1)), topic("Borland", Mention(9, 16, "borland", 1))]

    assert [one.excluded for one in searched(topics)] == [{"Borland"}, {"Ardenia"}]


def test_an_entity_of_the_same_name_may_answer() -> None:
    mention = Mention(0, 3, "lux", 1)

    assert [one.excluded for one in searched([topic("Lux (country)", mention), topic("Lux (city)", mention)])] == [
        set()
    ] * 2


def test_no_path_leads_to_what_is_excluded(parts: _Parts) -> None:
    *_, index = parts

    found = index.search(["borders"], 9, [Topic("Ardenia", excluded=frozenset({"Borland", "Corland"}))])

    assert all("^borders" not in path.relations for path in found.paths)
