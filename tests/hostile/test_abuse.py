"""Attack running servers in many ways, while honest clients use them; bench/serving/abuse.py measures how fast."""

import asyncio

import pytest

from question_sets.records import read_questions
from tests.support.abuse import AbuseReport, children, measure_abuse
from tests.support.command_line import LLM_KEY, Running
from tests.support.production_stack import QUESTIONS

MEGABYTE = 1_000_000

pytestmark = pytest.mark.hostile

_SECONDS = 15


@pytest.fixture(scope="module")
def report(attacked: Running) -> AbuseReport:
    questions = [record.question for record in read_questions(QUESTIONS)][:25]
    return asyncio.run(measure_abuse(attacked.urls, LLM_KEY, children(attacked.process.pid), questions, _SECONDS))


def test_every_attack_ran(report: AbuseReport) -> None:
    attacks = {name.split(" answered")[0] for name in report.attacks}
    assert attacks == {
        "endless headers",
        "stalled bodies",
        "silent connections",
        "resets",
        "CJK questions",
        "abandoned model requests",
    }


def test_no_honest_request_fails(report: AbuseReport) -> None:
    assert not report.undisturbed.failed
    assert not report.attacked.failed
    assert report.attacked.seconds


def test_every_probe_is_answered(report: AbuseReport) -> None:
    assert not report.attacked.probes_failed
    assert all(report.attacked.probes.values())


def test_memory_does_not_grow(report: AbuseReport) -> None:
    for name, (before, peak, after) in report.memory.items():
        assert peak < before + 100 * MEGABYTE, name
        assert after < before + 40 * MEGABYTE, name
