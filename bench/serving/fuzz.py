"""Run schemathesis on the OpenAPI documents of all servers for ten minutes: `python -m bench.serving.fuzz`.

Schemathesis sends valid and invalid data to all servers at once, and follows the links between operations.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.results import Section, head, keep
from tests.support.command_line import kgqa_up
from tests.support.fuzzing import schemathesis_command

_SECONDS = 600
_GENERATED = re.compile(r"(\d+) generated, (\d+) passed")
_SCENARIOS = re.compile(r"Scenarios:\s+(\d+)")
_NOTE = (
    "Valid and invalid requests to all running servers at once, for ten minutes. Checked: no 5xx, and no status, "
    "content type, header, or body that the OpenAPI document does not describe. The documents of the rewriter and of "
    "the embedded language model have no links to follow. The requests to the language model carry its key."
)


def main() -> None:
    """Fuzz all servers, and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=_SECONDS, help="duration in seconds (default 600)")
    parser.add_argument("--seed", type=int, default=0, help="random seed for the generated requests (default 0)")
    options = parser.parse_args()
    commit = head()
    with tempfile.TemporaryDirectory() as home, kgqa_up(Path(home)) as running:
        print(f"fuzzing for {options.seconds} s", flush=True)
        commands = [schemathesis_command(url, options.seconds, options.seed) for url in running.urls.values()]
        with ThreadPoolExecutor() as threads:
            results = threads.map(_fuzz, commands, [home] * len(commands))
            columns = dict(zip(running.urls, results, strict=True))
    title, command = "schemathesis over the OpenAPI documents", "python -m bench.serving.fuzz"
    keep("fuzz", Section(order=67, title=title, note=_NOTE, command=command, columns=columns, commit=commit))


def _fuzz(command: list[str], folder: str) -> dict[str, str]:
    finished = subprocess.run([sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False)
    if not (generated := _GENERATED.search(finished.stdout)):
        print(finished.stdout[-5000:])
        raise SystemExit("schemathesis found failures; see above")
    scenarios = _SCENARIOS.search(finished.stdout)
    return {
        "requests": f"{int(generated[1]):,}",
        "passed": f"{int(generated[2]):,}",
        "scenarios over links": f"{int(scenarios[1]):,}" if scenarios else "no links",
    }


if __name__ == "__main__":
    main()
