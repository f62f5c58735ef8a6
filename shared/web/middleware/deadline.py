"""Set the time and the deadline of each request, and cancel the request if its client disconnects."""

import asyncio

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shared.errors import InvalidInputError
from shared.request_context import DEADLINE_HEADER, parse_deadline_header, request_time_of, time_limit
from shared.web.problems import problem_response


class DeadlineMiddleware:
    """Limit the duration of a POST request to `seconds`, or to the header `X-Timeout-Ms` if it sets a shorter time.

    The request is cancelled if its client disconnects. `BodyLimitMiddleware` must come first, because the first message
    is expected to be the whole body.
    """

    def __init__(self, app: ASGIApp, seconds: float) -> None:
        self._app = app
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        try:
            allowed = parse_deadline_header(Headers(scope=scope).get(DEADLINE_HEADER))
        except InvalidInputError as error:
            await problem_response(Request(scope), error)(scope, receive, send)
            return
        with request_time_of(), time_limit(self._seconds), time_limit(allowed):
            await _cancel_on_disconnect(self._app, scope, receive, send)


async def _cancel_on_disconnect(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    messages = [await receive()]
    is_answered = False

    async def receive_body() -> Message:
        return messages.pop() if messages else await asyncio.shield(disconnect)

    async def note_end(message: Message) -> None:
        nonlocal is_answered
        is_answered = message["type"] == "http.response.body" and not message.get("more_body", False)
        await send(message)

    async def answer() -> None:
        await app(scope, receive_body, note_end)

    async def wait_for_disconnect() -> Message:
        while (message := await receive())["type"] != "http.disconnect":
            pass
        if not is_answered:
            answering.cancel()
        return message

    answering = asyncio.create_task(answer())
    disconnect = asyncio.create_task(wait_for_disconnect())
    try:
        await answering
    except asyncio.CancelledError:
        answering.cancel()
        if not answering.cancelled() or (task := asyncio.current_task()) is None or task.cancelling():
            raise  # the server cancelled the request, not the client
    finally:
        disconnect.cancel()
