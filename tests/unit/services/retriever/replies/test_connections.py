"""Questions about the connection of two things get the shortest paths between them."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from contracts.answers import AnswerType
from contracts.retrieve import RetrieveResponse
from graph.sqlite.store import SqliteGraphStore
from graph.store import GraphStore
from language.english.english import english
from services.answerer.plan_answers import plan_answer
from services.retriever.plans.planner import Planner
from services.retriever.replies.asked import Asked
from services.retriever.replies.connections import CONFIDENCE, NO_CONNECTION_CONFIDENCE, Connections
from services.retriever.replies.messages import as_message
from services.retriever.replies.path_texts import HUB
from services.retriever.replies.plan_replies import PlanReplies
from services.retriever.scopes.scoped_store import ScopedStore
from shared.scope_conditions import read_condition
from tests.fakes.planning import ScriptedPlans
from tests.support.property_graphs import write_graph_file
from tests.support.reference_evaluator import Node, PropertyGraph, Relationship

_NAMES = {1: "Ann Lee", 2: "Bob", 3: "Acme", 4: "Oslo", 5: "Norway", 6: "Hermit", 7: "The Duke", 8: "Club"}
_LINKS = [
    ("works_for", 1, 3), ("works_for", 2, 3), ("lives_in", 1, 4), ("located_in", 4, 5), ("lives_in", 7, 5),
    ("member_of", 1, 8), ("member_of", 2, 8),
]  # fmt: skip


def _graph(extra_link: str = "") -> PropertyGraph:
    nodes = [Node(id_, frozenset({"Thing"}), {"name": name, "tenant": 1 + (id_ == 8)}) for id_, name in _NAMES.items()]
    members = [Node(100 + n, frozenset({"Thing"}), {"name": f"Member {n}", "tenant": 1}) for n in range(HUB)]
    links = [*_LINKS, *(("member_of", one.id, 8) for one in members), *([(extra_link, 6, 6)] if extra_link else [])]
    return PropertyGraph((*nodes, *members), tuple(Relationship(place, *link, {}) for place, link in enumerate(links)))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    file = tmp_path_factory.mktemp("graph") / "people.sqlite"
    write_graph_file(_graph(), file)
    yield file


@pytest.fixture
async def store(file: Path) -> AsyncIterator[SqliteGraphStore]:
    opened = SqliteGraphStore(file, 60.0)
    yield opened
    await opened.close()


async def _ask(store: GraphStore, question: str, min_confidence: float | None = None) -> RetrieveResponse | None:
    planner = Planner(store, lambda elements: ScriptedPlans({}, elements))
    connections = Connections(store, PlanReplies(store, planner, 0.3))
    reply = await connections.reply(Asked(question=english(question), min_confidence=min_confidence))
    return as_message(reply) if reply else None


async def test_the_shortest_paths_answer_and_name_the_hub_that_comes_last(store: GraphStore) -> None:
    found = await _ask(store, "How are Ann Lee and Bob connected?")

    assert found is not None
    assert [one.value for one in found.answers] == [
        "Ann Lee -works_for-> Acme <-works_for- Bob",
        "Ann Lee -member_of-> Club <-member_of- Bob",
    ]
    assert (found.answer_type, found.confidence) == (AnswerType.PATHS, CONFIDENCE)
    assert [one.evidence for one in found.answers] == [[0], [1]]
    triples = [(one.subject, one.relation, one.object) for one in found.plan_evidence[0].triples]
    assert triples == [("Ann Lee", "works_for", "Acme"), ("Bob", "works_for", "Acme")]
    assert "through Club (a hub with 102 relationships)" in found.plan_evidence[1].text
    assert "hub" not in found.plan_evidence[0].text
    assert [one.entity for one in found.topic_entities] == ["Ann Lee", "Bob"]
    assert found.plan is not None and found.plan.steps[2]["op"] == "path"


async def test_the_answer_says_the_path_in_a_sentence(store: GraphStore) -> None:
    found = await _ask(store, "what links oslo and norway")

    assert found is not None
    assert plan_answer(found) == "Oslo and Norway are directly connected. Oslo is located in Norway."


async def test_that_there_is_no_connection_is_an_answer(store: GraphStore) -> None:
    found = await _ask(store, "Are Ann Lee and Hermit related?")

    assert found is not None
    assert [one.value for one in found.answers] == ["no connection within 4 steps"]
    assert (found.answer_type, found.confidence) == (AnswerType.PATHS, NO_CONNECTION_CONFIDENCE)
    assert plan_answer(found) == "No path of at most 4 relationships connects Ann Lee and Hermit."
    assert found.plan_evidence[0].triples == []


async def test_what_is_less_certain_than_asked_for_is_withheld(store: GraphStore) -> None:
    found = await _ask(store, "Are Ann Lee and Hermit related?", min_confidence=0.99)

    assert found is not None
    assert not found.answers
    assert [one.kind for one in found.warnings] == ["withheld"]


async def test_a_name_that_the_graph_lacks_is_named(store: GraphStore) -> None:
    found = await _ask(store, "Are Ann Lee and Zanzibar Ltd related?")

    assert found is not None
    assert not found.answers
    assert [(one.kind, one.text) for one in found.warnings] == [
        ("unknown_name", "The graph has no entity named Zanzibar Ltd.")
    ]


async def test_names_that_the_graph_lacks_are_named_in_an_open_question(
    store: GraphStore,
) -> None:
    found = await _ask(store, "How are Xanadu Ltd and Zanzibar Ltd related?")

    assert found is not None
    assert not found.answers
    assert [one.kind for one in found.warnings] == ["unknown_name", "unknown_name"]


async def test_similar_names_are_suggested(store: GraphStore) -> None:
    found = await _ask(store, "How are Ann Lee and Member 7 or so connected?")

    assert found is not None
    [warning] = found.warnings
    assert warning.text.startswith("The graph has no entity named Member 7 or so; did you mean Member 7")


@pytest.mark.parametrize("question", ["How is Ann Lee related to Ann Lee?", "How is Ann Lee connected with herself?"])
async def test_one_thing_is_not_connected_to_itself(store: GraphStore, question: str) -> None:
    found = await _ask(store, question)

    assert found is not None
    assert not found.answers
    assert [(one.kind, one.text) for one in found.warnings] == [
        ("same_thing", "Both names are those of Ann Lee; ask about two different things.")
    ]


async def test_more_than_two_things_are_not_taken_for_a_name(store: GraphStore) -> None:
    found = await _ask(store, "How are Ann Lee, Bob and Acme connected?")

    assert found is not None
    assert [one.text for one in found.warnings] == [
        "Ann Lee, Bob are several things; ask how two of them are connected."
    ]


async def test_names_are_found_without_their_article_and_misspelt(store: GraphStore) -> None:
    with_article, misspelt = (
        await _ask(store, "What links the Oslo and the Duke?"),
        await _ask(store, "what links norwai and Oslo"),
    )

    assert with_article is not None and misspelt is not None
    assert [one.value for one in with_article.answers] == ["Oslo -located_in-> Norway <-lives_in- The Duke"]
    assert [one.value for one in misspelt.answers] == ["Norway <-located_in- Oslo"]
    assert misspelt.confidence < with_article.confidence


async def test_a_path_never_leads_through_what_a_key_may_not_see(store: GraphStore) -> None:
    scoped = ScopedStore(store, [read_condition("Thing.tenant = 1")])
    found, hidden = (
        await _ask(scoped, "How are Ann Lee and Bob connected?"),
        await _ask(scoped, "what links Bob and Club?"),
    )

    assert found is not None and hidden is not None
    assert [one.value for one in found.answers] == ["Ann Lee -works_for-> Acme <-works_for- Bob"]
    assert not hidden.answers


async def test_a_graph_with_a_relationship_of_this_name_reads_the_question_itself(tmp_path: Path) -> None:
    write_graph_file(_graph("RELATED_TO"), tmp_path / "family.sqlite")
    store = SqliteGraphStore(tmp_path / "family.sqlite", 60.0)
    closed, opened = (
        await _ask(store, "Are Ann Lee and Bob related?"),
        await _ask(store, "How are Ann Lee and Bob related?"),
    )
    await store.close()

    assert closed is None
    assert opened is not None and opened.answers


@pytest.mark.parametrize(
    "question", ["Who works for Acme?", "Is Bob related to Bob?", "Is a damage linked to rental R-6120?"]
)
async def test_other_questions_are_left_to_others(store: GraphStore, question: str) -> None:
    assert await _ask(store, question) is None
