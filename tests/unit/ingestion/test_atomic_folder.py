"""A folder is replaced at once: whatever fails, the old one or the new one is there as a whole."""

import os
import threading
from pathlib import Path

import pytest

from ingestion import atomic_folder
from ingestion.atomic_folder import recover_folder, replace_folder


def _folder(path: Path, version: str) -> Path:
    (path / "plans").mkdir(parents=True)
    for name in ("manifest.json", "plans/weights"):
        (path / name).write_text(version, encoding="utf-8")
    return path


def _content(path: Path) -> dict[str, str]:
    return {str(file.relative_to(path)): file.read_text() for file in path.rglob("*") if file.is_file()}


def _of(version: str) -> dict[str, str]:
    return {"manifest.json": version, "plans/weights": version}


@pytest.fixture(params=[True, False], ids=["exchanged", "renamed twice"])
def has_exchange(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Run a test with the kernel's exchange of folders, and as on a file system without it."""
    if not request.param:
        monkeypatch.setattr(atomic_folder, "_exchange", lambda one, other: False)
    return bool(request.param)


@pytest.mark.usefixtures("has_exchange")
def test_a_folder_is_created_and_replaced(tmp_path: Path) -> None:
    target, scratch = tmp_path / "model", tmp_path / "scratch"

    replace_folder(_folder(scratch / "new", "1"), target)
    assert _content(target) == _of("1")
    (target / "of the first alone").touch()
    replace_folder(_folder(scratch / "new", "2"), target)

    assert _content(target) == _of("2")
    assert list(scratch.iterdir()) == []


def test_everything_is_flushed_before_the_folder_appears(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target, flushed = tmp_path / "model", list[tuple[str, bool]]()
    new = _folder(tmp_path / "scratch" / "new", "1")
    files = {str(path) for path in (new, *new.rglob("*"))}

    def sync(path: Path) -> None:
        flushed.append((str(path), target.exists()))

    monkeypatch.setattr(atomic_folder, "_sync", sync)
    replace_folder(new, target)

    assert {path for path, has_appeared in flushed if not has_appeared} == files
    assert flushed[-1] == (str(tmp_path), True)


def test_a_reader_never_finds_two_versions_or_none(tmp_path: Path) -> None:
    target, scratch = _folder(tmp_path / "model", "0"), tmp_path / "scratch"
    found: list[tuple[str, ...]] = []
    is_over = threading.Event()

    def read() -> None:
        while not is_over.is_set():
            # As a reader that opens the folder, and then its files.
            opened = os.open(target, os.O_RDONLY)
            try:
                files = [os.open(name, os.O_RDONLY, dir_fd=opened) for name in ("manifest.json", "plans/weights")]
            except FileNotFoundError:
                continue  # the old folder is being removed, after it was replaced
            finally:
                os.close(opened)
            found.append(tuple(os.read(file, 10).decode() for file in files))
            for file in files:
                os.close(file)

    reader = threading.Thread(target=read)
    reader.start()
    for version in range(1, 60):
        replace_folder(_folder(scratch / "new", str(version)), target)
    is_over.set()
    reader.join()

    assert found
    assert all(one == other for one, other in found)


@pytest.mark.usefixtures("has_exchange")
def test_a_folder_that_cannot_be_flushed_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = _folder(tmp_path / "model", "1")

    def full(path: Path) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(atomic_folder, "_sync", full)
    with pytest.raises(OSError, match="no space"):
        replace_folder(_folder(tmp_path / "scratch" / "new", "2"), target)

    assert _content(target) == _of("1")


def test_a_crash_between_two_renames_is_mended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target, scratch = _folder(tmp_path / "model", "1"), tmp_path / "scratch"
    new, rename = _folder(scratch / "new", "2"), Path.rename

    def killed(path: Path, to: Path) -> Path:
        if path == new:
            raise KeyboardInterrupt
        return rename(path, to)

    monkeypatch.setattr(atomic_folder, "_exchange", lambda one, other: False)
    monkeypatch.setattr(Path, "rename", killed)
    with pytest.raises(KeyboardInterrupt):
        replace_folder(new, target)
    monkeypatch.undo()
    assert not target.exists()
    recover_folder(scratch, target)

    assert _content(target) == _of("1")
    recover_folder(scratch, target)
    assert _content(target) == _of("1")
