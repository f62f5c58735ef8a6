"""Verify the questions about the company graph: `python -m bench.questions.company.check`.

Imports the graph into a temporary file, runs every plan, and compares the result with the recorded answers. Relation
paths and the questions with conditions are also answered from the facts by plain Python.
"""

import asyncio
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.questions.company.build import GRAPH_FILE, Fact, FirmBuilder
from bench.questions.company.expected import EXPECTED, Expected
from bench.questions.company.facts import Facts
from graph.plan.algebra import Column, Order, Plan, Project, Slice
from graph.plan.checks import read_plan
from graph.plan.result import rounded
from graph.plan.values import NodeRef, to_json
from graph.sqlite.store import SqliteGraphStore
from graph.store import GraphStore
from ingestion.importer import import_files

QUESTION_FILES = ("questions", "train")
UNANSWERABLE = "unanswerable"

Line = dict[str, Any]


def main() -> None:
    """Print the problems and a summary; exit with status 1 if there is a problem."""
    triples = read_graph()
    outdated = "graph.tsv is outdated; run python -m bench.questions.company.build"
    problems = [] if triples == FirmBuilder().build() else [outdated]
    facts = Facts(triple for triple in triples if triple[1] != "alias")
    sets = {name: read_lines(name) for name in (*QUESTION_FILES, UNANSWERABLE)}
    problems += duplicates(sets)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "company.sqlite"
        import_files([GRAPH_FILE], file)
        lines = [line for name in QUESTION_FILES for line in sets[name]]
        problems += asyncio.run(run_plans(SqliteGraphStore(file), lines, facts))
    problems += [problem for line in sets[UNANSWERABLE] for problem in check_unanswerable(line, facts)]
    for problem in problems:
        print(problem)
    counts = ", ".join(f"{len(lines)} in {name}" for name, lines in sets.items())
    with_paths = sum("path" in line for line in sets["questions"])
    print(f"{counts}; independently verified in questions: {with_paths} paths, {len(EXPECTED)} conditions")
    print(f"{len(problems)} problem{'' if len(problems) == 1 else 's'}")
    sys.exit(bool(problems))


def read_graph() -> list[Fact]:
    """Read the triples of the graph file, with aliases."""
    rows = (line.split("\t") for line in GRAPH_FILE.read_text(encoding="utf-8").splitlines())
    return [(subject, relation, object_) for subject, relation, object_ in rows]


def read_lines(name: str) -> list[Line]:
    """Read a question file next to this script."""
    text = GRAPH_FILE.with_name(f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def duplicates(sets: dict[str, list[Line]]) -> Iterator[str]:
    """Find questions that are asked twice, and plans for testing that are also used for training."""
    seen: dict[str, str] = {}
    for name, lines in sets.items():
        for line in lines:
            question = line["question"].lower()
            plan = json.dumps(line["plan"]) if "plan" in line else question
            for key in {question, plan} & seen.keys():
                yield f"{name}: {line['question']!r} repeats {seen[key]!r}"
            seen |= {question: line["question"], plan: line["question"]}


async def run_plans(store: GraphStore, lines: list[Line], facts: Facts) -> list[str]:
    """Run the plan of each question, and return what differs from the recorded and the expected answers."""
    problems = []
    for line in lines:
        plan = read_plan(line["plan"])
        rows = [tuple(map(_shown, row)) for row in (await store.run(plan)).rows]
        found = list(dict.fromkeys(row[0] for row in rows))
        if found != line["answers"]:
            problems.append(f"{line['question']!r}: the plan returns {found}, not {line['answers']}")
        if not found or None in found:
            problems.append(f"{line['question']!r}: the plan returns no answer")
        if "path" in line and facts.follow(line["topic"], line["path"]) != set(line["answers"]):
            problems.append(f"{line['question']!r}: the path leads to other answers")
        expected = EXPECTED.get(line["question"])
        if expected and not _agrees(expected(facts), rows):
            problems.append(f"{line['question']!r}: expected {expected(facts)}, found {rows}")
        problems += [f"{line['question']!r}: the limit separates equal rows"] * await _has_tie(store, plan)
    asked = {line["question"] for line in lines}
    await store.close()
    return problems + [f"nobody asks {question!r}" for question in EXPECTED if question not in asked]


def check_unanswerable(line: Line, facts: Facts) -> Iterator[str]:
    """Find unanswerable questions whose fields are inconsistent."""
    if line["answers"] or line["path"]:
        yield f"{line['question']!r}: an unanswerable question has neither answers nor a path"
    if ("topic" in line) == (line["kind"] == "unknown_entity"):
        yield f"{line['question']!r}: only a question about an unknown entity has no topic"
    if "topic" in line and line["topic"] not in facts.names:
        yield f"{line['question']!r}: the graph has no entity {line['topic']!r}"


def _agrees(expected: Expected, rows: list[tuple[Any, ...]]) -> bool:
    if isinstance(expected, dict):
        return {name: rounded(value) for name, value in expected.items()} == dict(rows)
    first = [row[0] for row in rows]
    if isinstance(expected, set):
        return len(first) == len(expected) and set(first) == expected
    if isinstance(expected, list):
        return first == expected
    # `1 == True` in Python, but a number is no answer to a yes-or-no question.
    return [(type(one), one) for one in first] == [(type(expected), _rounded(expected))]


def _rounded(value: float) -> float:
    return rounded(value) if isinstance(value, float) else value


async def _has_tie(store: GraphStore, plan: Plan) -> bool:
    """Return whether a limit cuts between rows with equal sort keys, so that the question has no clear answer."""
    for place, (ordering, cut) in enumerate(zip(plan.steps, plan.steps[1:], strict=False)):
        if isinstance(ordering, Order) and isinstance(cut, Slice):
            keys = tuple(Column(f"key{number}", key.value) for number, key in enumerate(ordering.keys))
            rows = (await store.run(Plan((*plan.steps[: place + 1], Project(keys))))).rows
            return len(rows) > cut.limit and rows[cut.limit - 1] == rows[cut.limit]
    return False


def _shown(value: Any) -> Any:
    """Return a value as the question files write it: nodes by name, dates in ISO format."""
    if isinstance(value, NodeRef):
        return value.name
    written = to_json(value)
    return written["date"] if isinstance(written, dict) else written


if __name__ == "__main__":
    main()
