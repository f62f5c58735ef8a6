"""Results stay short, and say what they leave out; agents that go away stop the model."""

import asyncio
from contextlib import suppress

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.ask import AskRequest, AskResponse
from contracts.examples import ASK_EXAMPLE
from contracts.graphs import (
    GraphsResponse,
    KindDescription,
    NeighboursRequest,
    NeighboursResponse,
    PropertyDescription,
    RelationshipDescription,
    SchemaRequest,
    SchemaResponse,
    ServedGraphDescription,
)
from contracts.plans import PlanRequest, PlanResponse
from services.answerer.chat.evidence_store import EvidenceStore
from services.answerer.mcp.messages import AskArguments, SchemaArguments
from services.answerer.mcp.schema_summary import summarised
from services.answerer.mcp.tools import graph_tools
from shared.errors import InvalidInputError
from tests.fakes.llm import DraftingModel
from tests.fakes.serving import serving
from tests.support.waiting import until
from tests.unit.kgqa.client.test_client import answerer

LONG = "x" * 500


def described(count: int) -> PropertyDescription:
    return PropertyDescription(
        stored=["string"], content=None, count=count, distinct=1.0, samples=[LONG] * 9, holds_durations=False
    )


def large_schema(kinds: int, properties: int) -> SchemaResponse:
    names = [f"Kind {number}" for number in range(kinds)]
    keys = {f"key {number}": described(number) for number in range(properties)}
    return SchemaResponse(
        kinds={
            name: KindDescription(count=number, properties=keys, name_property=None, synonyms=[], is_inferred=False)
            for number, name in enumerate(names)
        },
        relationships={
            f"TYPE {name}": RelationshipDescription(
                count=number, ends=[(name, other) for other in names], properties=keys
            )
            for number, name in enumerate(names)
        },
        omitted=[],
        left_out=[],
        is_composed=False,
        graph_version="1",
    )


class Library:
    """Answer each question with many answers, from a large graph."""

    async def ask(self, request: AskRequest) -> AskResponse:
        return AskResponse.model_validate({**ASK_EXAMPLE, "answers": ASK_EXAMPLE["answers"] * 150, "rows": [[1]] * 101})

    async def plan(self, request: PlanRequest) -> PlanResponse:
        raise AssertionError

    async def schema(self, request: SchemaRequest) -> SchemaResponse:
        return large_schema(100, 20)

    async def neighbours(self, request: NeighboursRequest) -> NeighboursResponse:
        raise AssertionError

    async def graphs(self) -> GraphsResponse:
        one = ServedGraphDescription(name="one", strategies=[])
        return GraphsResponse(graphs=[one, one.model_copy(update={"name": "two"})])


async def test_long_results_are_cut_and_say_so() -> None:
    tools = graph_tools(Library(), EvidenceStore())

    reply = await tools["ask"].call(AskArguments(question="?"))
    schema = await tools["schema"].call(SchemaArguments())

    assert (len(reply.answers), len(reply.rows), reply.truncated) == (100, 100, True)  # type: ignore[attr-defined]
    assert (len(schema.kinds), schema.kinds_left_out) == (20, 80)  # type: ignore[attr-defined]
    assert schema.graphs == ("one", "two")  # type: ignore[attr-defined]
    assert len(schema.model_dump_json()) < 30_000


@given(st.integers(0, 100), st.integers(0, 20))
def test_the_most_frequent_parts_are_kept(kinds: int, properties: int) -> None:
    short = summarised(large_schema(kinds, properties))

    assert len(short.kinds) + short.kinds_left_out == kinds
    assert len(short.relationships) + short.relationships_left_out == kinds
    assert len(short.model_dump_json()) <= 30_000
    counts = sorted(kind.count for kind in short.kinds.values())
    assert counts == list(range(kinds))[kinds - len(counts) :]
    for kind in short.kinds.values():
        assert min(3, properties) <= len(kind.properties) <= properties
        assert all(len(value) <= 60 for one in kind.properties.values() for value in one.samples)


def test_named_kinds_are_described_whole() -> None:
    short = summarised(large_schema(100, 20), ["Kind 0"])

    assert {name: len(kind.properties) for name, kind in short.kinds.items()} == {"Kind 0": 20}
    assert short.kinds_left_out == 0
    with pytest.raises(InvalidInputError, match="it has 'Kind 1'"):
        summarised(large_schema(2, 0), ["Kind 1x"])


async def test_an_agent_that_goes_away_stops_the_model() -> None:
    model = DraftingModel(["Par"], gate=asyncio.Event())
    call = {"name": "ask", "arguments": {"question": "capital of France?"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    headers = {"Accept": "application/json, text/event-stream"}
    async with answerer(model=model) as app, serving(app) as url, httpx.AsyncClient(trust_env=False) as http:
        asking = asyncio.create_task(http.post(f"{url}/mcp", json=body, headers=headers, timeout=None))
        await until(lambda: model.calls == 1)
        asking.cancel()
        with suppress(asyncio.CancelledError):
            await asking
        await until(lambda: model.stopped == 1)
