"""Record the replies of the running services, and compare two recordings.

python -m bench.serving.replies record FILE --home HOME --graph world --questions QUESTIONS.jsonl...
python -m bench.serving.replies compare BEFORE AFTER --save NAME    # prints all differences; exits with 1 if any

`record` starts `kgqa up` with the embedded language model on free ports, sends every question to `POST /retrieve` and
to `POST /ask`, and writes one JSON line per question. `--program` starts the `kgqa` of another checkout, so that one
copy of this tool can record the replies of the code before and after a change. For the same reason, recording uses
only the command line, the environment variables, and the HTTP API of the project.

A recording omits the fields that differ between two runs of the same code: the times (`link_ms`, `retrieve_ms`, and
`timings_ms`) and the random `request_id`. It keeps every other field in full precision. Questions are sent one at a
time, because the retriever batches concurrent questions, and the last digits of a score depend on the batch.
"""

import argparse
import json
import lzma
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx

from bench.results import RESULTS, Section, head, keep
from shared.processes import free_port

_OMITTED = {"link_ms", "retrieve_ms", "timings_ms", "request_id"}
_START_TIMEOUT_S = 180.0
# Longer than any reply takes, so that replies do not depend on the load of the machine.
_TIMEOUT_S = "3600"
_TIMEOUTS = (
    "ANSWERER_REQUEST_TIMEOUT_S",
    "RETRIEVER_REQUEST_TIMEOUT_S",
    "REWRITER_REQUEST_TIMEOUT_S",
    "ANSWERER_RETRIEVER_TIMEOUT_S",
    "ANSWERER_REWRITER_TIMEOUT_S",
    "ANSWERER_LLM_TIMEOUT_S",
    "REWRITER_LLM_TIMEOUT_S",
)


def read_questions(files: Sequence[Path], count: int, seed: int | None) -> list[str]:
    """Return `count` distinct questions: a random sample if a seed is given, otherwise the first ones."""
    found: dict[str, None] = {}
    for file in files:
        with lzma.open(file, "rt", encoding="utf-8") if file.suffix == ".xz" else file.open(encoding="utf-8") as lines:
            found.update((json.loads(line)["question"], None) for line in lines)
    questions = list(found)
    return questions[:count] if seed is None else random.Random(seed).sample(questions, min(count, len(questions)))


@contextmanager
def run_services(program: Sequence[str], home: Path, graph: str, retriever: Path | None) -> Iterator[dict[str, str]]:
    """Run `kgqa up`, and yield the URLs of its services, keyed by name.

    Raises:
        RuntimeError: If `kgqa up` exits, or is not ready in time.
    """
    ports = {name: free_port() for name in ("ANSWERER", "RETRIEVER", "REWRITER", "EMBEDDED_LLM")}
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("KGQA_")}
    timeouts = {f"KGQA_{name}": _TIMEOUT_S for name in _TIMEOUTS}
    own = {f"KGQA_{name}_PORT": str(port) for name, port in ports.items()} | timeouts
    command = [*program, "up", "--graph", graph, *(["--retriever", str(retriever)] if retriever else [])]
    urls = {name.lower(): f"http://127.0.0.1:{port}" for name, port in ports.items()}
    environment = {**inherited, **own, "KGQA_HOME": str(home.absolute())}
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
        try:
            _wait_until_ready(process, urls["answerer"])
            yield urls
        finally:
            process.terminate()


def _wait_until_ready(process: "subprocess.Popen[bytes]", url: str) -> None:
    deadline = time.monotonic() + _START_TIMEOUT_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"kgqa up exited with code {process.returncode}; see its message above")
        try:
            reply = httpx.get(f"{url}/readyz", timeout=5, trust_env=False)
            if reply.is_success and all(reply.json()["checks"].values()):
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.1)
    raise RuntimeError(f"kgqa up was not ready within {_START_TIMEOUT_S:.0f} s")


def record(urls: dict[str, str], questions: Sequence[str], file: Path) -> None:
    """Send every question to both routes, write one line per question, and print a summary of the replies."""
    counts: Counter[str] = Counter()
    with httpx.Client(timeout=float(_TIMEOUT_S), trust_env=False) as client, file.open("w", encoding="utf-8") as out:
        for done, question in enumerate(questions, 1):
            line = {
                "question": question,
                "retrieve": _post(client, f"{urls['retriever']}/retrieve", {"question": question}),
                "ask": _post(client, f"{urls['answerer']}/ask", {"question": question, "format": "template"}),
            }
            out.write(json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n")
            counts.update(_facts(line))
            if done % 100 == 0:
                print(f"{done:,} of {len(questions):,} questions", file=sys.stderr, flush=True)
    print(json.dumps({"questions": len(questions), **dict(sorted(counts.items()))}))


def _post(client: httpx.Client, url: str, body: dict[str, str]) -> dict[str, Any]:
    reply = client.post(url, json=body)
    return {"status": reply.status_code, "body": {k: v for k, v in reply.json().items() if k not in _OMITTED}}


def _facts(line: dict[str, Any]) -> Iterator[str]:
    """Yield the properties of a line that the summary counts: failures, answers, and degraded parts."""
    for route in ("retrieve", "ask"):
        status, body = line[route]["status"], line[route]["body"]
        if status != HTTPStatus.OK:
            yield f"{route}: status {status}"
        if body.get("answers"):
            yield f"{route}: answered"
        yield from (f"{route}: degraded by {what}" for what in body.get("degraded", []))


def compare(before: Path, after: Path) -> int:
    """Print every difference field by field, and return the number of lines that differ."""
    first, second = (file.read_text(encoding="utf-8").splitlines() for file in (before, after))
    different = abs(len(first) - len(second))
    if different:
        print(f"{before} has {len(first):,} lines, {after} has {len(second):,}")
    for number, (old, new) in enumerate(zip(first, second, strict=False), 1):
        if old != new:
            different += 1
            print(f"line {number}: {json.loads(old)['question']}")
            for place, was, now in _differences(json.loads(old), json.loads(new)):
                print(f"    {place}: {json.dumps(was, ensure_ascii=False)} -> {json.dumps(now, ensure_ascii=False)}")
    print(f"{different:,} of {max(len(first), len(second)):,} lines differ")
    return different


def _differences(old: Any, new: Any, place: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield the innermost fields that differ, with both values; the value of a missing field is None."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            yield from _differences(old.get(key), new.get(key), f"{place}.{key}".lstrip("."))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (was, now) in enumerate(zip(old, new, strict=True)):
            yield from _differences(was, now, f"{place}[{index}]")
    elif old != new:
        yield place, old, new


def _save(name: str, recording: Path, different: int) -> None:
    lines = [json.loads(line) for line in recording.read_text(encoding="utf-8").splitlines()]
    counts = Counter(fact for line in lines for fact in _facts(line))
    known = RESULTS / "replies.json"
    columns = Section.model_validate_json(known.read_text(encoding="utf-8")).columns if known.is_file() else {}
    columns[name] = {
        "questions": f"{len(lines):,}",
        "answered by `/retrieve`": f"{counts['retrieve: answered']:,}",
        "answered by `/ask`": f"{counts['ask: answered']:,}",
        "questions with a different reply": f"{different:,}",
    }
    note = (
        "The same questions, one at a time, to `POST /retrieve` and `POST /ask` (format `template`) of the code before "
        "and after the source was rearranged. Replies are compared field by field, in full precision, without times."
    )
    command = "python -m bench.serving.replies compare BEFORE AFTER --save NAME"
    title = "Replies before and after the rearrangement of the source"
    keep("replies", Section(order=71, title=title, note=note, command=command, columns=columns, commit=head()))


def main() -> None:
    """Record the replies of one checkout, or compare two recordings."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="record the replies to some questions")
    recording.add_argument("file", type=Path, help="JSON Lines file to write")
    recording.add_argument("--home", type=Path, required=True, help="KGQA_HOME: the folder with the graph")
    recording.add_argument("--graph", required=True, help="name of the graph")
    recording.add_argument("--retriever", type=Path, help="folder of the trained retriever (default: the graph's)")
    recording.add_argument("--questions", type=Path, nargs="+", required=True, help="question files, JSON Lines or .xz")
    recording.add_argument("--count", type=int, default=1000, help="number of questions (default %(default)s)")
    recording.add_argument("--seed", type=int, help="random seed for sampling questions (default: use the first ones)")
    recording.add_argument("--program", type=Path, help="kgqa program to start (default: from this checkout)")
    comparing = commands.add_parser("compare", help="compare two recordings")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--save", metavar="NAME", help="write the counts to docs/benchmarks.md, in the column NAME")
    arguments = parser.parse_args()
    if arguments.command == "compare":
        different = compare(arguments.before, arguments.after)
        if arguments.save:
            _save(arguments.save, arguments.after, different)
        sys.exit(1 if different else 0)
    questions = read_questions(arguments.questions, arguments.count, arguments.seed)
    program = [str(arguments.program)] if arguments.program else [sys.executable, "-m", "kgqa"]
    with run_services(program, arguments.home, arguments.graph, arguments.retriever) as urls:
        record(urls, questions, arguments.file)


if __name__ == "__main__":
    main()
