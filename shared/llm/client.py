"""Define the language model interface, and a client for OpenAI-compatible servers."""

import asyncio
import json
import operator
from dataclasses import astuple, dataclass
from http import HTTPStatus
from typing import Annotated, Any, Protocol

from pydantic import Field, SecretStr

from shared.errors import DependencyError, InvalidInputError, OverloadedError, RefusedError
from shared.outbound.circuit_breaker import CircuitBreaker
from shared.outbound.http import HttpClient
from shared.outbound.urls import LOOPBACK, HttpUrl, parse_http_url
from shared.settings import Seconds, ServiceSettings

# One GPU can serve this many completions concurrently without slowing any of them down.
_MAX_CONCURRENT = 32

_ADVICE = {
    **dict.fromkeys((400, 413, 422), "is the prompt longer than the model's context?"),
    **dict.fromkeys((401, 403), "set the API key that this server expects"),
    404: "does it serve a model with this name? GET /v1/models lists the models",
    429: "the server limits its load; send fewer requests at a time",
}


@dataclass(frozen=True, slots=True)
class Usage:
    """Count calls, and tokens as reported by the server; token counts are 0 if the server does not report them."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(*map(operator.add, astuple(self), astuple(other)))


class LanguageModel(Protocol):
    """Complete prompts with a chat model, or with one of its adapters. Safe for concurrent use."""

    @property
    def name(self) -> str:
        """Return the model's name on the server; cache keys contain it."""

    async def complete(self, prompt: str, *, max_tokens: int) -> str:
        """Complete a prompt greedily (temperature 0).

        Args:
            prompt: Content of one user message.
            max_tokens: Maximum number of tokens to generate.

        Returns:
            The completion, without surrounding whitespace.

        Raises:
            DependencyError: If the server returns an error, or does not respond in time.

        Example:
            >>> await model.complete("What is the capital of France?", max_tokens=16)
            'Paris'
        """

    async def ready(self) -> bool:
        """Return whether the server responds and has loaded this model or adapter."""

    async def close(self) -> None:
        """Close the connections."""


class CountedModel(LanguageModel, Protocol):
    """Complete prompts, and count calls and tokens."""

    @property
    def usage(self) -> Usage:
        """Return the usage of all completions so far."""


class OpenAIClient:
    """Complete prompts with an OpenAI-compatible API: vLLM, Ollama, llama.cpp, the embedded server, or a hosted one.

    `base_url` may end with `/v1`. `timeout_s` limits each completion, not counting the wait for one of the
    `_MAX_CONCURRENT` slots. Raises InvalidInputError if the URL is malformed, or if the API key contains characters
    that a header cannot carry.
    """

    def __init__(self, base_url: str, model: str, api_key: str | None = None, timeout_s: float = 60.0) -> None:
        url = parse_http_url(base_url.rstrip("/").removesuffix("/v1"), "a language model server")
        headers = {}
        key = (api_key or "").strip()  # a mounted secret often ends with a newline
        if not (key.isascii() and key.isprintable()):
            raise InvalidInputError("the API key of the language model contains invalid characters; correct the key")
        if key:
            headers["Authorization"] = f"Bearer {key}"
            url = url.with_user(None)  # a request can have only one Authorization header
        self.name = model
        self.usage = Usage()
        self._slots = asyncio.Semaphore(_MAX_CONCURRENT)
        name = f"the language model server (model {model!r})"
        # Proxies are meant for hosted models, and must not see requests to this machine.
        self._http = HttpClient(name, f"{url}/v1", timeout_s, headers, use_proxies=url.host not in LOOPBACK)
        self.server = self._http.location
        self._breaker = CircuitBreaker(f"the language model server at {self.server}")

    async def complete(self, prompt: str, *, max_tokens: int) -> str:
        """Complete a prompt greedily; see `LanguageModel.complete`."""
        body = {
            "model": self.name,
            "messages": [{"role": "user", "content": prompt}],
            "max_tokens": max_tokens,
            "temperature": 0,
        }
        async with self._breaker.call(self._slots):
            reply = await self._request("/chat/completions", json.dumps(body).encode())
        self.usage += _parse_usage(reply)
        try:
            content = reply["choices"][0]["message"]["content"]
        except (KeyError, IndexError, TypeError) as error:
            raise self._http.error("returned no completion; is this an OpenAI-compatible API?") from error
        if not isinstance(content, str):
            raise self._http.error("returned a completion without text; is this a chat model?")
        # The token limit may split an emoji; JSON cannot carry the lone surrogate that is left.
        return content.encode("utf-8", "replace").decode("utf-8").strip()

    async def ready(self) -> bool:
        """Return whether the server lists this model."""
        try:
            reply = await self._request("/models")
            # Ollama lists `name` as `name:latest`.
            return any(model["id"] in (self.name, f"{self.name}:latest") for model in reply["data"])
        except (DependencyError, KeyError, TypeError):
            return False

    async def close(self) -> None:
        """Close the connections."""
        await self._http.close()

    async def _request(self, route: str, body: bytes | None = None) -> Any:
        status, content = await self._http.request(route, body)
        if status != HTTPStatus.OK:
            refused = RefusedError if status in _ADVICE else DependencyError
            error_type = OverloadedError if status == HTTPStatus.TOO_MANY_REQUESTS else refused
            # The body may repeat the prompt, which must not be logged.
            raise self._http.error(f"returned {status}; {_ADVICE.get(status, 'see its log')}", error_type)
        try:
            return json.loads(content)
        except ValueError as error:
            raise self._http.error("did not return JSON; is this the URL of the API?") from error


class LanguageModelSettings(ServiceSettings):
    """Select a model or adapter on an OpenAI-compatible server; prompts in flight beyond `llm_queue` are rejected."""

    llm_url: HttpUrl = "http://127.0.0.1:8003"
    llm_model: str
    llm_api_key: SecretStr | None = None
    llm_timeout_s: Seconds = 60.0
    llm_queue: Annotated[int, Field(ge=1)] = 256

    def language_model(self) -> OpenAIClient:
        """Return a client for the model."""
        key = self.llm_api_key.get_secret_value() if self.llm_api_key else None
        return OpenAIClient(self.llm_url, self.llm_model, api_key=key, timeout_s=self.llm_timeout_s)


def _parse_usage(reply: Any) -> Usage:
    reported = reply.get("usage") if isinstance(reply, dict) else None
    tokens = reported if isinstance(reported, dict) else {}
    counts = [tokens.get(name) for name in ("prompt_tokens", "completion_tokens")]
    prompt, completion = (count if isinstance(count, int) else 0 for count in counts)
    return Usage(1, prompt, completion)
