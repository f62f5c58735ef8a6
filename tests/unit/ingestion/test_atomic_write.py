import fcntl
import subprocess
import sys
from pathlib import Path

import pytest

from ingestion.atomic_write import atomic_write
from tests.support.waiting import HANGS_AFTER_S


def test_the_target_changes_only_when_the_block_has_succeeded(tmp_path: Path) -> None:
    target = tmp_path / "graph.tsv"
    target.write_text("old")

    with atomic_write(target) as unfinished:
        unfinished.write_text("new")
        assert unfinished.parent == tmp_path  # a move is atomic only within a file system
        assert target.read_text() == "old"

    assert target.read_text() == "new"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_failure_leaves_the_target_as_it_was(tmp_path: Path, error: type[BaseException]) -> None:
    target = tmp_path / "graph.tsv"
    target.write_text("old")

    with pytest.raises(error), atomic_write(target) as unfinished:
        unfinished.write_text("half")
        raise error

    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_signal_before_the_block_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(fcntl, "flock", interrupt)

    with pytest.raises(KeyboardInterrupt), atomic_write(tmp_path / "graph.tsv"):
        pass

    assert not list(tmp_path.iterdir())


def test_two_writers_of_one_file_do_not_share_their_content(tmp_path: Path) -> None:
    target = tmp_path / "graph.tsv"

    with atomic_write(target) as first, atomic_write(target) as second:
        first.write_text("first")
        second.write_text("second")

    assert target.read_text() == "first"  # the outer block ends last
    assert list(tmp_path.iterdir()) == [target]


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    target = tmp_path / "graph.tsv"
    stale = tmp_path / f".graph.tsv.{'0a' * 16}.partial"
    others = [tmp_path / f".other.tsv.{'0a' * 16}.partial", tmp_path / ".graph.tsv.mine.partial"]
    for file in (stale, *others):
        file.write_text("half")

    with atomic_write(target) as unfinished:
        unfinished.write_text("new")

    assert sorted(tmp_path.iterdir()) == sorted([target, *others])


def test_a_file_that_another_process_writes_is_kept(tmp_path: Path) -> None:
    target = tmp_path / "graph.tsv"
    script = (
        "import sys; from pathlib import Path; from ingestion.atomic_write import atomic_write\n"
        "with atomic_write(Path(sys.argv[1])) as file: file.write_text('other'); print('ready', flush=True); input()\n"
    )
    command = [sys.executable, "-c", script, str(target)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        with atomic_write(target) as unfinished:
            unfinished.write_text("new")
        assert target.read_text() == "new"
        process.communicate("\n", timeout=HANGS_AFTER_S)

    assert target.read_text() == "other"
    assert list(tmp_path.iterdir()) == [target]
