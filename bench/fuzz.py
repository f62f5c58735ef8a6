"""schemathesis over the OpenAPI documents of all servers, five minutes at once, with invalid data and links followed.

python -m bench.fuzz
"""

import argparse
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.results import Section, head, keep
from tests.hostile.fuzzing import command
from tests.kgqa_up import kgqa_up

_SECONDS = 300
_GENERATED = re.compile(r"(\d+) generated, (\d+) passed")
_SCENARIOS = re.compile(r"Scenarios:\s+(\d+)")


def main() -> None:
    """Fuzz all servers at once, and keep the figures for docs/benchmarks.md."""
    parser = argparse.ArgumentParser(description="schemathesis over every server's OpenAPI document.")
    parser.add_argument("--seconds", type=int, default=_SECONDS, help="for each server (default 300)")
    parser.add_argument("--seed", type=int, default=0, help="of the generated requests (default 0)")
    options = parser.parse_args()
    commit = head()
    with tempfile.TemporaryDirectory() as home, kgqa_up(Path(home)) as running:
        print(f"fuzzing for {options.seconds} s", flush=True)
        commands = [command(url, options.seconds, options.seed) for url in running.urls.values()]
        with ThreadPoolExecutor() as several:
            results = several.map(_fuzzed, commands, [home] * len(commands))
            columns = dict(zip(running.urls, results, strict=True))
    keep(
        "fuzz",
        Section(
            order=67,
            title="schemathesis over the OpenAPI documents",
            note="Valid and invalid requests for five minutes over running servers, all at once. Checked: no 5xx, no "
            "status, content type, header or body that the document does not describe. The documents of the rewriter "
            "and the embedded language model have no links to follow. The language model server has its key.",
            command="python -m bench.fuzz",
            columns=columns,
            commit=commit,
        ),
    )


def _fuzzed(arguments: list[str], folder: str) -> dict[str, str]:
    finished = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    if not (generated := _GENERATED.search(finished.stdout)):
        print(finished.stdout[-5000:])
        raise SystemExit("schemathesis found failures, see above")
    scenarios = _SCENARIOS.search(finished.stdout)
    return {
        "requests": f"{int(generated[1]):,}",
        "passed": f"{int(generated[2]):,}",
        "scenarios over links": f"{int(scenarios[1]):,}" if scenarios else "none to follow",
    }


if __name__ == "__main__":
    main()
