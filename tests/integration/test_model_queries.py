"""The queries of a language model give the same replies on a graph file and on Neo4j, and change neither."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts.retrieve import RetrieveRequest, RetrieveResponse
from graph.store import GraphStore
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.word_surprisal import WordSurprisal
from services.retriever.plans.planner import Planner
from services.retriever.replies.plan_replies import PlanReplies
from services.retriever.replies.retrieval import Retrieval
from services.retriever.strategies.cypher import CypherStrategy
from tests import neo4j_server
from tests.fakes.llm import ScriptedModel
from tests.fakes.planning import ScriptedPlans
from tests.support.both_stores import BothStores, both_stores
from tests.support.property_graphs import film_graph

pytestmark = neo4j_server.needs_neo4j


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BothStores]:
    neo4j_server.require_empty()
    file = tmp_path_factory.mktemp("graph") / Path("films.sqlite")
    with both_stores(film_graph(), file, neo4j_server.settings()) as both:
        yield both


def reply(stores: BothStores, store: GraphStore, question: str, query: str) -> RetrieveResponse:
    replies = PlanReplies(store, Planner(store, lambda elements: ScriptedPlans({}, elements)), 0.0)
    linker = EntityLinker(store, WordSurprisal())
    strategy = CypherStrategy(store, linker, replies, ScriptedModel(lambda _: query))
    return stores.runner.run(Retrieval(strategy).retrieve(RetrieveRequest(question=question)))


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("When was Film 3 made?", "MATCH (f:Film {title: 'Film 3'}) RETURN f.year"),
        ("Who directed Film 3?", "MATCH (p:Persons)-[:DIRECTED_BY]->(f:Films {title: 'film 3'}) RETURN p"),
        ("How many films are there?", "MATCH (f:Film) RETURN count(f)"),
        ("Films before 1985 by year?", "MATCH (f:Film) WHERE f.year < 1985 RETURN f, f.year ORDER BY f.year"),
    ],
)
def test_both_stores_reply_alike(stores: BothStores, question: str, query: str) -> None:
    by_file, by_database = (reply(stores, store, question, query) for store in (stores.sqlite, stores.neo4j))

    assert by_file.answers
    assert sorted(str(one.value) for one in by_file.answers) == sorted(str(one.value) for one in by_database.answers)
    assert [one.text for one in by_file.warnings] == [one.text for one in by_database.warnings]
    assert by_file.confidence == pytest.approx(by_database.confidence)
    assert by_database.plan_evidence


@pytest.mark.parametrize("query", ["MATCH (f:Film) DETACH DELETE f", "CALL db.labels()", "CREATE (f:Film) RETURN f"])
def test_a_query_that_writes_or_calls_leaves_the_database_as_it_is(stores: BothStores, query: str) -> None:
    count = "MATCH (n) OPTIONAL MATCH (n)-[r]->() RETURN count(DISTINCT n) AS nodes, count(r) AS links"
    before = stores.driver.execute_query(count).records

    response = reply(stores, stores.neo4j, "How many films are there?", query)

    assert (response.answers, [one.kind for one in response.warnings]) == ([], ["no_query"])
    assert stores.driver.execute_query(count).records == before
