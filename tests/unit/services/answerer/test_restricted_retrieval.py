"""Every call of the retriever keeps to the caller's key, and a missing key allows nothing."""

from collections.abc import Iterator
from typing import Any

import pytest

from contracts.base import Strategy
from contracts.graphs import (
    GraphsResponse,
    NeighboursRequest,
    NeighboursResponse,
    SchemaRequest,
    SchemaResponse,
    ServedGraphDescription,
)
from contracts.plans import PlanRequest, PlanResponse
from contracts.retrieve import RetrieveRequest, RetrieveResponse
from graph.plan.algebra import Match, NodePattern, Plan
from services.answerer.restricted_retrieval import RestrictedRetrieval
from shared.access import Access, current_access
from shared.errors import UnauthenticatedError, UnknownGraphError
from tests.fakes.services import FakeRetrieval, capital_of_france


class SentRequestError(Exception):
    """Raised by the fake retriever, whose replies are not needed."""


class NotingRetriever(FakeRetrieval):
    """Note each request; serve the graphs `films` and `people`."""

    def __init__(self) -> None:
        super().__init__(capital_of_france())
        self.sent: list[Any] = []

    async def retrieve(self, request: RetrieveRequest) -> RetrieveResponse:
        self.sent.append(request)
        return await super().retrieve(request)

    async def plan(self, request: PlanRequest) -> PlanResponse:
        self.sent.append(request)
        raise SentRequestError

    async def schema(self, request: SchemaRequest) -> SchemaResponse:
        self.sent.append(request)
        raise SentRequestError

    async def neighbours(self, request: NeighboursRequest) -> NeighboursResponse:
        self.sent.append(request)
        raise SentRequestError

    async def graphs(self) -> GraphsResponse:
        served = [ServedGraphDescription(name=name, strategies=list(Strategy)) for name in ("films", "people")]
        return GraphsResponse(graphs=served)


_REQUESTS: list[tuple[str, Any]] = [
    ("retrieve", RetrieveRequest(question="Who?")),
    ("plan", PlanRequest(plan=Plan((Match((NodePattern("n"),)),)), max_rows=7)),
    ("schema", SchemaRequest()),
    ("neighbours", NeighboursRequest(entity="France")),
]


@pytest.fixture(autouse=True)
def _no_caller() -> Iterator[None]:
    token = current_access.set(None)
    yield
    current_access.reset(token)


async def send(retriever: NotingRetriever, method: str, request: Any, needs_key: bool = True) -> None:
    try:
        await getattr(RestrictedRetrieval(retriever, needs_key), method)(request)
    except SentRequestError:
        return


@pytest.mark.parametrize(("method", "request_"), _REQUESTS)
async def test_the_graph_and_the_scope_of_the_key_are_sent(method: str, request_: Any) -> None:
    retriever = NotingRetriever()
    current_access.set(Access(("people", "films"), ("Document.tenant = 42",)))
    await send(retriever, method, request_)
    await send(retriever, method, request_.model_copy(update={"graph": "films"}))
    assert [(one.graph, one.scope) for one in retriever.sent] == [
        ("people", ("Document.tenant = 42",)),
        ("films", ("Document.tenant = 42",)),
    ]
    assert '"scope":["Document.tenant = 42"]' in retriever.sent[0].model_dump_json()
    if method == "plan":
        assert retriever.sent[0].max_rows == 7
    with pytest.raises(UnknownGraphError, match="no graph 'books'"):
        await send(retriever, method, request_.model_copy(update={"graph": "books"}))
    assert len(retriever.sent) == 2


@pytest.mark.parametrize(("method", "request_"), _REQUESTS)
async def test_without_a_key_nothing_is_sent_if_callers_need_one(method: str, request_: Any) -> None:
    retriever = NotingRetriever()
    with pytest.raises(UnauthenticatedError):
        await send(retriever, method, request_)
    assert retriever.sent == []
    await send(retriever, method, request_, needs_key=False)
    assert [(one.graph, one.scope) for one in retriever.sent] == [(None, ())]


async def test_a_request_cannot_widen_the_scope() -> None:
    retriever = NotingRetriever()
    current_access.set(Access(None, ("Document.tenant = 42",)))
    await send(retriever, "retrieve", RetrieveRequest(question="Who?", scope=("Document.tenant = 43",)))
    assert retriever.sent[0].scope == ("Document.tenant = 42",)


async def test_texts_are_cached_by_graph() -> None:
    versions = set()
    for access in (Access(), Access(("films",)), Access(("people",))):
        current_access.set(access)
        reply = await RestrictedRetrieval(NotingRetriever(), needs_key=True).retrieve(RetrieveRequest(question="Who?"))
        versions.add(reply.graph_version)
    assert versions == {"1", "films 1", "people 1"}


async def test_the_graphs_and_strategies_of_the_key_are_listed() -> None:
    retrieval = RestrictedRetrieval(NotingRetriever(), needs_key=True)
    for access, names, has_dense in (
        (Access(), ["films", "people"], True),
        (Access(("people", "films", "gone")), ["people", "films"], True),
        (Access(("people",), ("A.b = 1",)), ["people"], False),
    ):
        current_access.set(access)
        listed = (await retrieval.graphs()).graphs
        assert [graph.name for graph in listed] == names
        assert all((Strategy.DENSE in graph.strategies) == has_dense for graph in listed)
        assert await retrieval.graph_named(None) == names[0]
        assert await retrieval.graph_named(names[-1]) == names[-1]
        with pytest.raises(UnknownGraphError):
            await retrieval.graph_named("gone")
