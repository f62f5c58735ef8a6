"""`kgqa status` and `kgqa logs` find the instances of `kgqa up` by their log folders."""

import io
import os
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graph.sqlite.connection import summarise_file
from services.instances import Instance, Restarts, record_instance, running_instances
from services.log_folders import log_folder
from services.retriever.paths.model_folder import MANIFEST_FILE
from shared.paths import graph_file, home, retriever_folder
from tests.unit.graph import building
from tests.unit.kgqa.test_cli import run

NOWHERE = "http://127.0.0.1:1"


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path / "home"))


def start(stack: ExitStack, port: int, **servers: str) -> Path:
    """Record an instance that runs as long as the stack is open, and return its log folder."""
    folder = stack.enter_context(log_folder(home() / "logs")).path
    urls = {"answerer": f"http://127.0.0.1:{port}", **servers}
    record_instance(folder, Instance(graphs=("mine",), is_file=True, retriever=retriever_folder("mine"), urls=urls))
    return folder


def _import_graph(tmp_path: Path, *rows: tuple[str, str, str]) -> str:
    target = graph_file("mine")
    target.parent.mkdir(parents=True, exist_ok=True)
    building.graph_file(tmp_path, rows).replace(target)
    return summarise_file(target).version


def test_nothing_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with ExitStack() as stack:
        start(stack, 1)
    assert run(monkeypatch, "status") == 1
    assert "nothing runs; start it with: kgqa up" in capsys.readouterr().err


def test_instances_side_by_side_are_shown_with_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _import_graph(tmp_path, ("France", "capital", "Paris"))
    with ExitStack() as stack:
        folders = [start(stack, 1, llm=NOWHERE), start(stack, 2)]
        assert [instance.port for _, instance in running_instances()] == [2, 1]
        assert run(monkeypatch, "status") == 1
    shown = capsys.readouterr().out
    assert all(str(folder) in shown for folder in folders)
    assert "llm        port 1  not ready: it does not respond; see its log" in shown
    assert "the packaged base model" in shown


def test_restarts_are_shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    exited = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    restarts = {
        "answerer": Restarts(number=2, reason="was killed by SIGKILL", exited=exited, pause_s=2, is_running=True),
        "llm": Restarts(number=0, reason="exited with code 1: no", exited=exited, pause_s=4, is_running=False),
    }
    urls = {"answerer": NOWHERE, "llm": NOWHERE}
    with ExitStack() as stack:
        folder = stack.enter_context(log_folder(home() / "logs")).path
        running = Instance(graphs=("mine",), is_file=True, retriever=retriever_folder("mine"), urls=urls)
        record_instance(folder, running.model_copy(update={"restarts": restarts}))
        assert run(monkeypatch, "status") == 1
    shown = capsys.readouterr().out
    at = exited.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    assert f"see its log; restarted 2 times, because it was killed by SIGKILL, at {at}" in shown
    assert f"not ready: it exited with code 1: no, at {at}, and is started again in 4 s" in shown


def test_what_runs_is_named_if_nothing_answers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("ask", "Who?", "--url", NOWHERE)
    assert run(monkeypatch, *asked) == 1
    assert "Start it with: kgqa up" in capsys.readouterr().err
    with ExitStack() as stack:
        start(stack, 2)
        assert run(monkeypatch, *asked) == 1
    assert "kgqa up runs at http://127.0.0.1:2 (graph mine); set KGQA_URL or --url to it" in capsys.readouterr().err


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_services_that_start_are_not_asked_for_elsewhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], host: str
) -> None:
    with ExitStack() as stack:
        start(stack, 1)
        assert run(monkeypatch, "ask", "Who?", "--url", f"http://{host}:1/") == 1
    said = " ".join(capsys.readouterr().err.split())
    assert f"kgqa up, process {os.getpid()}, is still starting the answerer there, or restarts it; ask again" in said
    assert "--url" not in said


@pytest.mark.parametrize(("question", "typed"), [(["Who?"], ""), ([], "Who?\n")])
def test_a_graph_that_does_not_exist_is_said_if_nothing_answers(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    question: list[str],
    typed: str,
) -> None:
    _import_graph(tmp_path, ("France", "capital", "Paris"))

    def asked(graph: str) -> str:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        assert run(monkeypatch, "ask", *question, "--graph", graph, "--url", NOWHERE) == 1
        return " ".join(capsys.readouterr().err.split())

    assert "There is no graph 'mina' here; did you mean 'mine'? list the graphs with kgqa graphs" in asked("mina")
    assert "Start it with: kgqa up --graph mine" in asked("mine")
    assert "Start it with: kgqa up --graph world" in asked("world")
    with ExitStack() as stack:
        start(stack, 2)
        assert "There is no graph 'nope' here; list the graphs" in asked("nope")
        assert "kgqa up runs at http://127.0.0.1:2 (graph mine); set KGQA_URL or --url to it" in asked("mine")


def test_a_model_older_than_the_graph_is_shown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    version = _import_graph(tmp_path, ("France", "capital", "Paris"))
    retriever_folder("mine").mkdir(parents=True)
    manifest = f'{{"graph": "mine", "graph_version": "{version}"}}'
    (retriever_folder("mine") / MANIFEST_FILE).write_text(manifest, encoding="utf-8")
    with ExitStack() as stack:
        start(stack, 1)
        run(monkeypatch, "status")
        assert "on this version of the graph" in capsys.readouterr().out
        _import_graph(tmp_path, ("France", "capital", "Lyon"))
        run(monkeypatch, "status")
    assert "was trained on a different version of this graph; retrain the retriever" in capsys.readouterr().out


def test_logs_are_those_of_the_chosen_instance(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with ExitStack() as stack:
        first, second = start(stack, 1), start(stack, 2)
        for name, folder in (("first", first), ("second", second)):
            (folder / "answerer.log").write_text(f"a\n{name} b\n{name} c\n", encoding="utf-8")
            (folder / "llm.log").write_text("model\n", encoding="utf-8")
        assert run(monkeypatch, "logs", "answerer", "--port", "1", "--lines", "1") == 0
        assert capsys.readouterr().out == f"==> {first / 'answerer.log'} <==\nfirst c\n"
        assert run(monkeypatch, "logs") == 0
        assert capsys.readouterr().out.count("==>") == 2
        assert run(monkeypatch, "logs", "--path") == 0
        assert capsys.readouterr().out == f"{second}\n"
        assert run(monkeypatch, "logs", "other") == 1
        assert "there are: answerer, llm" in capsys.readouterr().err
        assert run(monkeypatch, "logs", "--port", "3") == 1


def test_logs_of_an_instance_that_ended_are_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with ExitStack() as stack:
        start(stack, 1)
        with ExitStack() as inner:
            ended = start(inner, 2)
        assert run(monkeypatch, "logs", "--path") == 0
        assert str(ended) not in capsys.readouterr().out
        assert run(monkeypatch, "logs", "--path", "--port", "2") == 0
        assert str(ended) in capsys.readouterr().out
    assert running_instances() == []
