"""Serve chat clients over OpenAI's API, and the evidence that replies cite: routes only."""

from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from contracts.ask import AskResponse, CitedEvidence
from services.answerer.chat.answering import ChatAnswerer, ChatReply
from services.answerer.chat.completions import ChatCompletion, ChunkWriter, completion
from services.answerer.chat.evidence_store import EvidenceStore
from services.answerer.chat.models import model_names
from services.answerer.chat.requests import ChatCompletionRequest
from services.answerer.event_stream import CONTENT, DONE, HEADERS, MEDIA_TYPE, event
from services.answerer.graph_access import GraphAccess
from shared.errors import DependencyError, KGQAError
from shared.llm.openai_api import SERVER_ERROR, Model, ModelList, error_body
from shared.request_context import current_request_id

MAX_CHAT_BODY_BYTES = 1_000_000
CHAT_PATH = "/v1/chat/completions"
_STREAM = {200: {"content": CONTENT, "description": "The reply, or its chunks"}}

_PROBLEM = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}


def chat_router(
    chat: ChatAnswerer,
    graphs: GraphAccess,
    kept: EvidenceStore,
    public_url: str | None,
    observe: Callable[[AskResponse], None],
) -> APIRouter:
    """Return the routes.

    Args:
        chat: Answers conversations.
        graphs: Knows which graphs there are.
        kept: The evidence that replies cite.
        public_url: The URL at which users reach this service; by default, the URL of the request.
        observe: Records the metrics of each answer.
    """
    router = APIRouter()

    @router.get("/v1/models", tags=["chat"], summary="List the graphs that can be asked, as models")
    async def list_models() -> ModelList:
        try:
            served = (await graphs.graphs()).graphs
        except DependencyError:
            served = []  # the default graph can be chosen before its retriever responds
        return ModelList(data=[Model(id=name) for name in model_names(served)])

    @router.post(
        CHAT_PATH,
        tags=["chat"],
        summary="Answer the last message of a conversation",
        operation_id="chat",
        response_model=ChatCompletion,
        responses=_STREAM,  # type: ignore[arg-type]
    )
    async def complete(body: ChatCompletionRequest, request: Request) -> Response:
        base = (public_url or str(request.base_url)).rstrip("/")
        request_id = current_request_id.get()
        reading = await chat.read(body)

        async def answer() -> ChatReply:
            reply = await chat.answer(reading, lambda id_: f"{base}/evidence/{id_}", request_id)
            _each(observe, reply.responses)
            return reply

        id_ = f"chatcmpl-{request_id}"
        if not body.stream:
            return JSONResponse(completion(await answer(), id_, body.model).model_dump())
        chunks = _chunks(answer, ChunkWriter(id_, body.model, body.wants_usage))
        return StreamingResponse(chunks, media_type=MEDIA_TYPE, headers=HEADERS)

    @router.get(
        "/evidence/{id}",
        tags=["chat"],
        summary="Show the evidence that a chat reply cites",
        responses={404: {"content": _PROBLEM, "description": "The evidence is no longer kept"}},
    )
    async def evidence(id: str) -> CitedEvidence:  # noqa: A002 - the name in the path
        return kept.linked(id)

    return router


async def _chunks(answer: Callable[[], Any], writer: ChunkWriter) -> AsyncIterator[bytes]:
    yield event(writer.start())
    try:
        for chunk in writer.reply(await answer()):
            yield event(chunk)
    except KGQAError as error:
        yield event(error_body(error.public_detail, SERVER_ERROR))
    yield DONE


def _each(observe: Callable[[AskResponse], None], responses: Iterable[AskResponse]) -> None:
    for response in responses:
        observe(response)
