"""Call the answerer, and wait for its replies."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
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


class Client:
    """Ask questions, and read the graph, over HTTP. Safe for use from several threads.

    Args:
        base_url: The answerer's URL; by default KGQA_URL, or `http://127.0.0.1:8000`.
        api_key: The key to send; by default KGQA_API_KEY, or none.
        timeout_s: How long one attempt may take, in seconds. The service stops working on it then.
        retries: When to try again.
        transport: Replaces the network; for tests, and for proxies and certificates of your own.

    Raises:
        ClientError: From any method; see `kgqa.client.errors`.
        ValueError: If the URL is malformed.

    Example:
        >>> with Client() as client:
        ...     client.ask("What is the capital of France?").answer
        'Paris'
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        retries: Retries | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._connection = Connection.to(base_url, api_key, timeout_s)
        self._retries = retries or Retries()
        self._http = httpx.Client(
            headers=dict(self._connection.headers),
            timeout=timeout_s + GRACE_S,
            transport=transport,
            trust_env=not self._connection.is_local,  # a proxy cannot reach this machine
        )

    def ask(self, question: str, **options: Unpack[AskOptions]) -> AskResponse:
        """Answer a question, with evidence and confidence."""
        return self._send(operations.ask(question, options))

    def ask_stream(self, question: str, **options: Unpack[AskOptions]) -> Iterator[AskEvent]:
        """Answer a question, and yield each step as it is known; the last one is a `ResultEvent`.

        To stop early, close the iterator, for example with `contextlib.closing`.
        """
        operation = operations.ask_stream(question, options)
        with closing(self._retried(operation, lambda: self._opened(operation))) as response:
            decoder = EventDecoder()
            with explained(response.url):
                for data in response.iter_bytes():
                    yield from decoder.feed(data)
            if not decoder.has_ended:
                raise broken_stream(response.url)

    def ask_batch(self, questions: Sequence[str | AskRequest]) -> list[AskResponse | ProblemError]:
        """Answer up to 100 questions; return a reply or an error for each, in order."""
        return self._send(operations.ask_batch(questions))

    def plan(
        self,
        plan: Plan | Mapping[str, Any],
        *,
        max_rows: int = DEFAULT_MAX_ROWS,
        max_evidence: int = DEFAULT_MAX_EVIDENCE,
        graph: str | None = None,
    ) -> PlanResponse:
        """Run a query plan, such as `{"steps": response.plan.steps}`."""
        options = {"max_rows": max_rows, "max_evidence": max_evidence, "graph": graph}
        return self._send(operations.plan(plan, options))

    def graphs(self) -> list[ServedGraphDescription]:
        """List the graphs that can be asked, the default one first."""
        return (self._send(operations.graphs())).graphs

    def schema(self, graph: str | None = None) -> SchemaResponse:
        """Describe what a graph contains."""
        return self._send(operations.schema(graph))

    def neighbours(
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
        return self._send(operations.neighbours(fields))

    def evidence(self, id: str) -> CitedEvidence:  # noqa: A002 - the name in the path
        """Return the evidence that a chat reply or a tool cites by this id."""
        return self._send(operations.evidence(id))

    def feedback(
        self,
        question: str,
        *,
        answers: Sequence[object] | None = None,
        plan: Plan | Mapping[str, Any] | None = None,
        graph: str | None = None,
    ) -> FeedbackResponse:
        """Correct an answer for the next training, by the right answers, or by the plan that finds them."""
        fields = {"question": question, "answers": answers, "plan": plan, "graph": graph}
        return self._send(operations.feedback(fields))

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _send(self, operation: Operation[_Reply]) -> _Reply:
        def exchange() -> _Reply:
            with closing(self._opened(operation)) as response, explained(response.url):
                return operation.result(response.read(), str(response.url))

        return self._retried(operation, exchange)

    def _opened(self, operation: Operation[Any]) -> httpx.Response:
        """Send a request once, and return a successful response, whose content is not read yet."""
        request = built(self._http, self._connection, operation)
        with explained(request.url):
            response = self._http.send(request, stream=True)
            if response.is_success:
                return response
            with closing(response):
                raise failed(response, response.read())

    def _retried(self, operation: Operation[Any], attempt: Callable[[], _Result]) -> _Result:
        failures = 0
        while True:
            try:
                return attempt()
            except ClientError as error:
                failures += 1
                delay = self._retries.delay(error, failures, operation.is_repeatable)
                if delay is None:
                    raise
            time.sleep(delay)
