"""`kgqa replay` asks the questions of an audit log again, and says which replies differ."""

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from contracts.answers import Answer
from contracts.ask import AskRequest, AskResponse
from contracts.base import Strategy
from contracts.examples import ASK_EXAMPLE
from evaluation.replay import Verdict, compare, read_audit_log
from services.answerer.audit_record import AuditRecord
from tests.fakes.serving import NOBODY, serving
from tests.unit.kgqa.test_cli import run

OUTPUT = """\
reply          questions
same           1
changed        12
now abstained  1
now answered   1
failed         1
broken lines   2
"""


def record(question: str, *answers: str, **changes: Any) -> AuditRecord:
    fields = {
        "time": datetime(2026, 3, 1, tzinfo=UTC),
        "request_id": "id",
        "strategy": Strategy.PLAN,
        "request": AskRequest(question=question, graph="films"),
        "answer": "",
        "answers": list(answers),
        "confidence": 0.5,
        "abstained": not answers,
        "degraded": [],
    }
    return AuditRecord.model_validate({**fields, **changes})


def response(*answers: str, rows: list[list[Any]] | None = None) -> AskResponse:
    listed = [Answer(value=value, score=0.5, evidence=[]) for value in answers]
    example = AskResponse.model_validate(ASK_EXAMPLE)
    return example.model_copy(update={"answers": listed, "abstained": not answers, "rows": rows or []})


@pytest.mark.parametrize(
    ("before", "now", "verdict"),
    [
        (record("q", "A", "B"), response("B", "A"), Verdict.SAME),
        (record("q", "A"), response("A", "A"), Verdict.CHANGED),
        (record("q", "A", rows=[["A", 1]]), response("A", rows=[["A", 2]]), Verdict.CHANGED),
        (record("q", "A", rows=[["A", 1], ["B", 2]]), response("A", rows=[["B", 2], ["A", 1]]), Verdict.SAME),
        (record("q"), response(), Verdict.SAME),
        (record("q"), response("A"), Verdict.NOW_ANSWERED),
        (record("q", "A"), response(), Verdict.NOW_ABSTAINED),
    ],
)
def test_replies_are_compared_by_their_answers(before: AuditRecord, now: AskResponse, verdict: Verdict) -> None:
    assert compare(before, now) is verdict


@pytest.mark.parametrize(
    "line", [b"\xff\xfe", b"", b"[1]", b'{"time": "2026-03-', b"[" * 10_000, b'{"answer": "secret"}', b"\0" * 100]
)
def test_broken_lines_are_counted_and_do_not_end_the_reading(tmp_path: Path, line: bytes) -> None:
    file = tmp_path / "audit.jsonl"
    file.write_bytes(line + b"\n" + record("q", "A").line())
    records, [broken] = read_audit_log(file)
    assert ([one.answers for one in records], broken.number) == ([["A"]], 1)
    assert broken.reason
    assert "secret" not in broken.reason


async def test_each_question_is_asked_again_with_its_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[dict[str, Any]] = []

    async def answer(request: Request) -> Response:
        asked.append(body := json.loads(await request.body()))
        if body["question"] == "unknown":
            problem = {"type": "urn:kgqa:error:unknown-graph", "title": "t", "status": 404, "detail": "no graph"}
            return JSONResponse(problem, 404, media_type="application/problem+json")
        reply = response() if body["question"] == "lost" else response("new [A]")
        return JSONResponse(reply.model_dump(mode="json"))

    kept = [record("same", "new [A]"), *(record(f"changed {n}", "old") for n in range(12))]
    kept += [record("lost", "A"), record("found"), record("unknown", "A")]
    file = tmp_path / "audit.jsonl"
    file.write_bytes(b"{\n" + b"".join(one.line() for one in kept) + b'{"answers": []}\n')
    async with serving(Starlette(routes=[Route("/ask", answer, methods=["POST"])])) as url:
        code = await asyncio.to_thread(run, monkeypatch, "replay", file, "--url", url)

    shown = capsys.readouterr().out
    assert code == 0
    assert [one["question"] for one in asked] == [one.request.question for one in kept]
    assert {one["graph"] for one in asked} == {"films"}
    assert [line.rstrip() for line in shown.splitlines()[:7]] == OUTPUT.splitlines()
    assert "\nchanged: changed 9\n  before  old\n  now     new [A]\n" in shown
    assert "changed 10" not in shown
    assert "\nnow abstained: lost\n  before  A\n  now     (abstained)\n" in shown
    assert "\nfailed: unknown\n  before  A\n  now     " in shown
    assert "\nline 1: " in shown
    assert "\nline 18: " in shown


def test_a_file_that_is_no_audit_log_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "members.csv").write_text("name,age\nAnn,30\n", encoding="utf-8")
    assert run(monkeypatch, "replay", tmp_path / "members.csv") == 1
    said = "members.csv has no line of an audit log; give the file of KGQA_ANSWERER_AUDIT_LOG"
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("url", [NOBODY, "nonsense"])
def test_without_a_service_nothing_is_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], url: str
) -> None:
    (tmp_path / "audit.jsonl").write_bytes(record("q", "A").line())
    assert run(monkeypatch, "replay", tmp_path / "audit.jsonl", "--url", url) in (1, 2)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "Traceback" not in shown.err
