"""Run the long suites one after another, go on after a failure, and end with one table.

`python -m tests.support.long_suites [SUITE ...] [--table FILE]` runs all suites, or those named. The table is also
written to FILE, with the commit, so that a page of the documentation can keep it.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.seeds import SEED

SUITES = ("hostile", "faults", "train", "policy", "images", "vllm", "cluster")
"""Markers of the suites that take too long for every change; `make test-SUITE` runs one."""
_FAILED = 1


@dataclass(frozen=True)
class SuiteResult:
    """Summarise one suite: numbers of tests, the reasons for skipped ones, and seconds."""

    name: str
    passed: int = 0
    failed: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    @property
    def row(self) -> str:
        """Return the suite as a row of a Markdown table."""
        reasons = "; ".join(f"{number}: {reason}" for reason, number in self.skipped.items())
        cells = (self.name, self.passed, self.failed, reasons or "0", f"{self.seconds:.0f}", SEED)
        return f"| {' | '.join(map(str, cells))} |"


def run_suite(name: str) -> SuiteResult:
    """Run a suite with servers of its own; a suite that does not report any test has failed."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        options = f"{os.environ.get('PYTEST_ADDOPTS', '')} --junitxml={report}"
        started = time.monotonic()
        done = subprocess.run([".ci/suite", name], env={**os.environ, "PYTEST_ADDOPTS": options})
        seconds = time.monotonic() - started
        if not report.exists():
            return SuiteResult(name, failed=1, seconds=seconds)
        result = read_report(name, report.read_text(encoding="utf-8"), seconds)
    if done.returncode and not result.failed:
        return SuiteResult(name, result.passed, 1, result.skipped, seconds)
    return result


def read_report(name: str, report: str, seconds: float) -> SuiteResult:
    """Count the tests in a JUnit report."""
    cases = list(ElementTree.fromstring(report).iter("testcase"))
    failed = sum(case.find("failure") is not None or case.find("error") is not None for case in cases)
    skips = [skip for case in cases for skip in case.iter("skipped")]
    reasons = Counter(skip.get("message", "") for skip in skips)
    return SuiteResult(name, len(cases) - failed - len(skips), failed, reasons, seconds)


def table(results: Sequence[SuiteResult], commit: str) -> str:
    """Return the results as a Markdown table."""
    head = f"At commit {commit}:\n\n| suite | passed | failed | skipped, with the reason | seconds | seed |"
    return "\n".join([head, "|---|---|---|---|---|---|", *(result.row for result in results)]) + "\n"


def main() -> int:
    """Run the suites, and return 1 if any test failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("suites", nargs="*", help=f"all by default: {', '.join(SUITES)}")
    parser.add_argument("--table", type=Path, help="also write the table to this file")
    chosen = parser.parse_args()
    if unknown := set(chosen.suites) - set(SUITES):
        parser.error(f"unknown suite {', '.join(sorted(unknown))}; choose from {', '.join(SUITES)}")
    results = [run_suite(name) for name in chosen.suites or SUITES]
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    text = table(results, commit or "unknown")
    if chosen.table:
        chosen.table.write_text(text, encoding="utf-8")
    print(f"\n{text}")
    return _FAILED if any(result.failed for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
