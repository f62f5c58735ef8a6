from pathlib import Path

import pytest

from evaluation.in_process import LanguageModels, model_fingerprint, retrieval_fingerprint
from services.retriever.paths.model_folder import MANIFEST_FILE
from shared.llm.client import OpenAIClient


def models(rewriter: str = "rewriter", qa_model: str = "answerer", port: int = 1) -> LanguageModels:
    url = f"http://127.0.0.1:{port}"
    return LanguageModels(OpenAIClient(url, rewriter), OpenAIClient(url, "base"), OpenAIClient(url, qa_model), 0)


def test_it_changes_with_the_language_models(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path))
    monkeypatch.delenv("KGQA_ANSWERER_LLM_URL", raising=False)
    plain = model_fingerprint("world", models())
    assert model_fingerprint("world", models()) == plain
    assert model_fingerprint("world", models(port=2)) == plain  # the embedded server's port changes with each run
    assert model_fingerprint("world", models(rewriter="x")) != plain
    assert model_fingerprint("world", models(qa_model="x")) != plain
    monkeypatch.setenv("KGQA_ANSWERER_LLM_URL", "http://127.0.0.1:1")
    assert model_fingerprint("world", models()) != plain


def test_it_changes_with_the_adapters_the_graph_the_retriever_and_the_questions(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path))
    plain = model_fingerprint("mine", models())
    adapter = tmp_path / "models" / "mine" / "answerer" / "adapter.gguf"
    adapter.parent.mkdir(parents=True)
    adapter.write_bytes(b"another")
    assert model_fingerprint("mine", models()) != plain

    questions, manifest = tmp_path / "questions.jsonl", tmp_path / MANIFEST_FILE
    seen = []
    for content in ("a", "b"):
        for file in (questions, manifest):
            file.write_text(content)
            seen.append(retrieval_fingerprint("1", tmp_path, questions) if manifest.exists() else {})
    assert len({str(sorted(one.items())) for one in [*seen, retrieval_fingerprint("2", tmp_path, questions)]}) == 5
