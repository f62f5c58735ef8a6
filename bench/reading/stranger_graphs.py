"""Ask everyday questions about twelve graphs that no model has seen: `python -m bench.reading.stranger_graphs`."""

import argparse
import asyncio
import json
import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.results import ROOT, Section, head, keep
from contracts.answers import answer_names
from contracts.retrieve import RetrieveRequest, RetrieveResponse
from evaluation.in_process import open_retriever
from evaluation.reliability import Verdict, reliability_scores
from graph.plan.value_text import value_text
from ingestion.importer import import_files
from shared.exact_match import exact
from shared.paths import graph_file

_FOLDER = ROOT / "bench" / "questions" / "strangers"
_GRAPHS = (
    "bakery", "library", "shipping", "festival", "hospital", "software", "windfarm", "museum", "builder", "lawfirm",
    "rescue", "cooperative",
)  # fmt: skip
_CONFIDENT = 0.5
_UNANSWERABLE, _GROUP = "unanswerable", "group"
_MIDNIGHT = re.compile(r"T00:00(?::00)?$")
_NOTE = (
    "70 questions that each graph answers, and 20 or 30 that it does not, asked without training. Right: the answers, "
    "or a column of the table, are the gold answers; no answer, if there is none. Rules were developed with the first "
    "four graphs, and the confidence is fitted to them. RS(c): +1 for a right answer or a right silence, 0 for a "
    "needless silence, -c for a wrong answer, in percent; answered at a confidence of c/(1+c)."
)


@dataclass(frozen=True)
class _Asked:
    kind: str
    is_right: bool
    is_silent: bool
    confidence: float

    @property
    def verdict(self) -> Verdict:
        is_answerable = self.kind != _UNANSWERABLE
        is_right = is_answerable and self.is_right
        return Verdict(0.0 if self.is_silent else self.confidence, is_right, is_answerable)


def graph_files(folder: Path) -> list[Path]:
    """Return the files of facts in a folder."""
    return [file for file in sorted(folder.iterdir()) if file.suffix in (".tsv", ".csv")]


def is_right(answers: Sequence[str], kind: str, reply: RetrieveResponse) -> bool:
    """Return whether a reply has the gold answers; a reply without answers is right if there are none."""
    columns = [
        answer_names(reply.answers),
        *([value_text(cell) for cell in one] for one in zip(*reply.rows, strict=True)),
    ]
    if not answers or not reply.answers:
        return not answers and not reply.answers
    gold = {_normal(one) for one in answers}
    if kind == _GROUP:
        pairs = (
            zip(first, second, strict=True) for first in columns[1:] for second in columns[1:] if first is not second
        )
        return any({_normal(f"{key}: {value}") for key, value in one} == gold for one in pairs)
    return any({_normal(one) for one in column} == gold for column in columns)


def _normal(text: str) -> str:
    """Return the form of an answer that is compared: numbers have two decimals, dates no time, and truth a word."""
    key, separator, value = text.rpartition(": ")
    try:
        value = f"{float(value):.2f}"
    except ValueError:
        value = {"true": "yes", "false": "no"}.get(value.lower(), exact(_MIDNIGHT.sub("", value)))
    return f"{exact(key)}{separator}{value}"


async def _ask(name: str, questions: Sequence[dict[str, Any]]) -> list[_Asked]:
    found = []
    async with open_retriever(name, Path("none")) as loaded:
        for one in questions:
            reply = await loaded.retriever.retrieve(RetrieveRequest(question=one["question"]))
            right = is_right(one["answers"], one["kind"], reply)
            found.append(_Asked(one["kind"], right, not reply.answers, reply.confidence))
    return found


def _column(asked: Sequence[_Asked]) -> dict[str, str]:
    answerable = [one for one in asked if one.kind != _UNANSWERABLE]
    others = [one for one in asked if one.kind == _UNANSWERABLE]
    confident = [one for one in asked if one.confidence >= _CONFIDENT and not one.is_silent]
    wrong = sum(not one.is_right for one in confident)
    doubted = sum(one.is_silent or one.confidence < _CONFIDENT for one in others)
    return {
        "right": f"{sum(one.is_right for one in answerable)} of {len(answerable)}",
        "unanswerable: no answer": f"{sum(one.is_silent for one in others)} of {len(others)}",
        "unanswerable: no answer, or a confidence below 0.5": f"{doubted} of {len(others)}",
        "confidence of at least 0.5": str(len(confident)),
        "of these, wrong": f"{wrong} ({100 * wrong / max(1, len(confident)):.1f} %)",
        **{name: f"{score:.0f}" for name, score in reliability_scores([one.verdict for one in asked]).items()},
        "RS of silence": f"{100 * len(others) / max(1, len(asked)):.0f}",
    }


def main() -> None:
    """Import the graphs, ask all questions, and save the figures."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    commit = head()
    columns = {}
    with tempfile.TemporaryDirectory() as home:
        os.environ["KGQA_HOME"] = home
        for name in _GRAPHS:
            target = graph_file(name)
            target.parent.mkdir(parents=True, exist_ok=True)
            import_files(graph_files(_FOLDER / name), target)
            lines = (_FOLDER / name / "questions.jsonl").read_text(encoding="utf-8").splitlines()
            columns[name] = _column(asyncio.run(_ask(name, list(map(json.loads, lines)))))
            print(name, columns[name], flush=True)
    command = "python -m bench.reading.stranger_graphs"
    title = "Predicted plans: strangers' graphs"
    keep("stranger-graphs", Section(order=42, title=title, note=_NOTE, command=command, columns=columns, commit=commit))


if __name__ == "__main__":
    main()
