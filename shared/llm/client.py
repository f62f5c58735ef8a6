"""What the project needs of a language model, and the OpenAI-compatible client for it."""

from typing import Protocol


class LanguageModel(Protocol):
    """A chat model (with its adapter, if any) that continues one user message. Safe for concurrent use."""

    @property
    def name(self) -> str:
        """The model name that the server knows; part of cache keys."""
        ...

    async def complete(self, prompt: str, *, max_tokens: int) -> str:
        """Answer `prompt` greedily (temperature 0) with at most `max_tokens` tokens, stripped of outer blanks.

        Raises DependencyError when the server does not answer in time or answers with an error.
        """
        ...

    async def ready(self) -> bool:
        """Whether the server answers and has this model (or adapter) loaded."""
        ...

    async def close(self) -> None:
        """Close connections."""
        ...
