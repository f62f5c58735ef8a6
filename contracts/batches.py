"""Define the JSON messages of `POST /ask/batch`."""

from typing import Annotated

from pydantic import Field

from contracts.ask import AskRequest, AskResponse
from contracts.base import Contract
from shared.problem import Problem

MAX_QUESTIONS = 100


class BatchRequest(Contract):
    """Questions to answer, each with its own options."""

    requests: Annotated[list[AskRequest], Field(min_length=1, max_length=MAX_QUESTIONS)]


class BatchItem(Contract):
    """The outcome of one question: either the reply or the problem is null."""

    response: AskResponse | None = None
    problem: Problem | None = None


class BatchResponse(Contract):
    """The outcomes, in the order of the questions."""

    items: list[BatchItem]
