"""Say at the end of a run which tests were skipped, and what would let them run."""

from collections import Counter

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the reasons for skipped tests, with the number of tests of each."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(str(report.longrepr[2]).removeprefix("Skipped: ") for report in skipped)
    if not reasons:
        return
    terminalreporter.section(f"NOT TESTED HERE: {sum(reasons.values())} skipped", sep="!", yellow=True, bold=True)
    for reason, number in reasons.most_common():
        terminalreporter.write_line(f"{number:>5}  {reason}")
    terminalreporter.write_line('CONTRIBUTING.md says more, under "Tests that need a server".')
