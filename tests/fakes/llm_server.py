"""Serve scripted completions as an OpenAI-compatible API."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.fakes.serving import serving

HANGS = None
"""A completion that never comes."""


class ScriptedServer:
    """Reply to completions with a script, in order; `prompts` records the prompts, and `keys` the authorizations."""

    def __init__(self, script: Sequence[str | None]) -> None:
        self.prompts: list[str] = []
        self.keys: list[str] = []
        self._script = script
        self._end = asyncio.Event()

    @asynccontextmanager
    async def url(self) -> AsyncIterator[str]:
        """Serve on a free port, and yield the URL."""
        app = Starlette(routes=[Route("/v1/chat/completions", self._complete, methods=["POST"])])
        async with serving(app) as url:
            try:
                yield url
            finally:
                self._end.set()

    async def _complete(self, request: Request) -> Response:
        self.prompts.append(json.loads(await request.body())["messages"][0]["content"])
        self.keys.append(request.headers.get("authorization", ""))
        number = len(self.prompts) - 1
        if number >= len(self._script):
            return JSONResponse({"error": {"message": f"the script has no completion {number + 1}"}}, 400)
        text = self._script[number]
        if text is HANGS:
            await self._end.wait()
        return JSONResponse({"choices": [{"message": {"role": "assistant", "content": text}}]})
