from collections.abc import Callable
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
    """Fake one llama.cpp instance that can load slowly or return nothing."""

    def __init__(self, chunks: list[str]) -> None:
        self._chunks = chunks

    def handle_chat_completions(self, _: str, read: Callable[[str], bool]) -> None:
        for chunk in self._chunks:
            read(chunk)


def test_all_models_are_loaded_before_the_first_request(monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[Path | None] = []

    def load(_: Path, adapter: Path | None) -> Any:
        loads.append(adapter)
        return Llama([CHUNK])

    monkeypatch.setattr(engine, "_load", load)
    models = EmbeddedModels(Path("base"), {"rewriter": Path("adapter")})
    assert loads == [None, Path("adapter")]
    replies = [models.complete(name, 0, {}) for name in models.names]
    assert [reply["model"] for reply in replies] == ["smollm2", "rewriter"]
    assert {reply["choices"][0]["message"]["content"] for reply in replies} == {"hi"}
    assert len(loads) == 2


def test_a_stream_without_chunks_is_an_error_of_llama(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_load", lambda *_: Llama([]))
    with pytest.raises(DependencyError, match="returned no output"):
        EmbeddedModels(Path("base"), {}).complete("smollm2", 0, {})
