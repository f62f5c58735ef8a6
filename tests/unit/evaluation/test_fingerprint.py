from pathlib import Path

import pytest

from evaluation.fingerprint import of_models, of_retrieval
from evaluation.in_process import Models
from services.retriever.prediction.model_folder import MANIFEST_FILE
from shared.llm.client import OpenAIClient


def models(verbaliser: str = "rewriter", qa_model: str = "answerer", port: int = 1) -> Models:
    url = f"http://127.0.0.1:{port}"
    return Models(OpenAIClient(url, verbaliser), OpenAIClient(url, "base"), OpenAIClient(url, qa_model), 0)


def test_other_models_are_another_evaluation(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path))
    monkeypatch.delenv("KGQA_ANSWERER_LLM_URL", raising=False)
    plain = of_models("world", models())
    assert of_models("world", models()) == plain
    assert of_models("world", models(port=2)) == plain  # the embedded server has another port each time
    assert of_models("world", models(verbaliser="x")) != plain
    assert of_models("world", models(qa_model="x")) != plain
    monkeypatch.setenv("KGQA_ANSWERER_LLM_URL", "http://127.0.0.1:1")
    assert of_models("world", models()) != plain


def test_another_adapter_retriever_or_file_of_questions_is_another_evaluation(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path))
    plain = of_models("mine", models())
    adapter = tmp_path / "models" / "mine" / "answerer" / "adapter.gguf"
    adapter.parent.mkdir(parents=True)
    adapter.write_bytes(b"another")
    assert of_models("mine", models()) != plain

    questions, manifest = tmp_path / "questions.jsonl", tmp_path / MANIFEST_FILE
    seen = []
    for content in ("a", "b"):
        for file in (questions, manifest):
            file.write_text(content)
            seen.append(of_retrieval("1", tmp_path, questions) if manifest.exists() else {})
    assert len({str(sorted(one.items())) for one in [*seen, of_retrieval("2", tmp_path, questions)]}) == 5
