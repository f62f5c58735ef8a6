"""A language model in front of which no pile grows: equal prompts share a call, and only so many may wait."""

import asyncio
import math
from dataclasses import dataclass

from shared.deadline import forgotten, left
from shared.errors import DependencyError
from shared.llm.client import LanguageModel


@dataclass(slots=True)
class _Call:
    """A call in flight, and how many wait for it."""

    task: "asyncio.Task[str]"
    waiting: int = 0


class SharedModel:
    """A `LanguageModel` over another one: identical prompts in flight are one call, `most` at a time are taken.

    A call that nobody waits for any more is given up.

    Which of those run side by side and which wait their turn is the client's and the server's concern. Completions are
    greedy, so that equal prompts have equal answers, but for what a server makes of its rounding errors.
    """

    def __init__(self, model: LanguageModel, most: int) -> None:
        self._model = model
        self._most = most
        self._in_flight: dict[tuple[str, int], _Call] = {}

    @property
    def name(self) -> str:
        """The model name as the server knows it."""
        return self._model.name

    async def complete(self, prompt: str, *, max_tokens: int) -> str:
        """See `LanguageModel.complete`; raises DependencyError at once where too many prompts are in flight."""
        key = (prompt, max_tokens)
        call = self._in_flight.get(key)
        if call is None:
            if len(self._in_flight) >= self._most:
                raise DependencyError(
                    f"{self._most} prompts wait for the language model {self.name!r} already; ask less at once"
                )
            call = _Call(asyncio.create_task(self._for_all(prompt, max_tokens)))
            self._in_flight[key] = call
        call.waiting += 1
        try:
            # Whoever asked first may go away; the others still wait for the same call.
            async with asyncio.timeout(left(math.inf)):
                return await asyncio.shield(call.task)
        except TimeoutError as error:
            raise DependencyError(f"the language model {self.name!r} did not answer in the time left") from error
        finally:
            call.waiting -= 1
            if not call.waiting:
                del self._in_flight[key]
                call.task.cancel()

    async def _for_all(self, prompt: str, max_tokens: int) -> str:
        """Nobody's deadline holds: others may wait for longer."""
        forgotten()
        return await self._model.complete(prompt, max_tokens=max_tokens)

    async def ready(self) -> bool:
        """Whether the model is ready."""
        return await self._model.ready()

    async def close(self) -> None:
        """Close the model's connections."""
        await self._model.close()
