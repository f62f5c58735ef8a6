"""Measure the structure of the code: folders, file and function lengths, use of `shared/`, duplicates, docstrings.

python -m bench.code.structure                    # print the figures for this checkout
python -m bench.code.structure --before DIR       # compare it with another checkout, and write docs/benchmarks.md
python -m bench.code.structure DIR --docstrings   # list the findings; also --duplicates, --unreached
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from bench.code.docstrings import opens_with_verb
from bench.code.python_files import ENTRIES, File, find_duplicates, find_longest_function, find_reached, read_files
from bench.results import ROOT, Section, head, keep

_CORE = (
    "services",
    "texts",
    "contracts",
    "language",
    "graph",
    "shared",
    "training",
    "evaluation",
    "question_sets",
    "ingestion",
    "kgqa",
)
_SOURCE = (*_CORE, "examples")
_APART = ("bench", "tests")
_SMALL_FILE = 60
_PROBE = Path(__file__).with_name("linking_probe.py")


def count_returns(checkout: Path) -> str:
    """Link a demo question with the code in a checkout, and count how often control returns to a file."""
    demo = checkout / "examples" / "world"
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "KGQA_HOME": home, "PYTHONPATH": str(checkout)}
        python = [sys.executable, "-P"]
        command = [*python, "-m", "kgqa", "import", str(demo / "graph.tsv.xz"), "--graph", "world"]
        subprocess.run(command, env=environment, cwd=checkout, check=True, capture_output=True)
        command = [*python, str(_PROBE), str(demo / "retriever")]
        printed = subprocess.run(command, env=environment, cwd=checkout, check=True, capture_output=True, text=True)
    stays, files = json.loads(printed.stdout)
    return f"{stays - files} ({stays} stays in {files} files)"


def measure(checkout: Path) -> dict[str, str]:
    """Return the figures for a checkout, keyed by name."""
    commit = subprocess.run(
        ["git", "-C", str(checkout), "rev-parse", "--short", "HEAD"], capture_output=True, text=True
    )
    figures = {"commit": commit.stdout.strip() or "–"}
    source, core = read_files(checkout, _SOURCE), read_files(checkout, _CORE)
    for title, rooms in [*((f"`{room}/`", (room,)) for room in (*_SOURCE, *_APART)), ("source, all rooms", _SOURCE)]:
        files = read_files(checkout, rooms)
        figures[title] = f"{sum(file.length for file in files):,} lines in {len(files)} files" if files else "–"
    lengths = [file.length for file in core if not file.path.endswith("__init__.py")]
    figures["median file, lines"] = f"{median(lengths):g}"
    figures[f"files of {_SMALL_FILE} lines or fewer"] = f"{sum(length <= _SMALL_FILE for length in lengths)}"
    figures["longest function, lines"] = find_longest_function(core)
    figures |= _shared_reach(source)
    figures["returns to a file while linking a question"] = count_returns(checkout)
    figures["duplicate pairs"] = str(len(find_duplicates(source)))
    opened = [opens_with_verb(text) for file in source for _, text in file.documented()]
    figures["docstrings that open with an imperative verb"] = f"{sum(opened) / len(opened):.1%} of {len(opened):,}"
    return figures


def _shared_reach(files: list[File]) -> dict[str, str]:
    """Count the lines of `shared/` by the number of services that reach them."""
    reached, lines = find_reached(files), Counter[str]()
    for file in files:
        if file.room == "shared":
            services = [service for service, modules in reached.items() if file.module in modules]
            lines[services[0] if len(services) == 1 else "several" if services else "none"] += file.length
    alone = [f"{service} {lines[service]:,}" for service in ENTRIES]
    by_one = sum(lines[service] for service in ENTRIES)
    return {
        "lines of `shared/` that no service reaches": f"{lines['none']:,}",
        "lines of `shared/` that one service reaches": f"{by_one:,} ({', '.join(alone)})",
        "lines of `shared/` that several services reach": f"{lines['several']:,}",
    }


def list_offenders(checkout: Path, kinds: set[str]) -> Iterator[str]:
    """Yield the findings: docstrings without a verb, duplicate code, and files that no service reaches."""
    files = read_files(checkout, _SOURCE)
    if "docstrings" in kinds:
        for file in files:
            for node, text in file.documented():
                if not opens_with_verb(text):
                    yield f"{file.path}:{node.body[0].lineno}: {text.splitlines()[0]}"
    if "duplicates" in kinds:
        yield from (f"{one} {other} ({length} lines)" for one, other, length in find_duplicates(files))
    if "unreached" in kinds:
        reached = set[str]().union(*find_reached(files).values())
        for file in files:
            if file.room == "shared" and file.module not in reached:
                yield f"{file.path} ({file.length} lines)"


def main() -> None:
    """Measure one checkout, compare two checkouts, or list findings."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path, nargs="?", default=ROOT)
    parser.add_argument("--before", type=Path, help="checkout to compare this one with")
    kinds = ("docstrings", "duplicates", "unreached")
    for kind in kinds:
        parser.add_argument(f"--{kind}", action="append_const", const=kind, dest="kinds")
    arguments = parser.parse_args()
    checkout = arguments.checkout.resolve()
    if arguments.kinds:
        print(*list_offenders(checkout, set(arguments.kinds)), sep="\n")
        return
    columns = {"before": measure(arguments.before.resolve())} if arguments.before else {}
    columns["after" if arguments.before else "figures"] = measure(checkout)
    for name in next(iter(columns.values())):
        print(name, *(column[name] for column in columns.values()), sep=" | ")
    if arguments.before:
        note = (
            "Source excludes `bench/` and `tests/`. File and function lengths also exclude `examples/`, and file "
            "lengths exclude `__init__.py`. A service reaches what its `__main__` imports, directly or "
            "indirectly. Returns: the files of `services/retriever/`, in the order in which linking one question "
            "first calls their functions, without the first stay in each file. Duplicate pair: two places that "
            "share six or more lines of code."
        )
        command = "python -m bench.code.structure --before DIR"
        keep(
            "structure",
            Section(order=70, title="Structure", note=note, command=command, columns=columns, commit=head()),
        )


if __name__ == "__main__":
    main()
