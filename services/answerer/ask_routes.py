"""Serve questions over HTTP, one by one, step by step, or several at once: routes only."""

from collections.abc import AsyncIterator, Callable
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse

from contracts.ask import AskRequest, AskResponse
from contracts.batches import BatchItem, BatchRequest, BatchResponse
from services.answerer.ask_stream import AskStream
from services.answerer.batch import ask_all
from services.answerer.event_stream import CONTENT, HEADERS, MEDIA_TYPE, event
from services.answerer.pipeline import Asker
from shared.errors import KGQAError
from shared.problem import Problem
from shared.request_context import current_request_id
from shared.web.openapi import link_to_topic
from shared.web.problems import problem_response

BATCH_PATH = "/ask/batch"
MAX_BATCH_BODY_BYTES = 1_000_000
_EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "content": CONTENT,
        "description": "Events `topic`, `plan`, `answers`, `evidence`, `text`, `discard`, and `result` or `error`",
    }
}


def ask_router(asker: Asker, observe: Callable[[AskResponse], None]) -> APIRouter:
    """Return the routes; `observe` records the metrics of each answer."""
    router = APIRouter(tags=["ask"])

    @router.post("/ask", summary="Answer a question from the graph", operation_id="ask", responses=link_to_topic("ask"))
    async def ask(request: AskRequest) -> AskResponse:
        response = await asker.ask(request, current_request_id.get())
        observe(response)
        return response

    @router.post(
        "/ask/stream",
        summary="Answer a question, and send each step as an event",
        operation_id="ask_stream",
        response_class=StreamingResponse,
        responses=_EVENTS,
    )
    async def ask_stream(body: AskRequest, request: Request) -> StreamingResponse:
        # Errors of this step still have a status of their own.
        stream = AskStream(asker, await asker.find(body), current_request_id.get(), observe)
        return StreamingResponse(_sent(stream, request), media_type=MEDIA_TYPE, headers=HEADERS)

    @router.post(
        BATCH_PATH, summary="Answer up to 100 questions; each has its own reply or problem", operation_id="ask_batch"
    )
    async def ask_batch(body: BatchRequest, request: Request) -> BatchResponse:
        items = []
        for outcome in await ask_all(asker, body.requests, current_request_id.get()):
            if isinstance(outcome, AskResponse):
                observe(outcome)
                items.append(BatchItem(response=outcome))
            else:
                items.append(BatchItem(problem=_problem(request, outcome)))
        return BatchResponse(items=items)

    return router


async def _sent(stream: AskStream, request: Request) -> AsyncIterator[bytes]:
    try:
        async for step in stream.events():
            yield event(step.data, step.name)
    except KGQAError as error:
        yield event(_problem(request, error).model_dump(), "error")


def _problem(request: Request, error: KGQAError) -> Problem:
    """Return the problem that `POST /ask` would respond with."""
    return Problem.model_validate_json(bytes(problem_response(request, error).body))
