"""Provide language models that return what a test specifies, or fail."""

import asyncio
from collections.abc import Callable, Sequence

from shared.errors import DependencyError
from shared.llm.drafts import current_listener
from shared.llm.metering import record_usage
from shared.llm.usage import Usage


class ScriptedModel:
    """Implement `LanguageModel` with scripted completions, or with a function of the prompt.

    `prompts`, `max_tokens`, and `grammars` record the calls, and `usage` counts words as tokens. Completions wait for
    `gate`.
    """

    def __init__(
        self,
        script: Sequence[str] | Callable[[str], str],
        name: str = "scripted",
        gate: asyncio.Event | None = None,
    ) -> None:
        self.name = name
        self.prompts: list[str] = []
        self.max_tokens: list[int] = []
        self.grammars: list[str | None] = []
        self.usage = Usage()
        self._script = script
        self._gate = gate

    async def complete(self, prompt: str, *, max_tokens: int, grammar: str | None = None) -> str:
        """Return the next completion of the script."""
        self.prompts.append(prompt)
        self.max_tokens.append(max_tokens)
        self.grammars.append(grammar)
        usage = Usage(calls=1, prompt_tokens=len(prompt.split()))
        self.usage += usage
        record_usage(usage)
        number = len(self.prompts) - 1
        if self._gate:
            await self._gate.wait()
        if callable(self._script):
            return self._script(prompt)
        assert number < len(self._script), f"asked {number + 1} times, scripted for {len(self._script)}"
        return self._script[number]

    async def ready(self) -> bool:
        """Return True."""
        return True

    async def close(self) -> None:
        """Do nothing."""


class FailingModel:
    """Simulate a `LanguageModel` whose server is down; `calls` counts the attempts."""

    name = "failing"

    def __init__(self) -> None:
        self.calls = 0

    async def complete(self, prompt: str, *, max_tokens: int, grammar: str | None = None) -> str:
        """Raise DependencyError."""
        self.calls += 1
        raise DependencyError("the language model server is gone: start it again")

    async def ready(self) -> bool:
        """Return False."""
        return False

    async def close(self) -> None:
        """Do nothing."""


class DraftingModel:
    """Simulate a `LanguageModel` that writes piece by piece, and waits for `gate` before it ends.

    `calls` counts the calls, and `stopped` those that were cancelled.
    """

    name = "drafting"

    def __init__(self, drafts: Sequence[str], gate: asyncio.Event | None = None) -> None:
        self.calls = 0
        self.stopped = 0
        self._drafts = drafts
        self._gate = gate

    async def complete(self, prompt: str, *, max_tokens: int, grammar: str | None = None) -> str:
        """Return the last draft, after the listener has heard all of them."""
        self.calls += 1
        try:
            for draft in self._drafts:
                if listener := current_listener():
                    listener(draft)
                await asyncio.sleep(0)  # let the listener read the draft
            if self._gate:
                await self._gate.wait()
        except asyncio.CancelledError:
            self.stopped += 1
            raise
        return self._drafts[-1]

    async def ready(self) -> bool:
        """Return True."""
        return True

    async def close(self) -> None:
        """Do nothing."""
