"""The embedded language model itself: llama.cpp in this process, with one LoRA adapter for each model name."""

import contextlib
import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shared.errors import DependencyError, InvalidInputError, NotFoundError
from shared.llm.embedded_model import BASE

# SmolLM2 was trained on 8k. The slots share this cache (23 kB a token), so a full one leaves the others room.
CONTEXT_TOKENS = 8192
_CACHE_TOKENS = 2 * CONTEXT_TOKENS
SLOTS_A_MODEL = 2
_SERVER_ERROR = 500


class EmbeddedModels:
    """The base model and its adapters, by name. `complete` blocks and may be called from several threads.

    Each name owns `SLOTS_A_MODEL` slots: a slot keeps the last prompt's state, so the template's first words, which
    every prompt of one model begins with, are not computed again. A change of adapter would drop that state.
    One thread computes: two threads on two busy cores are many times slower than one (spinning at barriers).
    """

    def __init__(self, base: Path, adapters: Mapping[str, Path]) -> None:
        try:
            import xllamacpp  # half a second that only this process should pay
        except ImportError as error:
            raise DependencyError(f"llama.cpp cannot be loaded ({error}): `pip install kgqa[embedded-llm]`") from error
        self._adapters = list(adapters)
        self.names = (BASE, *self._adapters)
        params = xllamacpp.CommonParams()
        params.model.path = str(base)
        params.n_ctx, params.kv_unified, params.n_parallel = _CACHE_TOKENS, True, SLOTS_A_MODEL * len(self.names)
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
        params.cache_ram_mib, params.fit_params, params.warmup = 0, False, False
        params.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(str(file), 1.0) for file in adapters.values()]
        params.lora_init_without_apply = True
        params.verbosity = 0
        # llama.cpp opens an HTTP port of its own, on loopback; nothing here uses it, and nobody knows its key.
        params.port, params.api_keys = 0, [secrets.token_urlsafe(32)]
        params.ui, params.endpoint_slots, params.endpoint_props, params.endpoint_metrics = False, False, False, False
        try:
            self._server = xllamacpp.Server(params)
        except (RuntimeError, ValueError) as error:
            files = ", ".join(map(str, adapters.values())) or "none"
            raise DependencyError(
                f"llama.cpp cannot load {base} with these adapters: {files} ({error}). If one of them is damaged or of "
                "another model, remove it or train it again"
            ) from error

    def complete(self, model: str, slot: int, request: Mapping[str, Any]) -> dict[str, Any]:
        """Run a chat completion (OpenAI's fields) on a slot of a model, from 0 to `SLOTS_A_MODEL` - 1.

        Raises NotFoundError for an unknown model, InvalidInputError for a request that cannot be run as it is,
        DependencyError where llama.cpp itself fails.
        """
        if model not in self.names:
            raise NotFoundError(f"there is no model {model!r} here; there is {', '.join(self.names)}")
        number = self.names.index(model)
        body = {
            **request,
            "id_slot": number * SLOTS_A_MODEL + slot,
            "lora": [{"id": i, "scale": float(i == number - 1)} for i in range(len(self._adapters))],
            "stream": False,
        }
        replies: list[str] = []
        try:
            self._server.handle_chat_completions(json.dumps(body), replies.append)
        except (RuntimeError, ValueError) as error:
            raise InvalidInputError(str(error)) from error
        reply: dict[str, Any] = json.loads(replies[0])
        if "error" in reply:
            message = str(reply["error"].get("message", reply["error"]))
            is_ours = int(reply["error"].get("code", 400)) >= _SERVER_ERROR
            raise DependencyError(message) if is_ours else InvalidInputError(message)
        return {**reply, "model": model}

    def close(self) -> None:
        """Stop llama.cpp's own threads."""
        with contextlib.suppress(AttributeError):
            del self._server
