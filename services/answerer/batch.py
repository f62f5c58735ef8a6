"""Answer several questions at once."""

import asyncio
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from services.answerer.pipeline import Asker
from shared.contracts import AskRequest, AskResponse, Contract, Problem
from shared.errors import KGQAError

MAX_QUESTIONS = 100
# Each question of a batch takes as much of the other services as one that is asked alone.
_MAX_CONCURRENT = 8


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


async def ask_all(asker: Asker, requests: Sequence[AskRequest], request_id: str) -> list[AskResponse | KGQAError]:
    """Answer all questions, a few at a time, and return the reply or the error of each, in order.

    Args:
        asker: Answers single questions.
        requests: The questions and their options.
        request_id: The ID to include in the responses.
    """
    slots = asyncio.Semaphore(_MAX_CONCURRENT)

    async def outcome(request: AskRequest) -> AskResponse | KGQAError:
        async with slots:
            try:
                return await asker.ask(request, request_id)
            except KGQAError as error:
                return error

    # An unexpected error, or a client that goes away, stops all questions.
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(outcome(request)) for request in requests]
    return [task.result() for task in tasks]
