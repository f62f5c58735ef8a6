"""Provide a service whose requests wait until a test releases them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from pydantic import BaseModel

from shared.request_context import remaining_time
from shared.settings import ServiceSettings
from shared.web.health import ServiceMetrics
from shared.web.service import create_service


class Seconds(BaseModel):
    """Define the request and response body of both routes."""

    seconds: float


BODY = {"seconds": 1.0}


class SlowService:
    """Serve POST /wait, which waits for `gate`, and POST /remaining, which returns the time until the deadline."""

    def __init__(self, settings: ServiceSettings | None = None) -> None:
        self.gate = asyncio.Event()
        self.active = 0
        self.cancelled = 0
        self.metrics = ServiceMetrics()

        @asynccontextmanager
        async def lifespan(_: FastAPI) -> AsyncIterator[None]:
            yield

        self.app = create_service("slow", "slow", settings or ServiceSettings(), self.metrics, {}, lifespan)

        @self.app.post("/wait")
        async def wait(request: Seconds) -> Seconds:
            self.active += 1
            try:
                await self.gate.wait()
            except asyncio.CancelledError:
                self.cancelled += 1
                raise
            finally:
                self.active -= 1
            return request

        @self.app.post("/remaining")
        async def remaining(request: Seconds) -> Seconds:
            return Seconds(seconds=remaining_time(request.seconds))
