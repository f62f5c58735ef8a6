"""Run the embedded language model: llama.cpp in this process, with one LoRA adapter per model name."""

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from services.llm.model_files import BASE
from shared.errors import DependencyError, InvalidInputError, KGQAError, NotFoundError

# Limit on the combined length of one request's prompt and completion. SmolLM2 supports 8k tokens, but 6,000 characters
# of facts are only about 1,500 tokens, and reading 4,096 tokens takes one core half a minute. Each token takes 23 kB of
# memory.
CONTEXT_TOKENS = 4096
# This project's services request at most 400 tokens.
MAX_NEW_TOKENS = 512
SLOTS_PER_MODEL = 2
# A request can be cancelled between two batches of its prompt, that is, within 0.6 s at about 6 ms per token. Batches
# of 512 tokens are no faster, and batches of fewer than 64 take a third longer.
_BATCH_TOKENS = 96
_SERVER_ERROR = 500
_CONTEXT_EXCEEDED = "exceed_context_size_error"


class PromptTooLongError(InvalidInputError):
    """Report a prompt that does not fit into the model's context."""


class AbandonedError(KGQAError):
    """Report a completion that was cancelled because its caller disconnected."""


class EmbeddedModels:
    """Hold the base model and its adapters, and complete prompts. Thread-safe.

    Each model name has its own llama.cpp instance with one compute thread, so that the operating system divides the
    processor between adapters. In a shared instance, requests for one adapter would wait for requests for another one
    to finish. All instances map the weights from the same file, so the weights are in memory only once. More threads
    per model would be many times slower on a busy machine, because they spin at barriers.

    Each model name has `SLOTS_PER_MODEL` slots. A slot keeps the state of its last prompt, so the beginning of the
    template, which all prompts of a model share, is computed once.
    """

    def __init__(self, base: Path, adapters: Mapping[str, Path]) -> None:
        """Load all models now: a later load would hold the interpreter's lock for a second and delay health probes."""
        self.names = (BASE, *adapters)
        self._servers = {name: _load(base, adapters.get(name)) for name in self.names}

    def complete(
        self, model: str, slot: int, request: Mapping[str, Any], is_abandoned: Callable[[], bool] = lambda: False
    ) -> dict[str, Any]:
        """Run a chat completion in a slot, from 0 to `SLOTS_PER_MODEL` - 1, and block until it is done.

        `request` and the result have the fields of OpenAI's API. `is_abandoned` is polled after each token and each
        batch of the prompt; if it returns True, AbandonedError is raised. Other errors are NotFoundError if the model
        is unknown, InvalidInputError if llama.cpp rejects the request, and DependencyError if llama.cpp fails.
        """
        if model not in self.names:
            raise NotFoundError(f"unknown model {model!r}; available models: {', '.join(self.names)}")
        # A completion can be cancelled only through the callback that llama.cpp calls while streaming.
        how = {"id_slot": slot, "stream": True, "stream_options": {"include_usage": True}, "return_progress": True}
        chunks: list[str] = []

        def read(chunk: str) -> bool:
            chunks.append(chunk)
            return is_abandoned()

        try:
            self._servers[model].handle_chat_completions(json.dumps({**request, **how}), read)
        except (RuntimeError, ValueError) as error:
            raise InvalidInputError(str(error)) from error
        if is_abandoned():
            raise AbandonedError("the client disconnected before the completion finished")
        return {**_assemble([json.loads(chunk) for chunk in chunks]), "model": model}

    def close(self) -> None:
        """Stop llama.cpp's threads."""
        self._servers.clear()


def _load(base: Path, adapter: Path | None) -> Any:
    """Start a llama.cpp instance. Raises DependencyError if llama.cpp is not installed or cannot load the files."""
    try:
        import xllamacpp  # takes half a second to import
    except ImportError as error:
        raise DependencyError(f"cannot load llama.cpp ({error}); run `pip install kgqa[embedded-llm]`") from error
    params = xllamacpp.CommonParams()
    params.model.path = str(base)
    if adapter:
        params.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(str(adapter), 1.0)]
    params.n_parallel, params.kv_unified = SLOTS_PER_MODEL, True
    params.n_ctx, params.kv_unified_per_slot = CONTEXT_TOKENS * SLOTS_PER_MODEL, CONTEXT_TOKENS
    params.n_batch = params.n_ubatch = _BATCH_TOKENS
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.cache_ram_mib, params.fit_params, params.warmup = 0, False, False
    params.verbosity = 0
    # llama.cpp always opens an HTTP port on loopback. Nothing uses it, so a random key protects it.
    params.port, params.api_keys, params.n_threads_http = 0, [secrets.token_urlsafe(32)], 1
    params.ui, params.endpoint_slots, params.endpoint_props, params.endpoint_metrics = False, False, False, False
    try:
        return xllamacpp.Server(params)
    except (RuntimeError, ValueError) as error:
        raise DependencyError(
            f"llama.cpp cannot load {base} with this adapter: {adapter or 'none'} ({error}). If a file is damaged or "
            "belongs to a different model, delete the file or train the adapter again"
        ) from error


def _assemble(chunks: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Assemble a chat completion from a stream; raise the error in a chunk, or DependencyError for an empty stream."""
    if not chunks:
        raise DependencyError("llama.cpp returned no output; retry the request, or restart this server")
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
    extra = {"logprobs": {"content": logprobs}} if logprobs else {}
    return {
        "id": last["id"],
        "object": "chat.completion",
        "created": last["created"],
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason, **extra}],
        "usage": last["usage"],
    }


def _failure(error: Mapping[str, Any]) -> KGQAError:
    if error.get("type") == _CONTEXT_EXCEEDED:
        return PromptTooLongError(
            f"the prompt is {error['n_prompt_tokens']:,} tokens long, but the context holds {CONTEXT_TOKENS:,}; "
            "shorten the prompt"
        )
    message = str(error.get("message", error))
    is_server_error = int(error.get("code", 400)) >= _SERVER_ERROR
    return DependencyError(message) if is_server_error else InvalidInputError(message)
