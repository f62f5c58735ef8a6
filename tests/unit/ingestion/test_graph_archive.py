"""A graph comes back from its archive as it was, or not at all."""

import hashlib
import io
import json
import tarfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph.sqlite.connection import summarise_file
from ingestion.graph_archive import back_up, remove, restore
from shared.errors import InvalidInputError, NotFoundError
from shared.paths import (
    confirmed_file,
    feedback_file,
    graph_file,
    home,
    meaning_file,
    models_folder,
    retriever_folder,
    trusted_file,
)
from tests.unit.graph import building


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path / "home"))


def _create(tmp_path: Path, name: str, capital: str, *, has_model: bool = True) -> None:
    graph_file(name).parent.mkdir(parents=True, exist_ok=True)
    building.graph_file(tmp_path, [("France", "capital", capital)]).replace(graph_file(name))
    if has_model:
        (retriever_folder(name) / "plans").mkdir(parents=True, exist_ok=True)
        (retriever_folder(name) / "manifest.json").write_text(f"model of {capital}", encoding="utf-8")
        (retriever_folder(name) / "plans" / "weights.npz").write_bytes(bytes(range(256)))
        (retriever_folder(name) / ".unfinished").write_text("half", encoding="utf-8")
        for file in (feedback_file(name), *_owner_files(name)):
            file.parent.mkdir(exist_ok=True)
            file.write_text(f"# {file.suffix} about {capital}\n", encoding="utf-8")


def _owner_files(name: str) -> list[Path]:
    return [meaning_file(name), trusted_file(name), confirmed_file(name)]


def _contents(name: str) -> dict[str, bytes]:
    files = [graph_file(name), feedback_file(name), *_owner_files(name), *models_folder(name).rglob("*")]
    kept = [file for file in files if file.is_file() and not file.name.startswith(".")]
    return {str(file.relative_to(home())).replace(name, "NAME"): file.read_bytes() for file in kept}


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    _create(tmp_path, "mine", "Paris")
    back_up("mine", tmp_path / "mine.tar.gz")
    return tmp_path / "mine.tar.gz"


def test_everything_comes_back(archive: Path) -> None:
    before = _contents("mine")
    trained = (retriever_folder("mine") / "manifest.json").stat().st_mtime
    assert len(before) == 7
    remove("mine")
    assert _contents("mine") == {}
    name, found = restore(archive)
    assert (name, found.triples) == ("mine", 1)
    assert _contents("mine") == before
    assert (retriever_folder("mine") / "manifest.json").stat().st_mtime == pytest.approx(trained)
    assert not list(home().glob(".restore-*"))


def test_another_name_leaves_the_graph_alone(archive: Path, tmp_path: Path) -> None:
    _create(tmp_path, "mine", "Lyon")
    changed = _contents("mine")
    assert restore(archive, "copy")[0] == "copy"
    assert _contents("mine") == changed
    assert _contents("copy") != changed


def test_a_graph_is_replaced_as_a_whole_and_only_if_told(archive: Path, tmp_path: Path) -> None:
    before = _contents("mine")
    _create(tmp_path, "mine", "Lyon")
    (models_folder("mine") / "rewriter").mkdir()
    (models_folder("mine") / "rewriter" / "adapter.gguf").write_bytes(b"newer")
    with pytest.raises(InvalidInputError, match="--replace"):
        restore(archive)
    assert summarise_file(graph_file("mine")).version
    restore(archive, is_replaced=True)
    assert _contents("mine") == before


def test_what_the_archive_lacks_is_removed(tmp_path: Path) -> None:
    _create(tmp_path, "mine", "Paris", has_model=False)
    back_up("mine", tmp_path / "bare.tar.gz")
    before = _contents("mine")
    _create(tmp_path, "mine", "Lyon")

    restore(tmp_path / "bare.tar.gz", is_replaced=True)

    assert _contents("mine") == before


def test_files_of_the_owner_are_replaced_only_if_told(archive: Path) -> None:
    meaning_file("other").write_text("[kinds.City]\n", encoding="utf-8")

    with pytest.raises(InvalidInputError, match=r"meaning/other\.toml is there already; replace it with --replace"):
        restore(archive, "other")

    assert not graph_file("other").exists()
    restore(archive, "other", is_replaced=True)
    assert meaning_file("other").read_bytes() == meaning_file("mine").read_bytes()


def test_an_archive_of_an_older_version_leaves_what_the_owner_says(tmp_path: Path) -> None:
    _create(tmp_path, "mine", "Paris")
    content = graph_file("mine").read_bytes()
    hashes = {"graph.sqlite": hashlib.sha256(content).hexdigest()}
    manifest = {"format": 1, "kgqa": "0.1.0", "graph": "mine", "created": "2026-01-01T00:00:00Z", "files": hashes}
    members = {"graph.sqlite": content, "manifest.json": json.dumps(manifest).encode()}
    old = _archive_of(tmp_path / "old.tar.gz", *((tarfile.TarInfo(name), data) for name, data in members.items()))

    restore(old, is_replaced=True)

    assert not feedback_file("mine").exists()
    assert [file for file in _owner_files("mine") if not file.exists()] == []
    remove("mine")
    assert [file for file in _owner_files("mine") if file.exists()] == []


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_an_archive_with_a_wrong_byte_or_cut_off_changes_nothing(archive: Path, data: st.DataObject) -> None:
    content = bytearray(archive.read_bytes())
    at = data.draw(st.integers(12, len(content) - 1))
    if data.draw(st.booleans()):
        del content[at:]
    else:
        content[at] ^= data.draw(st.integers(1, 255))
    damaged = archive.with_name("damaged.tar.gz")
    damaged.write_bytes(content)
    before = _contents("mine")
    try:
        name, _ = restore(damaged, "copy")
    except InvalidInputError:
        assert not graph_file("copy").exists()
        assert not list(home().glob(".restore-*"))
    else:  # the byte means nothing, such as padding
        assert _contents(name) == before
        remove(name)
    assert _contents("mine") == before


def _archive_of(file: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    with tarfile.open(file, "w:gz") as archive:
        for member, content in members:
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return file


@pytest.mark.parametrize("name", ["../evil", "/etc/evil", "models/../../evil", "models/.hidden", "other.txt", "models"])
def test_files_elsewhere_are_refused(tmp_path: Path, name: str) -> None:
    file = _archive_of(tmp_path / "a.tar.gz", (tarfile.TarInfo(name), b"x"))
    with pytest.raises(InvalidInputError, match="which no backup of a graph has"):
        restore(file)
    assert not (tmp_path / "evil").exists()


def test_links_are_refused(tmp_path: Path) -> None:
    link = tarfile.TarInfo("graph.sqlite")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    with pytest.raises(InvalidInputError, match="which no backup of a graph has"):
        restore(_archive_of(tmp_path / "a.tar.gz", (link, b"")))


@pytest.mark.parametrize("content", [b"", b"{}", b"not an archive" * 100])
def test_other_files_are_no_archives(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.tar.gz").write_bytes(content)
    with pytest.raises(InvalidInputError, match=r"a\.tar\.gz is (damaged|incomplete)"):
        restore(tmp_path / "a.tar.gz")
    manifest = _archive_of(tmp_path / "b.tar.gz", (tarfile.TarInfo("manifest.json"), content))
    with pytest.raises(InvalidInputError, match="is incomplete"):
        restore(manifest)


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="graph mine does not exist"):
        back_up("mine", tmp_path / "a")
    with pytest.raises(NotFoundError, match="kgqa graphs"):
        remove("mine")
    with pytest.raises(NotFoundError, match="kgqa backup"):
        restore(tmp_path / "a")
    _create(tmp_path, "mine", "Paris", has_model=False)
    with pytest.raises(NotFoundError, match="create it first"):
        back_up("mine", tmp_path / "no" / "a")
    assert list(back_up("mine", tmp_path / "a").files) == ["graph.sqlite"]
    with pytest.raises(InvalidInputError, match="exists already"):
        back_up("mine", tmp_path / "a")
