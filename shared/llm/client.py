"""Define the language model interface, and a client for OpenAI-compatible servers."""

import asyncio
import json
import logging
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated, Any, Protocol

from pydantic import Field, SecretStr

from shared.errors import DependencyError, InvalidInputError, OverloadedError, RefusedError
from shared.llm.completion_text import CompletionText, UnreadableCompletionError, read_completion
from shared.llm.drafts import current_listener
from shared.llm.metering import record_usage
from shared.llm.model_trial import ModelTrial
from shared.llm.server_dialect import Asked, Dialect
from shared.llm.server_reasons import Refusal, read_refusal
from shared.llm.streamed_completion import StreamedCompletion
from shared.llm.usage import Usage, read_usage
from shared.outbound.circuit_breaker import CircuitBreaker
from shared.outbound.http import HttpClient
from shared.outbound.urls import LOOPBACK, HttpUrl, parse_http_url
from shared.settings import Seconds, ServiceSettings

# How long a server that does not list the model is not asked for its list again.
_LIST_KEPT_S = 5.0
# One GPU can serve this many completions concurrently without slowing any of them down.
_MAX_CONCURRENT = 32
# Many times the largest completion, with its thoughts and as a stream of events.
_MAX_REPLY_BYTES = 8_000_000

_PARAMETER_ERRORS = (400, 422)
_REFUSALS = (400, 401, 403, 404, 413, 422, 429)
_ADVICE = {
    **dict.fromkeys((401, 403), "set the API key that this server expects"),
    404: "does it serve a model with this name, and is the path of its URL correct?",
    429: "the server limits its load; send fewer requests at a time",
}
log = logging.getLogger(__name__)


class LanguageModel(Protocol):
    """Complete prompts with a chat model, or with one of its adapters. Safe for concurrent use."""

    @property
    def name(self) -> str:
        """Return the model's name on the server; cache keys contain it."""

    async def complete(self, prompt: str, *, max_tokens: int, grammar: str | None = None) -> str:
        """Complete a prompt greedily (temperature 0).

        Args:
            prompt: Content of one user message.
            max_tokens: Maximum number of tokens to generate.
            grammar: A grammar in GBNF that the completion follows, if the server can constrain completions.

        Returns:
            The completion, without surrounding whitespace.

        Raises:
            DependencyError: If the server returns an error, or does not respond in time.

        Example:
            >>> await model.complete("What is the capital of France?", max_tokens=16)
            'Paris'
        """

    async def ready(self) -> bool:
        """Return whether the server responds and serves this model; may raise DependencyError, saying why not."""

    async def close(self) -> None:
        """Close the connections."""


class CountedModel(LanguageModel, Protocol):
    """Complete prompts, and count calls and tokens."""

    @property
    def usage(self) -> Usage:
        """Return the usage of all completions so far."""


class OpenAIClient:
    """Complete prompts with an OpenAI-compatible API: vLLM, Ollama, llama.cpp, the embedded server, or a hosted one.

    A `base_url` with a path is used as it is, such as `https://host/api/v3`; `/v1` is added to one without. Parameters
    that the server refuses are left out from then on. `timeout_s` limits each completion, not counting the wait for one
    of the `_MAX_CONCURRENT` slots. Raises InvalidInputError if the URL is malformed, or if the API key contains
    characters that a header cannot carry.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        api_key: str | None = None,
        timeout_s: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        url = parse_http_url(base_url, "a language model server")
        headers = {}
        key = (api_key or "").strip()  # a mounted secret often ends with a newline
        if not (key.isascii() and key.isprintable()):
            raise InvalidInputError("the API key of the language model contains invalid characters; correct the key")
        if key:
            headers["Authorization"] = f"Bearer {key}"
            url = url.with_user(None)  # a request can have only one Authorization header
        self.name = model
        self.usage = Usage()
        self._key = key
        self._dialect = Dialect()
        self._trial = ModelTrial(self._answer_trial)
        self._clock = clock
        self._list_until = clock()
        self._slots = asyncio.Semaphore(_MAX_CONCURRENT)
        name = f"the language model server (model {model!r})"
        base = f"{url if url.path.strip('/') else url.with_path('/v1')}".rstrip("/")
        # Proxies are meant for hosted models, and must not see requests to this machine.
        self._http = HttpClient(
            name, base, timeout_s, headers, use_proxies=url.host not in LOOPBACK, max_bytes=_MAX_REPLY_BYTES
        )
        self.server = self._http.location
        self._breaker = CircuitBreaker(f"the language model server at {self.server}", public_name=name)

    async def complete(self, prompt: str, *, max_tokens: int, grammar: str | None = None) -> str:
        """Complete a prompt greedily; see `LanguageModel.complete`."""
        async with self._breaker.call(self._slots):
            known = self._dialect
            text, dialect = await self._adapt(Asked(prompt, max_tokens, grammar), known)
        if dialect != known:
            log.info("the language model server at %s is asked with %s from now on", self.server, dialect)
            self._dialect = dialect
        self._trial.record_success()
        return text

    async def ready(self) -> bool:
        """Return True if the server lists this model, or else if the model answers a short prompt.

        Raises DependencyError, saying why, if neither is the case. A server that does not list the model is asked for
        its list only every few seconds, however often this is called.
        """
        if self._clock() >= self._list_until:
            status, content = await self._http.request("/models")
            if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                raise self._failure(status, read_refusal(content), "")
            if status == HTTPStatus.OK and self._is_listed(content):
                return True
            self._list_until = self._clock() + _LIST_KEPT_S
        # Some providers list their models under other names, or not at all.
        await self._trial.outcome()
        return True

    async def close(self) -> None:
        """Close the connections."""
        self._trial.cancel()
        await self._http.close()

    async def _answer_trial(self) -> None:
        await self.complete("Reply with: OK", max_tokens=16)

    async def _adapt(self, asked: Asked, dialect: Dialect) -> tuple[str, Dialect]:
        """Complete a prompt, leaving out what the server refuses; return the text, and the dialect that it accepts."""
        listener = current_listener()
        while True:
            streamed = StreamedCompletion(listener) if listener and dialect.has_streams else None
            body = json.dumps(dialect.request(self.name, asked, streamed is not None)).encode()
            status, content = await self._http.request("/chat/completions", body, sink=streamed)
            if status != HTTPStatus.OK:
                refusal = read_refusal(content)
                adapted = dialect.without(refusal) if status in _PARAMETER_ERRORS else dialect
                if adapted == dialect:
                    raise self._failure(status, refusal, asked.prompt)
            else:
                completion = self._read(streamed, asked.prompt) if streamed else None
                completion = completion or self._parse(self._json(content))
                if not completion.is_cut_in_thought:
                    return completion.text, dialect
                adapted = dialect.with_reasoning()
                if adapted == dialect:
                    raise self._http.error(
                        f"used {asked.max_tokens + dialect.reasoning_tokens:,} tokens before it wrote an answer; "
                        "turn its reasoning off, or choose another model",
                        RefusedError,
                    )
            dialect = adapted

    def _read(self, streamed: StreamedCompletion, prompt: str) -> CompletionText | None:
        """Return a completion that arrived in pieces, or None if the server sent it as a whole."""
        reply = streamed.end()
        if reply is None:
            return None
        if streamed.refusal or not streamed.is_complete:
            reason = streamed.refusal.shown(prompt, self._key) if streamed.refusal else ""
            raise self._http.error(f"stopped in the middle of a completion: {reason or 'see its log'}")
        return self._parse(reply)

    def _json(self, content: bytes) -> Any:
        try:
            return json.loads(content)
        except (ValueError, RecursionError) as error:
            raise self._http.error("did not return JSON; is this the URL of the API?") from error

    def _parse(self, reply: Any) -> CompletionText:
        usage = read_usage(reply)
        self.usage += usage
        record_usage(usage)
        try:
            return read_completion(reply)
        except UnreadableCompletionError as error:
            raise self._http.error(str(error)) from error

    def _is_listed(self, content: bytes) -> bool:
        # Ollama lists `name` as `name:latest`, and Gemini as `models/name`.
        names = {self.name, f"{self.name}:latest", f"models/{self.name}"}
        try:
            return any(model["id"] in names for model in json.loads(content)["data"])
        except (ValueError, KeyError, TypeError, RecursionError):
            return False

    def _failure(self, status: int, refusal: Refusal, prompt: str) -> DependencyError:
        """Return the error for a refused request, with the server's own reason if it does not repeat the prompt."""
        reason = refusal.shown(prompt, self._key)
        remedy = _ADVICE.get(status, "" if reason else "see its log")
        refused = RefusedError if status in _REFUSALS else DependencyError
        error_type = OverloadedError if status == HTTPStatus.TOO_MANY_REQUESTS else refused
        said = f"returned {status}: {reason}" if reason else f"returned {status}"
        return self._http.error(f"{said}; {remedy}" if remedy else said, error_type)


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
