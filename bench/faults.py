"""Freeze and kill each production part while sixteen clients ask: what is answered, what fails, how soon all is well.

python -m bench.faults NEO4J_PROGRAM      # all parts, a minute each
python -m bench.faults NEO4J_PROGRAM --only redis

NEO4J_PROGRAM starts and stops a Neo4j: `start HOME PORT PASSWORD` returns when it is ready, `stop HOME`, `kill HOME`
(SIGKILL), `freeze HOME` (SIGSTOP), `thaw HOME` (SIGCONT).
"""

import argparse
import asyncio
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

import aiohttp
from prometheus_client.parser import text_string_to_metric_families

from bench.clients import CLIENTS, LOST, Outcome, ask, put_load
from bench.parts import QUESTIONS
from bench.results import Section, head, keep
from bench.whole import Whole, whole
from question_sets.records import read_questions

# What an answer may be given without while a part is away; without the others there is none.
WITHOUT: dict[str, set[str]] = {
    "neo4j": set(),
    "redis": {"cache"},
    "model": {"qa_model", "rewriter_model"},
    "retriever": set(),
    "rewriter": {"rewriter"},
    # One that was frozen finds, when it goes on, that its own calls took too long.
    "answerer": {"rewriter", "qa_model"},
}
RECOVERS_WITHIN_S = 5.0
_OUTSIDE = set.union(*WITHOUT.values())
_ASKED = 150
_SECONDS = 60
_FELT_S = 1.0
_FROZEN_AT, _THAWED_AT, _KILLED_AT, _STARTED_AT = 8, 18, 28, 32


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a minute in which a part was frozen for ten seconds, and killed and started anew.

    `wrong`: answers that differ from those in peace. `untold`: failures that are no problem+json with a reason, where
    the answerer itself was not killed. `uncounted`: statuses and degradations of which the answerer's metrics tell
    another number. `late`: requests sent 5 s after a return or later that failed or were given without something.
    `seconds`: from the part's returns to the last request that was not answered whole.
    """

    requests: int
    whole: int
    degraded: Counter[str]
    failed: Counter[int]
    wrong: list[Outcome]
    untold: list[Outcome]
    uncounted: list[str]
    late: list[Outcome]
    seconds: tuple[float, float]


async def disturbed(parts: Whole, part: str) -> Verdict:
    """The minute. Raises RuntimeError if the fault was not felt, or in peace not all is well."""
    questions = [record.question for record in read_questions(QUESTIONS)][:_ASKED]
    expected = {outcome.question: outcome.found for outcome in await _asked_in_peace(parts.url, questions)}
    before = await _counted(parts.url)
    started = time.monotonic()
    async with asyncio.TaskGroup() as tasks:
        loading = tasks.create_task(put_load(parts.url, questions, started + _SECONDS))
        leaving = tasks.create_task(_freeze_and_kill(parts, part, started))
    outcomes, away = loading.result(), leaving.result()
    for gone, back in away:
        during = [outcome for outcome in outcomes if outcome.sent < back and outcome.ended > gone]
        if all(_is_whole(outcome) and outcome.ended - outcome.sent < _FELT_S for outcome in during):
            raise RuntimeError(f"nobody felt that {part} was away")
    answered = [outcome for outcome in outcomes if outcome.is_answered]
    failed = [outcome for outcome in outcomes if not outcome.is_answered]
    degraded = Counter(without for outcome in answered for without in outcome.body["degraded"])
    told = Counter({str(status): number for status, number in Counter(o.status for o in outcomes).items()}) + degraded
    # The counters of an answerer that is killed go with it.
    counted = told if part == "answerer" else await _counted(parts.url) - before
    return Verdict(
        requests=len(outcomes),
        whole=sum(map(_is_whole, outcomes)),
        degraded=Counter({without: number for without, number in degraded.items() if without in _OUTSIDE}),
        failed=Counter(outcome.status for outcome in failed),
        wrong=[outcome for outcome in answered if not _is_right(outcome, expected[outcome.question])],
        untold=[
            outcome for outcome in failed if not (_is_told(outcome) or (part == "answerer" and not outcome.status))
        ],
        uncounted=[name for name in told.keys() | counted.keys() if told[name] != counted[name]],
        late=[outcome for outcome in outcomes if _is_late(outcome, away)],
        seconds=_seconds(outcomes, away),
    )


async def _freeze_and_kill(parts: Whole, part: str, started: float) -> list[tuple[float, float]]:
    """When the part went away, and when it was there again."""
    away = []
    for leave, come_back, gone_at, back_at in (
        (parts.freeze, parts.thaw, _FROZEN_AT, _THAWED_AT),
        (parts.kill, parts.start, _KILLED_AT, _STARTED_AT),
    ):
        await asyncio.sleep(started + gone_at - time.monotonic())
        gone = time.monotonic()
        await asyncio.to_thread(leave, part)
        await asyncio.sleep(started + back_at - time.monotonic())
        await asyncio.to_thread(come_back, part)
        away.append((gone, time.monotonic()))
    return away


def _is_right(outcome: Outcome, expected: tuple[list[str], bool]) -> bool:
    names, abstained = outcome.found
    return outcome.found == expected and (abstained or any(name in outcome.body["answer"] for name in names))


def _is_told(outcome: Outcome) -> bool:
    unavailable = outcome.status == HTTPStatus.SERVICE_UNAVAILABLE
    return unavailable and bool(outcome.body.get("detail")) and bool(outcome.body.get("request_id"))


def _is_whole(outcome: Outcome) -> bool:
    return outcome.is_answered and not _OUTSIDE & set(outcome.body["degraded"])


def _is_late(outcome: Outcome, away: Sequence[tuple[float, float]]) -> bool:
    in_peace = all(outcome.ended < gone or outcome.sent > back + RECOVERS_WITHIN_S for gone, back in away)
    return in_peace and not _is_whole(outcome)


def _seconds(outcomes: Sequence[Outcome], away: Sequence[tuple[float, float]]) -> tuple[float, float]:
    (_, thawed), (killed, started) = away
    lacking = [outcome.ended for outcome in outcomes if not _is_whole(outcome)]
    after_thaw = max((ended - thawed for ended in lacking if thawed <= ended < killed), default=0.0)
    return after_thaw, max((ended - started for ended in lacking if started <= ended), default=0.0)


async def _asked_in_peace(url: str, questions: Sequence[str]) -> list[Outcome]:
    async with aiohttp.ClientSession() as session:
        outcomes = [await ask(session, url, question) for question in questions]
    if not all(map(_is_whole, outcomes)):
        raise RuntimeError("not all is well before anything happened")
    return outcomes


async def _counted(url: str) -> Counter[str]:
    """What the answerer's metrics say of statuses, and of what it did without."""
    counted: Counter[str] = Counter()
    async with aiohttp.ClientSession() as session, session.get(f"{url}/metrics") as reply:
        for family in text_string_to_metric_families(await reply.text()):
            for sample in family.samples:
                if sample.name == "kgqa_requests_total" and sample.labels["route"] == "/ask":
                    counted[sample.labels["status"]] += int(sample.value)
                elif sample.name == "kgqa_degraded_total":
                    counted[sample.labels["without"]] += int(sample.value)
    return counted


def _shown(verdict: Verdict) -> dict[str, str]:
    lost = verdict.failed[LOST]
    return {
        "requests": str(verdict.requests),
        "answered whole": str(verdict.whole),
        "answered without something": ", ".join(f"{n} {without}" for without, n in verdict.degraded.items()) or "0",
        "failed: 503 with a reason": str(verdict.failed.total() - lost - len(verdict.untold)),
        "failed: connection lost": str(lost),
        "failed otherwise, or counted otherwise": str(len(verdict.untold) + len(verdict.uncounted)),
        "wrong answers": str(len(verdict.wrong)),
        "well again after SIGSTOP, s": f"{verdict.seconds[0]:.1f}",
        "well again after SIGKILL, s": f"{verdict.seconds[1]:.1f}",
    }


def main() -> None:
    """Disturb one part after the other, and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="NEO4J_PROGRAM", help="starts and stops a Neo4j")
    parser.add_argument("--only", choices=WITHOUT, help="this part alone; nothing is kept")
    arguments = parser.parse_args()
    commit, columns = head(), {}
    with tempfile.TemporaryDirectory(prefix="kgqa-bench-") as folder, whole(arguments.program, Path(folder)) as parts:
        for part in [arguments.only] if arguments.only else WITHOUT:
            columns[part] = _shown(asyncio.run(disturbed(parts, part)))
            print(part, columns[part])
    if arguments.only:
        return
    note = (
        f"{CLIENTS} clients ask the demo's questions for {_SECONDS} s, each again as soon as it has its answer, 0.1 s "
        f"after a failure. At {_FROZEN_AT} s the part is frozen (SIGSTOP) for {_THAWED_AT - _FROZEN_AT} s, at "
        f"{_KILLED_AT} s killed (SIGKILL), at {_STARTED_AT} s started anew. Time-outs of 3 s and less; the model is a "
        "stub behind a real server. Seconds are from the part's return (thawed; ready after its start) to the last "
        "request that failed or was answered without something."
    )
    keep("faults", Section(order=31, title="Faults", note=note, command="python -m bench.faults NEO4J_PROGRAM",
                           columns=columns, commit=commit))  # fmt: skip


if __name__ == "__main__":
    main()
