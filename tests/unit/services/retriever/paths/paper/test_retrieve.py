"""Test the retrieval pipeline in paper mode, which predicts relation paths without consulting the graph."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.retrieve import RetrieveRequest, RetrieveResponse
from graph.store import Entity, WalkRule
from services.retriever.linking.linker import EntityLinker
from services.retriever.paths.confidence import Calibration
from services.retriever.paths.paper.hop_and_path_prediction import predict_relation_paths
from services.retriever.paths.paper.model import PaperModel
from services.retriever.replies.path_replies import PathReplies
from services.retriever.replies.retrieval import Retrieval
from tests.fakes.graph import InMemoryGraph
from tests.unit.services.retriever.models import keyword_paper_model, random_paper_model

ROWS = [
    ("France", "borders", "Spain"),
    ("France", "borders", "Italy"),
    ("France", "capital", "Paris"),
    ("Spain", "capital", "Madrid"),
    ("Italy", "capital", "Rome"),
    ("France", "language", "French"),
    ("France", "currency", "euro"),
    ("Paris", "population", "2100000"),
]
GRAPH = InMemoryGraph(ROWS)
STEPS = ("population", "borders", "capital", "language", "currency")
MODEL = keyword_paper_model(
    STEPS,
    {"of": (1, 5.0), "neighbours": (2, 20.0)},
    {"inhabitants": ("population", 9.0), "neighbours": ("borders", 9.0), "France|borders": ("capital", 19.0)},
)


async def ask(model: PaperModel, question: str, beam: int = 3, max_paths: int = 5) -> RetrieveResponse:
    """Retrieve for France, with answers at any confidence."""
    always_answering = model.manifest.model_copy(update={"calibration": Calibration(threshold=0.0)})
    retriever = PathReplies(GRAPH, EntityLinker(GRAPH, model.word_surprisal), replace(model, manifest=always_answering))
    request = RetrieveRequest(question=question, topic_entity="France", beam=beam, max_paths=max_paths)
    return await Retrieval(retriever).retrieve(request)


async def test_a_question_of_two_hops() -> None:
    response = await ask(MODEL, "capitals of the neighbours of France")

    assert response.hops and response.hops.predicted == 2
    assert response.relation_paths[0].relations == ["borders", "capital"]
    assert [answer.value for answer in response.answers] == ["Madrid", "Rome"]
    assert [len(item.triples) for item in response.evidence] == [2, 2]


async def test_a_predicted_path_that_the_graph_lacks_is_dropped() -> None:
    question = "inhabitants of France"
    assert predict_relation_paths(MODEL, question, 1, 3)[0].relations == ("population",)

    response = await ask(MODEL, question)

    assert [path.relations for path in response.relation_paths] == [["borders"], ["capital"]]
    assert {triple.relation for item in response.evidence for triple in item.triples} == {"borders", "capital"}


@given(question=st.text("abc ", min_size=1).filter(str.strip), beam=st.integers(1, 5), seed=st.integers(0, 1000))
async def test_every_triple_of_the_evidence_is_in_the_graph_and_every_listed_path_can_be_walked(
    question: str, beam: int, seed: int
) -> None:
    response = await ask(random_paper_model(STEPS, 3, seed), question, beam)

    triples = {(t.subject, t.relation, t.object) for item in response.evidence for t in item.triples}
    assert triples <= set(ROWS)
    starts = [(Entity("France", "France"), tuple(path.relations)) for path in response.relation_paths]
    assert all(walk.reached for walk in await GRAPH.walk(starts, WalkRule()))


@pytest.mark.parametrize("beam", [1, 2, 4])
async def test_the_beam_width_limits_the_paths(beam: int) -> None:
    model = keyword_paper_model(STEPS[1:], {"of": (1, 5.0)}, {"capital": ("capital", 9.0)})

    response = await ask(model, "capital of France", beam)

    assert len(response.relation_paths) == beam


@pytest.mark.parametrize("max_paths", [1, 2])
async def test_max_paths_limits_the_evidence_of_lower_paths(max_paths: int) -> None:
    model = keyword_paper_model(STEPS[1:], {"of": (1, 5.0)}, {"capital": ("capital", 9.0)})

    response = await ask(model, "capital of France", beam=4, max_paths=max_paths)

    assert response.answers[0].value == "Paris"
    assert len(response.evidence) == 1 + max_paths
