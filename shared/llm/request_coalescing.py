"""Coalesce identical in-flight prompts, and limit the number of prompts in flight."""

import asyncio
import math
from collections import Counter

from shared.errors import DependencyError
from shared.llm.client import LanguageModel
from shared.llm.drafts import Broadcast, Listener, current_listener, heard_by
from shared.llm.metering import metered, record_usage
from shared.llm.server_dialect import Asked
from shared.llm.usage import Usage
from shared.request_context import clear_deadline, remaining_time
from shared.tracing.tracer import traced


class CoalescingModel:
    """Send identical in-flight prompts to a model once, and reject prompts beyond `max_in_flight` distinct ones.

    Completions are greedy, so identical prompts have the same completion. A call is cancelled as soon as no request
    waits for it. If the request that starts a call listens to its drafts, others can, too.
    """

    def __init__(self, model: LanguageModel, max_in_flight: int) -> None:
        self.name = model.name
        self._model = model
        self._max_in_flight = max_in_flight
        self._calls: dict[Asked, asyncio.Task[tuple[str, Usage]]] = {}
        self._drafts: dict[Asked, Broadcast] = {}
        self._waiting: Counter[Asked] = Counter()

    async def complete(self, prompt: str, *, max_tokens: int, grammar: str | None = None) -> str:
        """Complete a prompt; raise DependencyError if too many are in flight, or if the model fails or is too slow."""
        with traced("language model", "client") as span:
            text, usage = await self._shared_completion(Asked(prompt, max_tokens, grammar))
            span.set(model=self.name, prompt_tokens=usage.prompt_tokens, completion_tokens=usage.completion_tokens)
            span.set_contents(prompt=prompt, completion=text)
        record_usage(usage)
        return text

    async def _shared_completion(self, key: Asked) -> tuple[str, Usage]:
        call = self._calls.get(key)
        if call is None:
            if len(self._calls) >= self._max_in_flight:
                full = (
                    f"{self._max_in_flight} prompts are already waiting for the language model {self.name!r}; "
                    "send fewer requests at a time"
                )
                raise DependencyError(full, full)
            drafts = self._drafts[key] = Broadcast()
            publish = drafts.publish if current_listener() else None
            call = self._calls[key] = asyncio.create_task(self._complete(key, publish))
        self._waiting[key] += 1
        try:
            # The request that started the call may be cancelled while others wait for it.
            with self._drafts[key].heard_by(current_listener()):
                async with asyncio.timeout(remaining_time(math.inf)):
                    return await asyncio.shield(call)
        except TimeoutError as error:
            late = (
                f"the language model {self.name!r} did not respond in time; allow more time, or choose a faster model"
            )
            raise DependencyError(late, late) from error
        finally:
            self._waiting[key] -= 1
            if not self._waiting[key]:
                del self._calls[key], self._drafts[key], self._waiting[key]
                call.cancel()

    async def _complete(self, asked: Asked, publish: Listener | None) -> tuple[str, Usage]:
        clear_deadline()  # other requests may have a later deadline
        with metered() as meter, heard_by(publish):  # each request that waits counts the whole completion
            text = await self._model.complete(asked.prompt, max_tokens=asked.max_tokens, grammar=asked.grammar)
        return text, meter.usage

    async def ready(self) -> bool:
        """Return whether the model is ready."""
        return await self._model.ready()

    async def close(self) -> None:
        """Close the model's connections."""
        await self._model.close()
