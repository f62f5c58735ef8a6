"""A retriever's folder is taken apart, and put together from parts of two folders."""

from pathlib import Path

import pytest

from services.retriever.paths.model_folder import PathEvidence, read_manifest
from shared.errors import InvalidInputError
from tests.unit.services.retriever.models import manifest
from training.retriever.model_parts import ModelParts, assemble, parts_of, require_replaceable

_EVIDENCE = PathEvidence(questions=20, right=18, wrong=0, right_by_plans=12, wrong_by_plans=1)


def _folder(path: Path, has_paths: bool = True, has_plans: bool = True) -> Path:
    path.mkdir()
    if has_paths:
        (path / "manifest.json").write_text(manifest(("capital",), 1).model_dump_json(), encoding="utf-8")
        (path / "steps.npz").write_text(f"paths of {path.name}", encoding="utf-8")
    if has_plans:
        (path / "plans").mkdir()
        (path / "plans" / "manifest.json").write_text(f"plans of {path.name}", encoding="utf-8")
    return path


@pytest.mark.parametrize("has_paths", [True, False])
@pytest.mark.parametrize("has_plans", [True, False])
def test_the_parts_of_a_folder_are_those_with_a_manifest(tmp_path: Path, has_paths: bool, has_plans: bool) -> None:
    folder = _folder(tmp_path / "model", has_paths, has_plans)

    assert parts_of(folder) == ModelParts(folder if has_paths else None, folder / "plans" if has_plans else None)
    assert parts_of(tmp_path / "none") == ModelParts()


def test_parts_of_two_folders_make_one(tmp_path: Path) -> None:
    old, new, out = _folder(tmp_path / "old"), _folder(tmp_path / "new"), tmp_path / "out"
    (old / "unfinished-training.pt").touch()
    out.mkdir()

    assemble(ModelParts(old, new / "plans"), out, None)

    assert sorted(file.name for file in out.iterdir()) == ["manifest.json", "plans", "steps.npz"]
    assert (out / "steps.npz").read_text(encoding="utf-8") == "paths of old"
    assert (out / "plans" / "manifest.json").read_text(encoding="utf-8") == "plans of new"
    assert read_manifest(out).evidence is None


def test_evidence_is_recorded_for_new_paths_and_kept_for_old_ones(tmp_path: Path) -> None:
    new, first, second = _folder(tmp_path / "new"), tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()

    assemble(ModelParts(new, None), first, _EVIDENCE)
    assemble(ModelParts(first, None), second, None)

    assert read_manifest(first).evidence == read_manifest(second).evidence == _EVIDENCE
    assert read_manifest(new).evidence is None


def test_a_folder_with_other_files_is_not_replaced(tmp_path: Path) -> None:
    folder = _folder(tmp_path / "model")
    (folder / "unfinished-training.pt").touch()
    require_replaceable(folder)
    require_replaceable(tmp_path / "none")
    (folder / "thesis.txt").touch()

    with pytest.raises(InvalidInputError, match=r"a file that is no model's, thesis\.txt"):
        require_replaceable(folder)
