"""Batch the predictions of concurrent requests, so that they share matrix products and store calls."""

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass

from services.retriever.paths.path_predictor import PathPrediction, PathPredictor, PathQuery
from shared.errors import DeadlineExceededError, KGQAError
from shared.request_context import clear_deadline, remaining_time, time_limit

_MAX_BATCH_REQUESTS = 16


@dataclass(frozen=True, slots=True, eq=False)
class _Request:
    """Hold one waiting request; requests are compared by identity, because two may contain the same queries."""

    queries: Sequence[PathQuery]
    beam_width: int
    seconds_left: float
    predictions: "asyncio.Future[list[PathPrediction]]"


class BatchingPredictor:
    """Batch requests that arrive while a predictor is busy; a lone request never waits. Use it on one event loop."""

    def __init__(self, predictor: PathPredictor) -> None:
        self._predictor = predictor
        self._waiting: list[_Request] = []
        self._worker: asyncio.Task[None] | None = None

    async def predict(self, queries: Sequence[PathQuery], beam_width: int) -> list[PathPrediction]:
        """Predict paths as the wrapped predictor does.

        If a batch fails, each of its requests is retried alone, so that one request cannot make another fail. Raises
        DeadlineExceededError if this request's deadline passes; other requests continue.
        """
        predictions: asyncio.Future[list[PathPrediction]] = asyncio.get_running_loop().create_future()
        seconds = remaining_time(math.inf)
        self._waiting.append(_Request(queries, beam_width, seconds, predictions))
        if self._worker is None:
            self._worker = asyncio.create_task(self._drain())
        try:
            async with asyncio.timeout(seconds if seconds < math.inf else None):
                return await predictions
        except TimeoutError as error:
            raise DeadlineExceededError from error

    async def _drain(self) -> None:
        """Predict in batches until no request is waiting; each batch runs under the latest deadline of its requests."""
        clear_deadline()  # the task inherits the deadline of the request that started it
        batch: list[_Request] = []
        try:
            while self._waiting:
                beam_width = self._waiting[0].beam_width
                batch = [request for request in self._waiting if request.beam_width == beam_width][:_MAX_BATCH_REQUESTS]
                self._waiting = [request for request in self._waiting if request not in batch]
                with time_limit(max(request.seconds_left for request in batch)):
                    await self._predict_batch(batch)
        finally:
            self._worker = None
            for request in (*batch, *self._waiting):  # of which there are some only if this task was cancelled
                request.predictions.cancel()
            self._waiting = []

    async def _predict_batch(self, batch: Sequence[_Request]) -> None:
        queries = [query for request in batch for query in request.queries]
        try:
            found = iter(await self._predictor.predict(queries, batch[0].beam_width))
        except KGQAError as error:
            if len(batch) == 1:
                _reply(batch[0], error)
            else:
                for request in batch:
                    await self._predict_batch([request])
        except Exception as error:
            for request in batch:
                _reply(request, error)
        else:
            for request in batch:
                _reply(request, [next(found) for _ in request.queries])


def _reply(request: _Request, reply: list[PathPrediction] | Exception) -> None:
    if request.predictions.done():
        return  # the caller is no longer waiting
    if isinstance(reply, Exception):
        request.predictions.set_exception(reply)
    else:
        request.predictions.set_result(reply)
