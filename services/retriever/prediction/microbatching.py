"""Questions that come at the same time are read together: one round of small products and store calls for all."""

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass

from services.retriever.prediction.path_predictor import Asked, PathPredictor, Reading
from shared.errors import DeadlineExceededError, KGQAError
from shared.request_context import clear_deadline, remaining_time, time_limit

_MOST_REQUESTS = 16


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    """One request; told apart from others by identity, not by the questions that it holds."""

    asked: Sequence[Asked]
    width: int
    seconds: float
    readings: "asyncio.Future[list[Reading]]"


class ReadTogether:
    """A `PathPredictor` that passes on what has gathered while it was busy; a lone request never waits.

    For one event loop.
    """

    def __init__(self, predictor: PathPredictor) -> None:
        self._predictor = predictor
        self._waiting: list[_Waiting] = []
        self._reader: asyncio.Task[None] | None = None

    async def read(self, asked: Sequence[Asked], width: int) -> list[Reading]:
        """As the predictor reads it. What fails together is read again alone, so that no request fails another's.

        Raises DeadlineExceededError when the request's own time is over; others' go on.
        """
        readings: asyncio.Future[list[Reading]] = asyncio.get_running_loop().create_future()
        seconds = remaining_time(math.inf)
        self._waiting.append(_Waiting(asked, width, seconds, readings))
        if self._reader is None:
            self._reader = asyncio.create_task(self._read_all())
        try:
            async with asyncio.timeout(seconds if seconds < math.inf else None):
                return await readings
        except TimeoutError as error:
            raise DeadlineExceededError from error

    async def _read_all(self) -> None:
        """Whoever began it, with the time of those whose questions are read."""
        clear_deadline()
        try:
            while self._waiting:
                width = self._waiting[0].width
                together = [one for one in self._waiting if one.width == width][:_MOST_REQUESTS]
                self._waiting = [one for one in self._waiting if one not in together]
                with time_limit(max(one.seconds for one in together)):
                    await self._read(together)
        finally:
            self._reader = None

    async def _read(self, together: Sequence[_Waiting]) -> None:
        try:
            found = await self._predictor.read([asked for one in together for asked in one.asked], together[0].width)
        except KGQAError as error:
            if len(together) > 1:
                for one in together:
                    await self._read([one])
            else:
                _answer(together[0], error)
            return
        except Exception as error:
            for one in together:
                _answer(one, error)
            return
        left = iter(found)
        for one in together:
            _answer(one, [next(left) for _ in one.asked])


def _answer(one: _Waiting, answer: list[Reading] | Exception) -> None:
    """Unless who asked has gone away."""
    if one.readings.done():
        return
    if isinstance(answer, Exception):
        one.readings.set_exception(answer)
    else:
        one.readings.set_result(answer)
