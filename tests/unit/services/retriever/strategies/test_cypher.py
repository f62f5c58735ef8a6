"""A language model writes the query, and a server that misbehaves never ends in a wrong answer."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.answers import AnswerType
from contracts.base import Strategy
from contracts.retrieve import RetrieveRequest, RetrieveResponse
from graph.sqlite.store import SqliteGraphStore
from graph.store import GraphStore
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.word_surprisal import WordSurprisal
from services.retriever.plans.planner import Planner
from services.retriever.replies.plan_replies import PlanReplies
from services.retriever.replies.retrieval import Retrieval
from services.retriever.strategies import cypher
from services.retriever.strategies.cypher import CypherStrategy
from services.retriever.strategies.query_confidence import HIGHEST
from services.retriever.strategies.selection import StrategySelector
from shared.errors import DependencyError
from shared.llm.client import LanguageModel, OpenAIClient
from shared.llm.request_coalescing import CoalescingModel
from tests.fakes.llm import ScriptedModel
from tests.fakes.llm_server import HANGS, ScriptedServer
from tests.fakes.planning import Script, ScriptedPlans
from tests.fakes.strategies import FakeStrategy, abstention
from tests.support.gbnf import matches
from tests.support.guard_queries import HARMLESS, HOSTILE
from tests.support.property_graphs import film_graph, write_graph_file

QUESTION = "When was Film 3 made?"
QUERY = "MATCH (f:Film {title: 'Film 3'}) RETURN f.year"
YEAR = 1983
FRAGMENTS = (
    *("MATCH", "OPTIONAL MATCH", "(f:Film)", "(p:Persons)", "-[:ACTED_IN]->", "-[r:DIRECT*1..2]-", "(f)", "()", "x"),
    *("WHERE", "f.title = 'film 3'", "f.year > $year", "AND", "NOT", "RETURN", "f", "p.name", "count(*)", "AS n", ","),
    *("ORDER BY", "LIMIT", "5", "WITH", "UNION", "DELETE", "SET f.year = 1", "CALL db.labels()", "```", "\n\n", "NONE"),
    *("MATCH (f:Film) RETURN f", "é\u0000", "`", "'", "{", "}", "//", ";"),
)
DIRECTORS = "Who directed Film 3?"
PLANS: Mapping[str, Script] = {
    QUESTION: [("KIND:Film IS VALUE:0 RETURN PROPERTY:Film.year END", -0.1)],
    DIRECTORS: [("KIND:Film IS VALUE:0 IN:Person.DIRECTED RETURN VARIABLE:1 END", -0.1)],
}
# The confidence in a query that is right in all else, if no plan has its result, and if a plan has another one.
UNCONFIRMED, CONTRADICTED = 0.6 * HIGHEST, 0.4 * HIGHEST
DIRECTED = "MATCH (p:Person)-[:DIRECTED]->(f:Film {title: 'Film 3'}) RETURN p"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> GraphStore:
    file = Path(tmp_path_factory.mktemp("graph")) / "films.sqlite"
    write_graph_file(film_graph(), file)
    return SqliteGraphStore(file, 5.0)


def strategy(store: GraphStore, model: LanguageModel, plans: Mapping[str, Script] = PLANS) -> CypherStrategy:
    replies = PlanReplies(store, Planner(store, lambda elements: ScriptedPlans(plans, elements)), 0.2)
    return CypherStrategy(store, EntityLinker(store, WordSurprisal()), replies, model)


async def retrieve(
    store: GraphStore,
    script: Sequence[str | None],
    question: str = QUESTION,
    plans: Mapping[str, Script] = PLANS,
    **options: object,
) -> tuple[RetrieveResponse, ScriptedServer]:
    server = ScriptedServer(script)
    async with server.url() as url:
        client = OpenAIClient(url, "coder", api_key="k")
        try:
            request = RetrieveRequest.model_validate({"question": question, **options})
            return await Retrieval(strategy(store, CoalescingModel(client, 8), plans)).retrieve(request), server
        finally:
            await client.close()


async def by_auto(served: CypherStrategy) -> RetrieveResponse:
    """Ask with `auto`, where plans abstain."""
    selector = StrategySelector({Strategy.PLAN: FakeStrategy(abstention()), Strategy.CYPHER: served})
    return await Retrieval(selector).retrieve(RetrieveRequest(question=QUESTION, strategy=Strategy.AUTO))


def kinds_of_warnings(response: RetrieveResponse) -> list[str]:
    return [warning.kind for warning in response.warnings]


async def test_the_query_of_the_model_answers_with_evidence(store: GraphStore) -> None:
    response, server = await retrieve(store, [QUERY], explain=True)

    [answer] = response.answers
    assert answer.value == YEAR
    assert response.answer_type is AnswerType.NUMBER
    assert str(YEAR) in response.plan_evidence[answer.evidence[0]].text
    assert response.plan is not None and response.plan.query is not None
    assert response.confidence >= HIGHEST
    assert [(topic.entity, topic.mention) for topic in response.topic_entities] == [("Film 3", "Film 3")]
    assert response.warnings == []
    assert server.keys == ["Bearer k"]


async def test_the_prompt_has_the_schema_and_the_linked_names_as_data(store: GraphStore) -> None:
    _, server = await retrieve(store, [QUERY])

    [prompt] = server.prompts
    data = prompt.partition("\n<graph>\n")[2].partition("\n</graph>\n")[0]
    assert "(:Person)-[:ACTED_IN {roles: list}]->(:Film)" in data
    assert '(:Film {title: "Film 3"})' in data
    assert f"Question: {QUESTION}" in prompt


async def test_the_completion_is_to_follow_the_grammar_of_the_pruned_schema(store: GraphStore) -> None:
    model = ScriptedModel([QUERY])

    await Retrieval(strategy(store, model)).retrieve(RetrieveRequest(question=QUESTION))

    [grammar] = model.grammars
    assert matches(grammar, QUERY) and not matches(grammar, QUERY.replace("year", "yaer"))


@pytest.mark.parametrize("fence", ["```cypher\n{}\n```", "Sure!\n```\n{};\n```\nIt reads the year.", "```Cypher\n{}"])
async def test_a_query_in_markdown_fences_is_found(store: GraphStore, fence: str) -> None:
    response, server = await retrieve(store, [fence.format(QUERY)])

    assert [answer.value for answer in response.answers] == [YEAR]
    assert len(server.prompts) == 1


async def test_a_query_that_the_guard_refuses_goes_back_with_the_reason(store: GraphStore) -> None:
    response, server = await retrieve(store, ["MATCH (f:Film {title: 'Film 3'}) RETURN f.zzz", QUERY], plans={})
    at_once, _ = await retrieve(store, [QUERY], plans={})

    assert [answer.value for answer in response.answers] == [YEAR]
    assert "'zzz'" in server.prompts[1] and "f.zzz" in server.prompts[1]
    assert kinds_of_warnings(response) == ["repaired_query"]
    assert response.confidence < at_once.confidence < HIGHEST


async def test_a_query_that_fails_in_the_store_goes_back_with_the_reason(store: GraphStore) -> None:
    too_large = "MATCH (f:Film {title: 'Film 3'}) RETURN f.year * 1e308"

    response, server = await retrieve(store, [too_large, QUERY])

    assert [answer.value for answer in response.answers] == [YEAR]
    assert "too large" in server.prompts[1]


@pytest.mark.parametrize("query", ["MATCH (f:Film) DELETE f", "MATCH (f:Film)\n\nDETACH DELETE f", "DROP INDEX x"])
async def test_queries_that_write_never_run(store: GraphStore, query: str) -> None:
    before = await store.version()

    response, server = await retrieve(store, [query, query])

    assert response.answers == [] and response.confidence == 0.0
    assert kinds_of_warnings(response) == ["no_query"]
    assert len(server.prompts) == 2, "a query that comes again is not asked for once more"
    assert await store.version() == before
    assert (await store.schema()).kinds["Film"].count == 20


async def test_nonsense_is_given_up_after_two_repairs_with_the_reason(store: GraphStore) -> None:
    response, server = await retrieve(store, ["Paris.", "I am a poet", "MATCH ("])

    assert response.answers == []
    assert len(server.prompts) == 3
    [warning] = response.warnings
    assert warning.kind == "no_query" and "cannot read the Cypher query" in warning.text


@pytest.mark.parametrize("depth", [50, 300, 900])
async def test_deeply_nested_queries_are_refused(store: GraphStore, depth: int) -> None:
    for condition in (f"{'NOT ' * depth}f.year = 1", f"{'(' * depth}f.year = 1{')' * depth}"):
        response, _ = await retrieve(store, [f"MATCH (f:Film) WHERE {condition} RETURN f"] * 2)

        assert response.answers == []


@given(completion=st.lists(st.sampled_from(FRAGMENTS), max_size=14).map(" ".join))
@settings(max_examples=60, deadline=None)
async def test_whatever_the_model_writes_ends_in_a_reply(store: GraphStore, completion: str) -> None:
    response = await Retrieval(strategy(store, ScriptedModel(lambda _: completion))).retrieve(
        RetrieveRequest(question=QUESTION)
    )

    assert response.answers == [] or response.plan is not None
    assert response.confidence <= HIGHEST


async def test_no_query_of_the_guards_lists_ends_in_an_error(store: GraphStore) -> None:
    for query in (*HOSTILE, *HARMLESS):
        model = ScriptedModel([query] * 3)

        response = await Retrieval(strategy(store, model)).retrieve(RetrieveRequest(question=QUESTION))

        assert response.answers == [] or response.plan is not None, query


async def test_a_model_may_say_that_the_graph_cannot_answer(store: GraphStore) -> None:
    response, server = await retrieve(store, ["`NONE`"])

    assert (response.answers, kinds_of_warnings(response), len(server.prompts)) == ([], ["no_query"], 1)


async def test_an_empty_result_abstains(store: GraphStore) -> None:
    response, _ = await retrieve(store, ["MATCH (f:Film {title: 'Film 3'}) WHERE f.year > 2100 RETURN f"])

    assert (response.answers, response.confidence) == ([], 0.0)


async def test_a_query_that_ignores_a_name_of_the_question_is_doubted(store: GraphStore) -> None:
    query = "MATCH (p:Person)-[:DIRECTED]->(f:Film) RETURN DISTINCT p LIMIT 3"

    response, _ = await retrieve(store, [query], plans={})
    demanded, _ = await retrieve(store, [query], min_confidence=0.5)

    assert response.unread == ["Film 3"]
    assert response.confidence == pytest.approx(UNCONFIRMED / 2)
    assert demanded.answers == [] and demanded.alternatives


@pytest.mark.parametrize(
    ("plans", "least", "most"),
    [(PLANS, HIGHEST, 1.0), ({}, UNCONFIRMED, UNCONFIRMED), ({QUESTION: PLANS[DIRECTORS]}, CONTRADICTED, CONTRADICTED)],
)
async def test_a_query_is_trusted_as_far_as_plans_find_the_same(
    store: GraphStore, plans: Mapping[str, Script], least: float, most: float
) -> None:
    response = await Retrieval(strategy(store, ScriptedModel([QUERY]), plans)).retrieve(
        RetrieveRequest(question=QUESTION)
    )

    assert [answer.value for answer in response.answers] == [YEAR]
    assert least - 1e-6 <= response.confidence <= most + 1e-6


async def test_plans_that_read_the_question_otherwise_are_alternatives(store: GraphStore) -> None:
    served = strategy(store, ScriptedModel([QUERY]), {QUESTION: PLANS[DIRECTORS]})

    response = await Retrieval(served).retrieve(RetrieveRequest(question=QUESTION))

    assert [answer.value for answer in response.answers] == [YEAR]
    assert ["DIRECTED" in one.plan for one in response.alternatives] == [True]


async def test_names_that_the_graph_lacks_are_replaced_and_reported(store: GraphStore) -> None:
    query = "MATCH (p:Persons)-[:DIRECTED_BY]->(f:Films {title: 'film 3'}) RETURN p"

    response, server = await retrieve(store, [query], DIRECTORS, plans={})
    right, _ = await retrieve(store, [DIRECTED], DIRECTORS, plans={})

    assert [answer.id for answer in response.answers] == [answer.id for answer in right.answers] != []
    assert len(server.prompts) == 1
    texts = " ".join(warning.text for warning in response.warnings if warning.kind == "replaced_name")
    assert all(f"“{name}”" in texts for name in ("Persons", "DIRECTED_BY", "Films", "film 3", "Film 3"))
    assert response.confidence < right.confidence


async def test_a_model_that_hangs_is_an_error_and_auto_answers_without_it(
    store: GraphStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = ScriptedServer([QUERY, HANGS, HANGS])
    async with server.url() as url:
        client = OpenAIClient(url, "coder")
        served = strategy(store, CoalescingModel(client, 8))
        await Retrieval(served).retrieve(RetrieveRequest(question=QUESTION))  # reads the graph
        monkeypatch.setattr(cypher, "_SECONDS", 1.0)
        with pytest.raises(DependencyError):
            await Retrieval(served).retrieve(RetrieveRequest(question=QUESTION))
        response = await by_auto(served)
        await client.close()

    assert len(server.prompts) == 3
    assert response.strategy is Strategy.PLAN
    assert response.strategy_reason == "plan abstained; cypher failed"
    assert kinds_of_warnings(response) == ["strategy_failed"]


async def test_auto_says_why_the_model_gave_up(store: GraphStore) -> None:
    model = ScriptedModel(["nonsense", "nonsense"])
    response = await by_auto(strategy(store, model))

    assert response.strategy is Strategy.PLAN
    assert kinds_of_warnings(response) == ["no_query"]


async def test_auto_asks_the_model_when_the_plans_abstain(store: GraphStore) -> None:
    response = await by_auto(strategy(store, ScriptedModel([QUERY])))

    assert response.strategy is Strategy.CYPHER
    assert [answer.value for answer in response.answers] == [YEAR]
