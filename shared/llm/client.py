"""What the project needs of a language model, and the OpenAI-compatible client for it."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Protocol

from shared.deadline import left
from shared.errors import DependencyError, InvalidInputError, NoTimeLeftError, OverloadedError, RefusedError
from shared.outbound.circuit_breaker import Breaker
from shared.outbound.connections import ConnectionFailed, Connections, reason
from shared.outbound.urls import checked_url, is_loopback, shown

# As many as a server on one GPU runs side by side without getting slower for each.
_MOST_AT_ONCE = 32
# A wrong key, a name that the server does not know, a prompt that is too long.
_REFUSED = (400, 401, 403, 404, 413, 422)
_COMPLETIONS, _MODELS = "/v1/chat/completions", "/v1/models"


@dataclass(frozen=True, slots=True)
class Usage:
    """What completions took, as the server counts it; 0 tokens where it does not."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )


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


class CountedModel(LanguageModel, Protocol):
    """A model that says what its completions took."""

    @property
    def usage(self) -> Usage:
        """What all completions until now took."""
        ...


class OpenAIClient:
    """A model behind an OpenAI-compatible HTTP API: vLLM, Ollama, llama.cpp, the embedded server, a hosted one.

    `base_url` may end in `/v1` or not. `timeout_s` holds for a whole completion, once it is its turn: at most
    `_MOST_AT_ONCE` run at a time. The key is sent as a bearer token and never shown. Raises InvalidInputError for a
    `base_url` that is no URL, or a key that no header can carry.
    """

    def __init__(self, base_url: str, model: str, api_key: str | None = None, timeout_s: float = 60.0) -> None:
        url = checked_url(base_url.rstrip("/").removesuffix("/v1"), "a language model server")
        self._shown = f"{shown(url)}/v1"
        self._model = model
        self._timeout_s = timeout_s
        self._turn = asyncio.Semaphore(_MOST_AT_ONCE)
        self._usage = Usage()
        key = _checked_key(api_key or "")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        if key:
            url = url.copy_with(userinfo=b"")  # a request has one Authorization
        self._breaker = Breaker(f"the language model server at {self._shown}")
        # A proxy is for hosted models; one that is set for them must not be asked for this machine's own server.
        self._connections = Connections(url, headers, proxies=not is_loopback(url))

    @property
    def name(self) -> str:
        """The model name as the server knows it."""
        return self._model

    @property
    def server(self) -> str:
        """The server's URL, as it may be shown and kept."""
        return self._shown

    @property
    def usage(self) -> Usage:
        """What all completions until now took."""
        return self._usage

    async def complete(self, prompt: str, *, max_tokens: int) -> str:
        """Answer `prompt` greedily with at most `max_tokens` tokens; see `LanguageModel.complete`."""
        body = {
            "model": self._model,
            "messages": [{"role": "user", "content": prompt}],
            "max_tokens": max_tokens,
            "temperature": 0,
        }
        async with self._breaker.call(self._turn):
            reply = await self._asked(lambda s: self._connections.post(_COMPLETIONS, json.dumps(body).encode(), s))
        self._usage += _usage(reply)
        try:
            content = reply["choices"][0]["message"]["content"]
        except (KeyError, IndexError, TypeError) as error:
            raise self._failed("answered without a completion", "is this an OpenAI-compatible API?") from error
        if not isinstance(content, str):
            raise self._failed("answered without text", "is this a chat model?")
        # A token limit may cut an emoji in half, which JSON cannot carry on.
        return content.encode("utf-8", "replace").decode("utf-8").strip()

    async def ready(self) -> bool:
        """Whether the server lists this model."""
        try:
            reply = await self._asked(lambda seconds: self._connections.get(_MODELS, seconds))
            # Ollama lists `name:latest` for what is asked for as `name`.
            return any(model["id"] in (self._model, f"{self._model}:latest") for model in reply["data"])
        except (DependencyError, KeyError, TypeError):
            return False

    async def close(self) -> None:
        """Close connections."""
        await self._connections.close()

    async def _asked(self, request: Callable[[float], Awaitable[tuple[int, bytes]]]) -> Any:
        """The JSON that comes of a request, which is told the seconds that it may take."""
        seconds = left(self._timeout_s)
        try:
            status, content = await request(seconds)
        except TimeoutError as error:
            failed = self._failed("did not answer in time", "is it overloaded, or the timeout too short?")
            raise (NoTimeLeftError(failed.detail) if seconds < self._timeout_s else failed) from error
        except ConnectionFailed as error:
            raise self._failed(
                f"cannot be reached ({reason(error)})", "is it running, and is the URL right?"
            ) from error
        if status != HTTPStatus.OK:
            # Its body may repeat the prompt, which must not reach a log.
            failed = self._failed(f"answered {status}", _advice(status))
            if status == HTTPStatus.TOO_MANY_REQUESTS:
                raise OverloadedError(failed.detail)
            raise RefusedError(failed.detail) if status in _REFUSED else failed
        try:
            return json.loads(content)
        except ValueError as error:
            raise self._failed("answered something that is not JSON", "is the URL that of the API?") from error

    def _failed(self, what: str, advice: str) -> DependencyError:
        return DependencyError(f"the language model server at {self._shown} (model {self._model!r}) {what}: {advice}")


def _usage(reply: Any) -> Usage:
    told = reply.get("usage") if isinstance(reply, dict) else None
    counts = [told.get(name) if isinstance(told, dict) else None for name in ("prompt_tokens", "completion_tokens")]
    prompt, completion = (count if isinstance(count, int) else 0 for count in counts)
    return Usage(1, prompt, completion)


def _checked_key(key: str) -> str:
    """The key without the line end that a mounted secret often has."""
    stripped = key.strip()
    if not (stripped.isascii() and stripped.isprintable()):
        raise InvalidInputError("the language model's API key has characters that keys do not have; set it anew")
    return stripped


def _advice(status: int) -> str:
    match status:
        case 401 | 403:
            return "set the API key that this server wants"
        case 404:
            return "does it serve a model of this name? GET /v1/models lists them"
        case 400 | 413 | 422:
            return "is the prompt longer than the model's context?"
        case 429:
            return "it limits how much it is asked; ask less at once"
        case _:
            return "look at its log"
