"""Check the answers in `questions.jsonl` against the facts: `python -m bench.questions.demo_conditions.check`.

With `--write`, write the file instead.
"""

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bench.questions.demo_conditions.expected import QUESTIONS
from bench.questions.demo_conditions.facts import World, read_world
from bench.questions.demo_conditions.question import KINDS, Answer, Question

_FILE = Path(__file__).with_name("questions.jsonl")
_Value = str | float | bool


def check(file: Path, questions: Sequence[Question], description: str | None) -> int:
    """Compare a file with the computed answers, and return 1 if they differ; `--write` writes the file.

    `description` explains the command in its help.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the file")
    options = parser.parse_args()
    lines = compute_lines(questions, read_world())
    if options.write:
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    stored = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    problems = [*find_duplicates(questions), *find_empty(lines), *find_differences(lines, stored)]
    counts = Counter(question.kind for question in questions)
    print(f"{len(lines)} questions:", ", ".join(f"{kind} {counts[kind]}" for kind in KINDS))
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems")
    return 1 if problems else 0


def compute_lines(questions: Sequence[Question], world: World) -> list[str]:
    """Compute the lines of the file."""
    rows = (
        {"question": question.text, "kind": question.kind, "answers": as_list(question.answer(world))}
        for question in questions
    )
    return [json.dumps(row, ensure_ascii=False) for row in rows]


def as_list(answer: Answer) -> list[_Value]:
    """Turn an answer into a list: a list keeps its order, a set is sorted, numbers have at most two decimals."""
    match answer:
        case bool() | str():
            return [answer]
        case int() | float():
            rounded = round(answer, 2)
            return [int(rounded) if rounded == int(rounded) else rounded]
        case list():
            return list(answer)
        case _:
            return sorted(answer)


def find_duplicates(questions: Sequence[Question]) -> list[str]:
    """Report questions that occur twice, ignoring case and punctuation."""
    counts = Counter(" ".join(re.findall(r"\w+", question.text.casefold())) for question in questions)
    return [f"duplicate: {text}" for text, count in counts.items() if count > 1]


def find_empty(lines: Sequence[str]) -> list[str]:
    """Report lines without answers."""
    return [f"no answers: {line}" for line in lines if not json.loads(line)["answers"]]


def find_differences(expected: Sequence[str], stored: Sequence[str]) -> list[str]:
    """Report stored lines that differ from the expected ones."""
    problems = [f"line {number}: expected {line}" for number, line in enumerate(expected, 1) if line not in stored]
    problems += [f"unexpected: {line}" for line in stored if line not in expected]
    if not problems and list(stored) != list(expected):
        problems.append("the lines are in a different order or repeated")
    return problems


if __name__ == "__main__":
    sys.exit(check(_FILE, QUESTIONS, __doc__))
