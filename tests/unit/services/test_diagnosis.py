"""`kgqa doctor` says what is missing, and prints no secret."""

import os
import socket
import sys
from pathlib import Path

import pytest
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from services.diagnosis import Finding, diagnose
from services.port_owners import owner_of
from services.retriever.paths.model_folder import MANIFEST_FILE
from shared.paths import confirmed_file, graph_file, meaning_file, retriever_folder, trusted_file
from shared.processes import free_port
from tests.fakes.serving import NOBODY, serving
from tests.unit.graph import building
from tests.unit.kgqa.test_cli import run

_SECRET = "s3cret-pa55word"


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("KGQA_") and not name.startswith("KGQA_TEST")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("KGQA_HOME", str(tmp_path / "home"))


async def _findings(*graphs: str, base_port: int | None = None) -> dict[str, Finding]:
    folders = {graph: retriever_folder(graph) for graph in graphs or ("mine",)}
    found = await diagnose(folders, None, base_port or free_port())
    assert len({finding.what for finding in found}) == len(found)
    return {finding.what: finding for finding in found}


def _import_graph(tmp_path: Path) -> None:
    graph_file("mine").parent.mkdir(parents=True)
    building.graph_file(tmp_path, [("France", "capital", "Paris")]).replace(graph_file("mine"))


async def test_nothing_is_wrong_with_a_new_installation() -> None:
    assert [finding for finding in (await _findings("world")).values() if not finding.is_ok] == []


async def test_each_of_several_graphs_is_checked(tmp_path: Path) -> None:
    _import_graph(tmp_path)
    found = await _findings("mine", "missing")
    states = {what: finding.is_ok for what, finding in found.items() if what.startswith(("graph", "retriever"))}
    assert states == {"graph mine": True, "retriever mine": True, "graph missing": False, "retriever missing": True}


async def test_what_the_owner_says_is_checked(tmp_path: Path) -> None:
    _import_graph(tmp_path)
    files = {"meaning": meaning_file, "trusted questions": trusted_file, "confirmed questions": confirmed_file}
    whats = list(files)

    def write(content: bytes) -> None:
        for path_of in files.values():
            path_of("mine").parent.mkdir(exist_ok=True)
            path_of("mine").write_bytes(content)

    before = await _findings()
    write(b"")
    sound = await _findings()
    write(b"[kinds.City\n\xff")
    damaged = await _findings()
    meaning_file("mine").write_bytes(b"[kinds.City]\nhiden = true\n")
    misspelt = await _findings("mine", "world")

    assert before.keys().isdisjoint(whats)
    assert [sound[what].is_ok for what in whats] == [True, True, True]
    assert [damaged[what].is_ok for what in whats] == [False, False, False]
    assert all(str(path_of("mine")) in damaged[what].said for what, path_of in files.items())
    assert not misspelt["meaning mine"].is_ok
    assert "line 2: " in misspelt["meaning mine"].said


async def test_folders_in_place_of_files_of_the_owner_are_problems(tmp_path: Path) -> None:
    _import_graph(tmp_path)
    for path_of in (meaning_file, trusted_file, confirmed_file):
        path_of("mine").mkdir(parents=True)

    found = await _findings()

    said = [found[what] for what in ("meaning", "trusted questions", "confirmed questions")]
    assert [one for one in said if one.is_ok or "is a folder; move it away" not in one.said] == []


async def test_a_port_that_another_program_has_names_it() -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        port = server.getsockname()[1]
        found = (await _findings(base_port=port))[f"port {port}"]
    assert not found.is_ok
    assert f"process {os.getpid()} ({Path(sys.executable).name}" in found.said
    assert "--port" in found.said


def test_the_owner_of_a_port_is_shown_without_its_arguments(tmp_path: Path) -> None:
    process = tmp_path / "12"
    (process / "fd").mkdir(parents=True)
    (process / "fd" / "3").symlink_to("socket:[77]")
    (process / "cmdline").write_bytes(f"/usr/bin/redis-server\0--requirepass\0{_SECRET}\0".encode())
    (tmp_path / "net").mkdir()
    state = "  sl  local_address rem_address   st ...\n 0: 0100007F:1F40 00000000:0000 0A 0:0 0:0 0 1000 0 77 1\n"
    (tmp_path / "net" / "tcp").write_text(state, encoding="ascii")
    assert owner_of(8000, tmp_path) == "process 12 (redis-server)"
    assert owner_of(8001, tmp_path) is None


async def test_a_missing_graph_and_an_old_retriever_are_problems(tmp_path: Path) -> None:
    assert "kgqa import" in (await _findings())["graph"].said
    _import_graph(tmp_path)
    found = await _findings()
    assert found["graph"] == Finding("graph", True, "mine: 2 entities, 1 triple")
    assert found["retriever"].is_ok
    retriever_folder("mine").mkdir(parents=True)
    (retriever_folder("mine") / MANIFEST_FILE).write_text("{}", encoding="utf-8")
    assert not (await _findings())["retriever"].is_ok


@pytest.mark.parametrize(("status", "is_ok"), [(200, True), (503, False)])
async def test_a_model_server_speaks_for_itself(monkeypatch: pytest.MonkeyPatch, status: int, *, is_ok: bool) -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            body = {"data": [{"id": "answerer"}]} if status == 200 else {"error": {"message": "the GPU is on fire"}}
            await JSONResponse(body, status)(scope, receive, send)

    monkeypatch.setenv("KGQA_ANSWERER_LLM_API_KEY", _SECRET)
    async with serving(app) as url:
        monkeypatch.setenv("KGQA_ANSWERER_LLM_URL", url)
        found = (await _findings())["model of the answerer"]
    assert found.is_ok is is_ok
    assert ("the GPU is on fire" in found.said) is not is_ok
    assert _SECRET not in found.said


async def test_the_model_of_the_retriever_may_be_missing_but_not_be_down(monkeypatch: pytest.MonkeyPatch) -> None:
    without = (await _findings())["model of the retriever"]
    monkeypatch.setenv("KGQA_RETRIEVER_LLM_URL", NOBODY)
    monkeypatch.setenv("KGQA_RETRIEVER_LLM_MODEL", "coder")
    down = (await _findings())["model of the retriever"]
    assert without == Finding("model of the retriever", True, "not configured, so the strategy cypher is not available")
    assert not down.is_ok and "is unreachable" in down.said


async def test_servers_that_are_not_there_are_problems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGQA_REWRITER_REDIS_URL", f"redis://:{_SECRET}@127.0.0.1:1/0")
    monkeypatch.setenv("KGQA_NEO4J_URL", "bolt://127.0.0.1:1")
    monkeypatch.setenv("KGQA_NEO4J_PASSWORD", _SECRET)
    found = await _findings()
    assert [what for what in ("redis", "graph") if found[what].is_ok] == []
    assert _SECRET not in "".join(finding.said for finding in found.values())


@pytest.mark.parametrize(("variable", "what"), [("KGQA_REWRITER_REDIS_URL", "redis"), ("KGQA_NEO4J_URL", "graph")])
async def test_an_invalid_setting_is_a_problem(monkeypatch: pytest.MonkeyPatch, variable: str, what: str) -> None:
    monkeypatch.setenv(variable, f"nonsense {_SECRET}")
    found = await _findings()
    assert not found[what].is_ok
    assert _SECRET not in "".join(finding.said for finding in found.values())


def test_the_exit_code_is_1_for_a_problem(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "doctor", "--port", str(free_port())) == 0
    assert run(monkeypatch, "doctor", "--port", str(free_port()), "--graph", "nope") == 1
    assert "problem  graph" in capsys.readouterr().out
