"""Build the requests of all methods, and read their replies, without sending anything."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypedDict, TypeVar
from urllib.parse import quote

from pydantic import BaseModel, ValidationError

from contracts.ask import AskRequest, AskResponse, CitedEvidence
from contracts.base import Strategy
from contracts.batches import BatchRequest, BatchResponse
from contracts.feedback import FeedbackRequest, FeedbackResponse
from contracts.graphs import GraphsResponse, NeighboursRequest, NeighboursResponse, SchemaResponse
from contracts.plans import PlanRequest, PlanResponse
from contracts.rewrite import KnowledgeFormat
from graph.plan.algebra import Plan
from kgqa.client.errors import ProblemError, UnexpectedReplyError, problem_error, rejected
from shared import __version__
from shared.errors import KGQAError
from shared.outbound.urls import LOOPBACK, parse_http_url
from shared.request_context import DEADLINE_HEADER

DEFAULT_URL = "http://127.0.0.1:8000"
DEFAULT_TIMEOUT_S = 300.0
_URL_VARIABLE, _KEY_VARIABLE = "KGQA_URL", "KGQA_API_KEY"

_Reply = TypeVar("_Reply")
_Model = TypeVar("_Model", bound=BaseModel)


class AskOptions(TypedDict, total=False):
    """Type the optional fields of a question; `contracts.ask.AskRequest` describes them."""

    topic_entity: str
    means: dict[str, str]
    among: Sequence[str]
    format: KnowledgeFormat
    beam: int
    max_paths: int
    max_evidence: int
    min_confidence: float
    cost_of_wrong: float
    explain: bool
    strategy: Strategy
    graph: str


@dataclass(frozen=True, slots=True)
class Connection:
    """Hold the address of the answerer, and what each request tells it.

    `timeout_s` limits a request, without retries.
    """

    base_url: str
    headers: Mapping[str, str]
    timeout_s: float
    is_local: bool

    @classmethod
    def to(cls, base_url: str | None, api_key: str | None, timeout_s: float) -> "Connection":
        """Fill in the defaults, from the environment; raise ValueError if the URL is malformed."""
        try:
            url = parse_http_url(base_url or os.environ.get(_URL_VARIABLE) or DEFAULT_URL, "an answerer")
        except KGQAError as error:
            raise ValueError(error.detail) from None
        key = api_key or os.environ.get(_KEY_VARIABLE)
        headers = {"User-Agent": f"kgqa/{__version__}", DEADLINE_HEADER: str(int(timeout_s * 1000))}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        return cls(str(url).rstrip("/"), headers, timeout_s, url.host in LOOPBACK)


@dataclass(frozen=True, slots=True)
class Operation(Generic[_Reply]):
    """Hold a request, and how to read its reply; `is_repeatable` is false if the service must not handle it twice."""

    method: str
    path: str
    content: bytes | None
    read: Callable[[bytes], _Reply]
    is_repeatable: bool = True

    def result(self, content: bytes, url: str) -> _Reply:
        """Return what a successful reply says; raise UnexpectedReplyError if it is not one of kgqa's."""
        try:
            return self.read(content)
        except ValidationError as error:
            raise UnexpectedReplyError(
                f"{url} returned a reply that this client cannot read; do the client and the service run the same "
                "version?"
            ) from error


def ask(question: str, options: AskOptions) -> Operation[AskResponse]:
    """Ask one question."""
    return _post("/ask", _valid(AskRequest, {"question": question, **options}), AskResponse)


def ask_stream(question: str, options: AskOptions) -> Operation[AskResponse]:
    """Ask one question, whose reply comes as events."""
    return _post("/ask/stream", _valid(AskRequest, {"question": question, **options}), AskResponse)


def ask_batch(questions: Sequence[str | AskRequest]) -> Operation[list[AskResponse | ProblemError]]:
    """Ask several questions."""
    requests = [one if isinstance(one, AskRequest) else {"question": one} for one in questions]
    body = _valid(BatchRequest, {"requests": requests})
    return Operation("POST", "/ask/batch", _json(body), _outcomes)


def plan(query: Plan | Mapping[str, Any], options: Mapping[str, Any]) -> Operation[PlanResponse]:
    """Run a query plan."""
    return _post("/plan", _valid(PlanRequest, {"plan": query, **_given(options)}), PlanResponse)


def schema(graph: str | None = None) -> Operation[SchemaResponse]:
    """Describe a graph."""
    query = f"?graph={quote(graph, safe='')}" if graph is not None else ""
    return Operation("GET", f"/schema{query}", None, _reader(SchemaResponse))


def graphs() -> Operation[GraphsResponse]:
    """List the graphs."""
    return Operation("GET", "/graphs", None, _reader(GraphsResponse))


def neighbours(fields: Mapping[str, Any]) -> Operation[NeighboursResponse]:
    """Look around an entity."""
    return _post("/neighbours", _valid(NeighboursRequest, _given(fields)), NeighboursResponse)


def evidence(id_: str) -> Operation[CitedEvidence]:
    """Read cited evidence."""
    return Operation("GET", f"/evidence/{quote(id_, safe='')}", None, _reader(CitedEvidence))


def feedback(fields: Mapping[str, Any]) -> Operation[FeedbackResponse]:
    """Correct an answer; a repetition would be kept twice."""
    body = _valid(FeedbackRequest, _given(fields))
    return Operation("POST", "/feedback", _json(body), _reader(FeedbackResponse), is_repeatable=False)


def _given(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _post(path: str, body: BaseModel, reply: type[_Model]) -> Operation[_Model]:
    return Operation("POST", path, _json(body), _reader(reply))


def _json(body: BaseModel) -> bytes:
    # Older services refuse fields that they do not know, so what has its default value is left out.
    return body.model_dump_json(exclude_unset=True).encode()


def _reader(model: type[_Model]) -> Callable[[bytes], _Model]:
    # Newer services may add fields.
    return lambda content: model.model_validate_json(content, extra="ignore")


def _valid(model: type[_Model], fields: Mapping[str, Any]) -> _Model:
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        raise rejected(error) from None


def _outcomes(content: bytes) -> list[AskResponse | ProblemError]:
    outcomes: list[AskResponse | ProblemError] = []
    for item in _reader(BatchResponse)(content).items:
        if item.response is not None:
            outcomes.append(item.response)
        elif item.problem is not None:
            outcomes.append(problem_error(item.problem))
    return outcomes
