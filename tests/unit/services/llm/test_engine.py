import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from services.llm import engine
from services.llm.engine import EmbeddedModels
from shared.errors import DependencyError

CHUNK = (
    '{"id": "1", "created": 1, "choices": [{"delta": {"content": "hi"}, "finish_reason": "stop"}],'
    ' "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}'
)


class Llama:
    """Stands in for one llama.cpp, which cannot be told to load slowly or to say nothing."""

    def __init__(self, chunks: list[str]) -> None:
        self._chunks = chunks

    def handle_chat_completions(self, _: str, read: Callable[[str], bool]) -> None:
        for chunk in self._chunks:
            read(chunk)


def test_models_that_are_loaded_answer_while_another_loads(monkeypatch: pytest.MonkeyPatch) -> None:
    loading, may_load = threading.Event(), threading.Event()
    loads: list[Path | None] = []

    def load(_: Path, adapter: Path | None) -> Any:
        loads.append(adapter)
        if adapter is None:
            loading.set()
            assert may_load.wait(10)
        return Llama([CHUNK])

    monkeypatch.setattr(engine, "_load", load)
    models = EmbeddedModels(Path("base"), {"rewriter": Path("adapter")})
    with ThreadPoolExecutor() as workers:
        slow = [workers.submit(models.complete, "smollm2", slot, {}) for slot in range(2)]
        assert loading.wait(5)
        try:
            reply = workers.submit(models.complete, "rewriter", 0, {}).result(timeout=2)
            assert reply["choices"][0]["message"]["content"] == "hi"
            assert not any(waiting.done() for waiting in slow)
        finally:
            may_load.set()
        assert {waiting.result(timeout=5)["model"] for waiting in slow} == {"smollm2"}
    assert loads == [Path("adapter"), None]


def test_a_stream_without_chunks_is_an_error_of_llama(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_load", lambda *_: Llama([]))
    with pytest.raises(DependencyError, match="without any output"):
        EmbeddedModels(Path("base"), {}).complete("smollm2", 0, {})
