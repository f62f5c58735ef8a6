"""Call the answerer from asynchronous code."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack

import httpx

from contracts.ask import AskRequest, AskResponse, CitedEvidence
from contracts.base import DEFAULT_MAX_EVIDENCE
from contracts.feedback import FeedbackResponse
from contracts.graphs import DEFAULT_MAX_NEIGHBOURS, NeighboursResponse, SchemaResponse, ServedGraphDescription
from contracts.plans import PlanResponse
from graph.plan.algebra import Plan
from graph.plan.result import DEFAULT_MAX_ROWS
from kgqa.client import operations
from kgqa.client.errors import ClientError, ProblemError
from kgqa.client.events import AskEvent, EventDecoder
from kgqa.client.exchange import GRACE_S, broken_stream, built, explained, failed
from kgqa.client.operations import DEFAULT_TIMEOUT_S, AskOptions, Connection, Operation
from kgqa.client.retries import Retries

_Reply = TypeVar("_Reply")
_Result = TypeVar("_Result")


class AsyncClient:
    """Ask questions, and read the graph, over HTTP, without blocking. Safe for concurrent use on one event loop.

    The arguments and errors are those of `kgqa.client.Client`.

    Example:
        >>> async with AsyncClient() as client:
        ...     (await client.ask("What is the capital of France?")).answer
        'Paris'
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        retries: Retries | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._connection = Connection.to(base_url, api_key, timeout_s)
        self._retries = retries or Retries()
        self._http = httpx.AsyncClient(
            headers=dict(self._connection.headers),
            timeout=timeout_s + GRACE_S,
            transport=transport,
            trust_env=not self._connection.is_local,  # a proxy cannot reach this machine
        )

    async def ask(self, question: str, **options: Unpack[AskOptions]) -> AskResponse:
        """Answer a question, with evidence and confidence."""
        return await self._send(operations.ask(question, options))

    async def ask_stream(self, question: str, **options: Unpack[AskOptions]) -> AsyncIterator[AskEvent]:
        """Answer a question, and yield each step as it is known; the last one is a `ResultEvent`.

        To stop early, close the iterator, for example with `contextlib.aclosing`.
        """
        operation = operations.ask_stream(question, options)
        async with aclosing(await self._retried(operation, lambda: self._opened(operation))) as response:
            decoder = EventDecoder()
            with explained(response.url):
                async for data in response.aiter_bytes():
                    for event in decoder.feed(data):
                        yield event
            if not decoder.has_ended:
                raise broken_stream(response.url)

    async def ask_batch(self, questions: Sequence[str | AskRequest]) -> list[AskResponse | ProblemError]:
        """Answer up to 100 questions; return a reply or an error for each, in order."""
        return await self._send(operations.ask_batch(questions))

    async def plan(
        self,
        plan: Plan | Mapping[str, Any],
        *,
        max_rows: int = DEFAULT_MAX_ROWS,
        max_evidence: int = DEFAULT_MAX_EVIDENCE,
        graph: str | None = None,
    ) -> PlanResponse:
        """Run a query plan, such as `{"steps": response.plan.steps}`."""
        options = {"max_rows": max_rows, "max_evidence": max_evidence, "graph": graph}
        return await self._send(operations.plan(plan, options))

    async def graphs(self) -> list[ServedGraphDescription]:
        """List the graphs that can be asked, the default one first."""
        return (await self._send(operations.graphs())).graphs

    async def schema(self, graph: str | None = None) -> SchemaResponse:
        """Describe what a graph contains."""
        return await self._send(operations.schema(graph))

    async def neighbours(
        self,
        entity: str | None = None,
        *,
        id: str | None = None,  # noqa: A002 - the name of the field
        relations: Sequence[str] = (),
        max_neighbours: int = DEFAULT_MAX_NEIGHBOURS,
        graph: str | None = None,
    ) -> NeighboursResponse:
        """Return the properties and the neighbours of the entity with a name or an id."""
        which = {"entity": entity, "id": id, "graph": graph}
        fields = {**which, "relations": tuple(relations), "max_neighbours": max_neighbours}
        return await self._send(operations.neighbours(fields))

    async def evidence(self, id: str) -> CitedEvidence:  # noqa: A002 - the name in the path
        """Return the evidence that a chat reply or a tool cites by this id."""
        return await self._send(operations.evidence(id))

    async def feedback(
        self,
        question: str,
        *,
        answers: Sequence[object] | None = None,
        plan: Plan | Mapping[str, Any] | None = None,
        graph: str | None = None,
    ) -> FeedbackResponse:
        """Correct an answer for the next training, by the right answers, or by the plan that finds them."""
        fields = {"question": question, "answers": answers, "plan": plan, "graph": graph}
        return await self._send(operations.feedback(fields))

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _send(self, operation: Operation[_Reply]) -> _Reply:
        async def exchange() -> _Reply:
            async with aclosing(await self._opened(operation)) as response:
                with explained(response.url):
                    return operation.result(await response.aread(), str(response.url))

        return await self._retried(operation, exchange)

    async def _opened(self, operation: Operation[Any]) -> httpx.Response:
        """Send a request once, and return a successful response, whose content is not read yet."""
        request = built(self._http, self._connection, operation)
        with explained(request.url):
            response = await self._http.send(request, stream=True)
            if response.is_success:
                return response
            async with aclosing(response):
                raise failed(response, await response.aread())

    async def _retried(self, operation: Operation[Any], attempt: Callable[[], Awaitable[_Result]]) -> _Result:
        failures = 0
        while True:
            try:
                return await attempt()
            except ClientError as error:
                failures += 1
                delay = self._retries.delay(error, failures, operation.is_repeatable)
                if delay is None:
                    raise
            await asyncio.sleep(delay)
