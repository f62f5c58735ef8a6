"""Each instance of `kgqa up` has its own logs, old ones go, and none grows without limit."""

import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

from services.log_folders import log_folder
from shared.processes import previous_log, start_module, stop
from tests.support.waiting import HANGS_AFTER_S

_WRITER = """
import os, sys
from pathlib import Path
from shared import processes
processes.MAX_LOG_BYTES = 1000
for number in range(300):
    print(f"line {number:03}", "x" * 50, flush=True, file=sys.stderr if number % 2 else sys.stdout)
    processes.rotate_log(Path(os.environ[processes.OUTPUT_VARIABLE]))
"""


def _folders(logs: Path) -> list[Path]:
    return sorted(folder for folder in logs.iterdir() if folder.is_dir())


def test_instances_side_by_side_share_no_folder(tmp_path: Path) -> None:
    with ExitStack() as stack:
        folders = [stack.enter_context(log_folder(tmp_path)).path for _ in range(8)]
        for number, folder in enumerate(folders):
            (folder / "answerer.log").write_text(str(number), encoding="utf-8")
        # Also the oldest are left alone, since they are in use.
        assert [(folder / "answerer.log").read_text(encoding="utf-8") for folder in folders] == list("01234567")


def test_of_instances_that_ended_the_last_few_are_kept(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    ended = []
    for _ in range(9):
        with log_folder(tmp_path) as logs:
            ended.append(logs.path)
    assert len([folder for folder in ended if folder.exists()]) == 5
    assert ended[-1].exists()
    assert (tmp_path / "notes").exists()


def test_logs_are_in_use_as_long_as_a_service_of_a_killed_instance_runs(tmp_path: Path) -> None:
    code = (
        "import os, sys, time\nfrom pathlib import Path\nfrom services.log_folders import log_folder\n"
        "instance = log_folder(Path(sys.argv[1]))\nlogs = instance.__enter__()\nos.set_inheritable(logs.lock, True)\n"
        "if os.fork() == 0:\n    os.close(1); time.sleep(60)\n"
        "print(logs.path, flush=True)\nos._exit(0)"
    )
    instance = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    folder = Path(instance.communicate(timeout=HANGS_AFTER_S)[0].strip())
    try:
        for _ in range(9):
            with log_folder(tmp_path):
                pass
        assert folder.exists()
    finally:
        os.killpg(instance.pid, 9)


def test_a_log_is_rotated_and_loses_no_line(tmp_path: Path) -> None:
    log = tmp_path / "writer.log"
    (tmp_path / "writer.py").write_text(_WRITER, encoding="utf-8")
    process = start_module("writer", environment={**os.environ, "PYTHONPATH": str(tmp_path)}, output=log)
    assert process.wait(HANGS_AFTER_S) == 0, log.read_text(encoding="utf-8")
    stop(process, 1)
    lines = [line for file in (previous_log(log), log) for line in file.read_text(encoding="utf-8").splitlines()]
    assert max(log.stat().st_size, previous_log(log).stat().st_size) < 1100
    assert [line.split()[1] for line in lines] == [f"{number:03}" for number in range(300 - len(lines), 300)]
    assert len(lines) > 15
    assert sorted(file.name for file in tmp_path.glob("*.log")) == ["writer.log", "writer.previous.log"]


def test_a_log_whose_folder_is_gone_does_not_fill_the_disk(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "writer.py").write_text(
        _WRITER.replace("for number", "import shutil; shutil.rmtree(sys.argv[1])\nfor number")
        + "sys.exit(os.fstat(1).st_size > 1100)",
        encoding="utf-8",
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    folder = tmp_path / "logs"
    process = start_module("writer", str(folder), environment=environment, output=folder / "writer.log")
    assert process.wait(HANGS_AFTER_S) == 0
    stop(process, 1)
