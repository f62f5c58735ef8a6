"""Answer several questions at once."""

import asyncio
from collections.abc import Sequence

from contracts.ask import AskRequest, AskResponse
from services.answerer.pipeline import Asker
from shared.errors import KGQAError

# Each question of a batch takes as much of the other services as one that is asked alone.
_MAX_CONCURRENT = 8


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
