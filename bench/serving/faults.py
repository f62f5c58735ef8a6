"""Freeze and kill each production component while sixteen clients send questions.

python -m bench.serving.faults NEO4J_PROGRAM                 # all components, a minute or so each
python -m bench.serving.faults NEO4J_PROGRAM --only redis

NEO4J_PROGRAM manages a Neo4j server. Its commands are `start HOME PORT PASSWORD`, which returns when the server is
ready, `stop HOME`, `kill HOME` (SIGKILL), `freeze HOME` (SIGSTOP), and `thaw HOME` (SIGCONT).
"""

import argparse
import asyncio
import tempfile
from pathlib import Path

from bench.results import Section, head, keep
from tests.support.fault_injection import (
    CONNECTION_LOST,
    FROZEN_S,
    KILLED_S,
    RECOVERED_AFTER,
    UNDISTURBED_S,
    FaultReport,
    inject_faults,
)
from tests.support.production_stack import PARTS, production_stack_with_neo4j

_CLIENTS = 16
_NOTE = (
    f"{_CLIENTS} clients ask the demo's questions; each client asks again as soon as it has an answer, or 0.1 s after "
    f"a failure. After {UNDISTURBED_S} s, the part is frozen (SIGSTOP) for {FROZEN_S} s; {UNDISTURBED_S} s after "
    f"{RECOVERED_AFTER} complete answers in a row, it is killed (SIGKILL), and restarted {KILLED_S} s later. Timeouts "
    "are 3 s or less; the model is a stub behind a real server. Recovery is measured from the part's return (thawed, "
    "or ready after its restart) to the last request that failed or was degraded."
)


def _column(report: FaultReport) -> dict[str, str]:
    lost = report.failed[CONNECTION_LOST]
    return {
        "requests": str(report.requests),
        "answered completely": str(report.complete),
        "answered with a degradation": ", ".join(f"{n} {name}" for name, n in report.degraded.items()) or "0",
        "failed: 503 with a reason": str(report.failed.total() - lost - len(report.unexplained)),
        "failed: connection lost": str(lost),
        "failed otherwise, or miscounted": str(len(report.unexplained) + len(report.miscounted)),
        "wrong answers": str(len(report.wrong)),
        "recovery after SIGSTOP, s": f"{report.recovery_s[0]:.1f}",
        "recovery after SIGKILL, s": f"{report.recovery_s[1]:.1f}",
    }


def main() -> None:
    """Inject faults into one component after another; save the figures unless only one was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="NEO4J_PROGRAM", help="program that starts and stops a Neo4j server")
    parser.add_argument("--only", choices=PARTS, help="measure only this component, and save nothing")
    arguments = parser.parse_args()
    commit, columns = head(), {}
    with (
        tempfile.TemporaryDirectory(prefix="kgqa-bench-") as folder,
        production_stack_with_neo4j(arguments.program, Path(folder)) as stack,
    ):
        for part in [arguments.only] if arguments.only else PARTS:
            columns[part] = _column(asyncio.run(inject_faults(stack, part, _CLIENTS)))
            print(part, columns[part])
    if arguments.only:
        return
    command = "python -m bench.serving.faults NEO4J_PROGRAM"
    keep("faults", Section(order=31, title="Faults", note=_NOTE, command=command, columns=columns, commit=commit))


if __name__ == "__main__":
    main()
