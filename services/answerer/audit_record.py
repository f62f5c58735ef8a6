"""Describe an answered question for the audit log."""

from datetime import UTC, datetime
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict

from contracts.answers import answer_names
from contracts.ask import AskRequest, AskResponse
from contracts.base import Strategy


class AuditRecord(BaseModel):
    """One line of the audit log. Programs that read it must ignore fields that they do not know.

    Attributes:
        time: When the question was answered, in UTC.
        caller: The name of the API key; null if the service needs none.
        graph: The graph that was asked; null for the default graph of a deployment.
        graph_version: Changes with the content of the graph.
        qa_model: The name of the QA model on its server.
        strategy: The strategy that answered; `request` has the one that the caller chose.
        request: The question and its options, as `POST /ask` takes them.
        answer: The sentence in the reply.
        answers: The answer set, as text.
        plan: The plan that produced the answers, on one line; null if there are none.
        path: The most probable relation path; empty if the plan is not a path.
    """

    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)

    time: AwareDatetime
    request_id: str
    caller: str | None = None
    graph: str | None = None
    graph_version: str = ""
    qa_model: str = ""
    strategy: Strategy
    request: AskRequest
    answer: str
    answers: list[str]
    rows: list[list[Any]] = []
    confidence: float
    abstained: bool
    degraded: list[str]
    plan: str | None = None
    path: list[str] = []

    def line(self) -> bytes:
        """Return the record as a line of JSON."""
        return self.model_dump_json().encode() + b"\n"


def utc_now() -> datetime:
    """Return the current time in UTC, in whole milliseconds."""
    now = datetime.now(UTC)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)


def audit_record(
    request: AskRequest,
    response: AskResponse,
    *,
    time: datetime,
    caller: str | None,
    graph: str | None,
    graph_version: str,
    qa_model: str,
) -> AuditRecord:
    """Return the record of one reply; see `AuditRecord` for what the arguments mean."""
    best = response.relation_paths[0].relations if response.relation_paths and response.answers else []
    return AuditRecord(
        time=time,
        request_id=response.request_id,
        caller=caller,
        graph=graph,
        graph_version=graph_version,
        qa_model=qa_model,
        strategy=response.strategy,
        request=request,
        answer=response.answer,
        answers=answer_names(response.answers),
        rows=response.rows,
        confidence=response.confidence,
        abstained=response.abstained,
        degraded=response.degraded,
        plan=response.plan.text if response.plan else None,
        path=best,
    )
