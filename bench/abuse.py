"""A minute of mixed abuse beside four honest clients, on the demo as `kgqa up` serves it.

python -m bench.abuse
"""

import argparse
import asyncio
import tempfile
from pathlib import Path

from bench.parts import QUESTIONS
from bench.results import Section, head, keep
from question_sets.records import read_questions
from tests.hostile.abuse import Period, Verdict, abused, children
from tests.kgqa_up import LLM_KEY, kgqa_up

_ASKED = 25
_SECONDS = 60
_MEGABYTE = 1_000_000


def main() -> None:
    """Measure, and keep the figures for docs/benchmarks.md."""
    parser = argparse.ArgumentParser(description="A minute of mixed abuse beside four honest clients.")
    parser.add_argument("--seconds", type=float, default=_SECONDS, help="in peace, and under attack (default 60)")
    seconds = parser.parse_args().seconds
    commit = head()
    questions = [record.question for record in read_questions(QUESTIONS)][:_ASKED]
    with tempfile.TemporaryDirectory() as home, kgqa_up(Path(home)) as running:
        pids = children(running.process.pid)
        verdict = asyncio.run(abused(running.urls, LLM_KEY, pids, questions, seconds))
    keep(
        "abuse",
        Section(
            order=66,
            title="Abuse: a minute of attacks of six kinds beside four honest clients",
            note=_note(verdict),
            command="python -m bench.abuse",
            columns={"in peace": _row(verdict.peace), "under attack": _row(verdict.attacked)},
            commit=commit,
        ),
    )


def _row(period: Period) -> dict[str, str]:
    return {
        "honest requests answered": f"{len(period.seconds):,}",
        "honest requests failed": str(sum(period.failed.values())),
        "p50 ms": f"{1000 * period.p50:.0f}",
        "p99 ms": f"{1000 * period.p99:.0f}",
        "probes": f"{sum(map(len, period.probes.values())):,}",
        "probes not answered 200": str(sum(period.probes_failed.values())),
        "slowest probe ms": f"{1000 * period.slowest_probe:.0f}",
        "probes over 200 ms": str(sum(took > 0.2 for several in period.probes.values() for took in several)),
    }


def _note(verdict: Verdict) -> str:
    made = ", ".join(f"{number:,} {name}" for name, number in sorted(verdict.made.items()))
    memory = "; ".join(
        f"{name} {before / _MEGABYTE:.0f} / {peak / _MEGABYTE:.0f} / {after / _MEGABYTE:.0f}"
        for name, (before, peak, after) in verdict.memory.items()
    )
    return (
        f"`kgqa up` on the demo graph; attackers, clients and all servers share the two cores. Attacks: {made}. "
        "Probes: `/healthz` and `/readyz` of all four servers, ten times a second. "
        f"Resident memory in MB before / at most / two seconds after: {memory}."
    )


if __name__ == "__main__":
    main()
