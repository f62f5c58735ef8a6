"""The audit log has one line for each answered question, and never costs a reply."""

import json
import stat
import threading
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from contracts.ask import AskRequest
from contracts.retrieve import RetrieveResponse
from services.answerer import audit_log as audit_module
from services.answerer.app import create_app
from services.answerer.audit_log import Audit, AuditLog, append_lines
from services.answerer.audit_record import AuditRecord
from services.answerer.pipeline import Asker
from services.answerer.settings import AnswererSettings
from shared.access import Access, current_caller
from shared.api_keys import caller_keys, hash_of
from shared.errors import InvalidInputError
from tests.fakes.llm import ScriptedModel
from tests.fakes.services import FakeRetrieval, FakeRewriting, capital_of_france, nothing_found
from tests.fakes.serving import serving
from tests.support.waiting import until
from tests.unit.services.answerer.test_app import retriever, rewriter

QUESTION: dict[str, Any] = {"question": "capital of France?"}
_KEY = "kgqa_" + 43 * "k"
_NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def records(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


async def audited(file: Path, found: RetrieveResponse, request: AskRequest, access: Access) -> dict[str, Any]:
    """Return the record of one question."""
    log = AuditLog(file, lambda _: None)
    audit = Audit(log, lambda: access, "scripted", clock=lambda: _NOON)
    asker = Asker(FakeRetrieval(found), FakeRewriting(), ScriptedModel(["Paris"]), audit.record)
    async with log.running():
        await asker.ask(request, "id-1")
    [record] = records(file)
    return record


@asynccontextmanager
async def service(file: Path, **settings: Any) -> AsyncIterator[httpx.AsyncClient]:
    """Serve an answerer that keeps an audit log."""
    async with AsyncExitStack() as stack:
        urls = {
            "retriever_url": await stack.enter_async_context(serving(retriever())),
            "rewriter_url": await stack.enter_async_context(serving(rewriter())),
        }
        configured = AnswererSettings.model_validate({**urls, "audit_log": file, **settings})
        app = create_app(configured, model=ScriptedModel(lambda _: "Paris"))
        url = await stack.enter_async_context(serving(app))
        headers = {"Authorization": f"Bearer {_KEY}"}
        yield await stack.enter_async_context(httpx.AsyncClient(base_url=url, trust_env=False, headers=headers))


async def test_a_record_says_who_asked_what_and_what_the_reply_was(tmp_path: Path) -> None:
    current_caller.set("chatbot")
    found = capital_of_france().model_copy(update={"graph_version": "films 7"})
    request = AskRequest(question="capital of France?", graph="films")

    record = await audited(tmp_path / "audit.jsonl", found, request, Access(("films",)))

    assert record == {
        "time": "2026-03-01T12:00:00Z",
        "request_id": "id-1",
        "caller": "chatbot",
        "graph": "films",
        "graph_version": "7",
        "qa_model": "scripted",
        "strategy": "plan",
        "request": request.model_dump(mode="json"),
        "answer": "The capital of France is Paris.",
        "answers": ["Paris"],
        "rows": [],
        "confidence": 0.9,
        "abstained": False,
        "degraded": [],
        "plan": 'match "France" -capital-> answer → distinct answer',
        "path": ["capital"],
    }
    assert AuditRecord.model_validate(record).request == request


async def test_the_default_graph_of_a_key_is_named(tmp_path: Path) -> None:
    record = await audited(tmp_path / "a", nothing_found(), AskRequest(**QUESTION), Access(("films", "people")))
    assert (record["graph"], record["abstained"], record["answers"], record["path"]) == ("films", True, [], [])


async def test_every_way_to_ask_is_recorded_and_the_key_is_not(tmp_path: Path) -> None:
    file = tmp_path / "logs" / "audit.jsonl"
    chat = {"model": "kgqa", "messages": [{"role": "user", "content": QUESTION["question"]}]}
    tool = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ask", "arguments": QUESTION}}
    accepted = {"Accept": "application/json, text/event-stream"}
    async with service(file, api_keys=caller_keys({"chatbot": hash_of(_KEY)})) as http:
        replies = [
            await http.post("/ask", json=QUESTION),
            await http.post("/ask/stream", json=QUESTION),
            await http.post("/ask/batch", json={"requests": [QUESTION, QUESTION]}),
            await http.post("/v1/chat/completions", json=chat),
            await http.post("/mcp", json=tool, headers=accepted),
        ]
        refused = await http.post("/ask", json={"question": ""})

    assert [reply.status_code for reply in (*replies, refused)] == [200] * 5 + [422]
    kept = records(file)
    assert [(one["caller"], one["answers"]) for one in kept] == [("chatbot", ["Paris"])] * 6
    assert kept[0]["request_id"] == replies[0].json()["request_id"]
    assert _KEY not in file.read_text(encoding="utf-8")
    assert hash_of(_KEY) not in file.read_text(encoding="utf-8")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_without_the_setting_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert AnswererSettings().audit_log is None
    create_app(AnswererSettings())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("taken", ["folder", "file/audit.jsonl"])
def test_a_log_that_cannot_be_written_stops_the_start(tmp_path: Path, taken: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InvalidInputError, match="correct KGQA_ANSWERER_AUDIT_LOG"):
        create_app(AnswererSettings(audit_log=tmp_path / taken))


async def test_a_full_disk_costs_no_reply_and_is_logged_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    async with service(tmp_path / "audit.jsonl") as http:

        async def is_counted() -> bool:
            return "kgqa_audit_failures_total 3.0" in (await http.get("/metrics")).text

        with monkeypatch.context() as patched:
            patched.setattr(audit_module, "_write_all", full)
            replies = [await http.post("/ask", json=QUESTION) for _ in range(3)]
            await until(is_counted)
        replies.append(await http.post("/ask", json=QUESTION))

    assert [reply.status_code for reply in replies] == [200] * 4
    assert len(records(tmp_path / "audit.jsonl")) == 1
    assert _failures(caplog) == 1
    assert "No space left on device" in caplog.text
    assert "France" not in caplog.text


def _failures(caplog: pytest.LogCaptureFixture) -> int:
    return sum("loses lines" in record.message for record in caplog.records)


async def test_a_slow_disk_delays_no_reply_and_more_than_fits_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, written, lost = threading.Event(), list[bytes](), list[int]()

    def slow(_: Path, lines: list[bytes]) -> None:
        gate.wait()
        written.extend(lines)

    log = AuditLog(tmp_path / "audit.jsonl", lost.append, max_waiting_bytes=6)
    monkeypatch.setattr(audit_module, "append_lines", slow)
    async with log.running():
        for line in (b"1\n", b"2\n", b"3\n", b"4\n"):
            log.add(line)
        gate.set()

    assert (written, lost) == ([b"1\n", b"2\n", b"3\n"], [1])


def test_a_line_that_was_cut_off_does_not_spoil_the_next(tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    file.write_bytes(b'{"time":')
    append_lines(file, [b"{}\n", b"[]\n"])
    assert file.read_bytes() == b'{"time":\n{}\n[]\n'


async def test_lines_before_a_failure_do_not_count_as_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lost = list[int]()
    log = AuditLog(tmp_path / "audit.jsonl", lost.append)
    write_all = audit_module._write_all

    def small_disk(descriptor: int, data: bytes) -> None:
        if data == b"2\n":
            raise OSError(28, "No space left on device")
        write_all(descriptor, data)

    monkeypatch.setattr(audit_module, "_write_all", small_disk)
    async with log.running():
        for line in (b"1\n", b"2\n", b"3\n"):
            log.add(line)

    assert (lost, (tmp_path / "audit.jsonl").read_bytes()) == ([2], b"1\n")
