"""Measure normal clients and health probes while the demo is attacked for a minute: `python -m bench.serving.abuse`."""

import argparse
import asyncio
import tempfile
from pathlib import Path

from bench.results import Section, head, keep
from question_sets.records import read_questions
from tests.support.abuse import PROBE_LIMIT_S, AbuseReport, Period, children, measure_abuse
from tests.support.command_line import LLM_KEY, kgqa_up
from tests.support.production_stack import QUESTIONS

_QUESTION_COUNT = 25
_SECONDS = 60
_MEGABYTE = 1_000_000


def main() -> None:
    """Run the measurement, and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=_SECONDS, help="length of each period (default 60)")
    seconds = parser.parse_args().seconds
    commit = head()
    questions = [record.question for record in read_questions(QUESTIONS)][:_QUESTION_COUNT]
    with tempfile.TemporaryDirectory() as home, kgqa_up(Path(home)) as running:
        pids = children(running.process.pid)
        report = asyncio.run(measure_abuse(running.urls, LLM_KEY, pids, questions, seconds))
    keep(
        "abuse",
        Section(
            order=66,
            title="Abuse: a minute of attacks of six kinds beside four honest clients",
            note=_note(report),
            command="python -m bench.serving.abuse",
            columns={"undisturbed": _column(report.undisturbed), "under attack": _column(report.attacked)},
            commit=commit,
        ),
    )


def _column(period: Period) -> dict[str, str]:
    probes = [seconds for route in period.probes.values() for seconds in route]
    return {
        "honest requests answered": f"{len(period.seconds):,}",
        "honest requests failed": str(sum(period.failed.values())),
        "p50 ms": f"{1000 * period.p50:.0f}",
        "p99 ms": f"{1000 * period.p99:.0f}",
        "probes": f"{len(probes):,}",
        "probes not answered 200": str(sum(period.probes_failed.values())),
        "slowest probe ms": f"{1000 * period.slowest_probe:.0f}",
        f"probes over {1000 * PROBE_LIMIT_S:.0f} ms": str(sum(seconds > PROBE_LIMIT_S for seconds in probes)),
    }


def _note(report: AbuseReport) -> str:
    attacks = ", ".join(f"{number:,} {name}" for name, number in sorted(report.attacks.items()))
    memory = "; ".join(
        f"{name} {before / _MEGABYTE:.0f} / {peak / _MEGABYTE:.0f} / {after / _MEGABYTE:.0f}"
        for name, (before, peak, after) in report.memory.items()
    )
    return (
        "`kgqa up` serves the demo graph; attackers, clients, and all servers share two cores. "
        f"Attacks: {attacks}. "
        "Probes: `/healthz` and `/readyz` of all four servers, ten times a second. "
        f"Resident memory in MB before the attacks, at its peak, and two seconds after the attacks: {memory}."
    )


if __name__ == "__main__":
    main()
