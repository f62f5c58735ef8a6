"""The embedded language model itself: llama.cpp in this process, with one LoRA adapter for each model name."""

import json
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from services.llm.model import BASE
from shared.errors import DependencyError, InvalidInputError, KGQAError, NotFoundError

# Prompt and completion of one request. SmolLM2 reads 8k, but 6,000 letters of facts are some 1,500 tokens, and this
# many take half a minute of one core. A token takes 23 kB of memory.
CONTEXT_TOKENS = 4096
# Adapters of this project ask for at most 400.
MAX_NEW_TOKENS = 512
SLOTS_A_MODEL = 2
# A prompt can be abandoned between batches, at some 6 ms a token within 0.6 s. It takes as long as with batches of 512,
# and by batches of less than 64 a third longer.
_BATCH_TOKENS = 96
_SERVER_ERROR = 500
_CONTEXT_EXCEEDED = "exceed_context_size_error"


class PromptTooLongError(InvalidInputError):
    """A prompt that the model's context has no room for."""


class AbandonedError(KGQAError):
    """A completion that was stopped because nobody waits for it any more."""


class EmbeddedModels:
    """The base model and its adapters, by name. `complete` blocks and may be called from several threads.

    Each name has a llama.cpp of its own with one compute thread, so that the operating system shares the processor
    between them: within one llama.cpp, requests of one adapter wait until those of another are done. The weights are
    mapped from one file and are in memory once. More threads for one model would be many times slower on a busy
    machine, because they spin at barriers.

    Each name owns `SLOTS_A_MODEL` slots, and a slot keeps the state of its last prompt: the first words of the
    template, which all prompts of one model share, are computed once.
    """

    def __init__(self, base: Path, adapters: Mapping[str, Path]) -> None:
        """Load the adapters; the base model by itself is loaded at its first use, for `kgqa up` never asks it."""
        self._base = base
        self._adapters = dict(adapters)
        self.names = (BASE, *self._adapters)
        self._servers: dict[str, Any] = {}
        # One each, so that loading one model blocks only the requests for that model.
        self._loading = {name: threading.Lock() for name in self.names}
        for name in self._adapters:
            self._server(name)

    def complete(
        self, model: str, slot: int, request: Mapping[str, Any], is_abandoned: Callable[[], bool] = lambda: False
    ) -> dict[str, Any]:
        """Run a chat completion (OpenAI's fields) on a slot of a model, from 0 to `SLOTS_A_MODEL` - 1.

        `is_abandoned` is asked after each token and each batch of the prompt. Raises AbandonedError when it says so,
        NotFoundError for an unknown model, PromptTooLongError or InvalidInputError for a request that cannot be run as
        it is, DependencyError where llama.cpp itself fails.
        """
        if model not in self.names:
            raise NotFoundError(f"there is no model {model!r} here; there is {', '.join(self.names)}")
        # Streamed, because llama.cpp asks a stream's reader whether to go on.
        how = {"id_slot": slot, "stream": True, "stream_options": {"include_usage": True}, "return_progress": True}
        chunks: list[str] = []

        def read(chunk: str) -> bool:
            chunks.append(chunk)
            return is_abandoned()

        try:
            self._server(model).handle_chat_completions(json.dumps({**request, **how}), read)
        except (RuntimeError, ValueError) as error:
            raise InvalidInputError(str(error)) from error
        if is_abandoned():
            raise AbandonedError("nobody waits for this completion any more")
        return {**_assembled([json.loads(chunk) for chunk in chunks]), "model": model}

    def close(self) -> None:
        """Stop llama.cpp's own threads."""
        self._servers.clear()

    def _server(self, model: str) -> Any:
        with self._loading[model]:
            if model not in self._servers:
                self._servers[model] = _load(self._base, self._adapters.get(model))
            return self._servers[model]


def _load(base: Path, adapter: Path | None) -> Any:
    """One llama.cpp. Raises DependencyError where it is not installed or cannot load the files."""
    try:
        import xllamacpp  # half a second that only this process should pay
    except ImportError as error:
        raise DependencyError(f"llama.cpp cannot be loaded ({error}): `pip install kgqa[embedded-llm]`") from error
    params = xllamacpp.CommonParams()
    params.model.path = str(base)
    if adapter:
        params.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(str(adapter), 1.0)]
    params.n_parallel, params.kv_unified = SLOTS_A_MODEL, True
    params.n_ctx, params.kv_unified_per_slot = CONTEXT_TOKENS * SLOTS_A_MODEL, CONTEXT_TOKENS
    params.n_batch = params.n_ubatch = _BATCH_TOKENS
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.cache_ram_mib, params.fit_params, params.warmup = 0, False, False
    params.verbosity = 0
    # llama.cpp opens an HTTP port of its own, on loopback; nothing here uses it, and nobody knows its key.
    params.port, params.api_keys, params.n_threads_http = 0, [secrets.token_urlsafe(32)], 1
    params.ui, params.endpoint_slots, params.endpoint_props, params.endpoint_metrics = False, False, False, False
    try:
        return xllamacpp.Server(params)
    except (RuntimeError, ValueError) as error:
        raise DependencyError(
            f"llama.cpp cannot load {base} with this adapter: {adapter or 'none'} ({error}). If one of them is damaged "
            "or of another model, remove it or train it again"
        ) from error


def _assembled(chunks: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Assemble a chat completion from the chunks of a stream.

    Raises the error that a chunk reports, and DependencyError for a stream without chunks.
    """
    if not chunks:
        raise DependencyError("llama.cpp ended the completion without any output: ask again, or restart this server")
    content, finish_reason = "", None
    logprobs: list[Any] = []
    for chunk in chunks:
        if "error" in chunk:
            raise _failure(chunk["error"])
        for choice in chunk["choices"]:
            content += choice["delta"].get("content") or ""
            finish_reason = choice["finish_reason"] or finish_reason
            logprobs += (choice.get("logprobs") or {}).get("content") or []
    last = chunks[-1]
    message = {"role": "assistant", "content": content}
    told = {"logprobs": {"content": logprobs}} if logprobs else {}
    return {
        "id": last["id"],
        "object": "chat.completion",
        "created": last["created"],
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason, **told}],
        "usage": last["usage"],
    }


def _failure(error: Mapping[str, Any]) -> KGQAError:
    if error.get("type") == _CONTEXT_EXCEEDED:
        return PromptTooLongError(
            f"the prompt has {error['n_prompt_tokens']:,} tokens, and {CONTEXT_TOKENS:,} is all that this model reads "
            "at once: shorten it"
        )
    message = str(error.get("message", error))
    is_ours = int(error.get("code", 400)) >= _SERVER_ERROR
    return DependencyError(message) if is_ours else InvalidInputError(message)
