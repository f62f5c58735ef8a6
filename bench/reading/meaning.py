"""Ask about the company's graph with and without what its owner says of it: `python -m bench.reading.meaning`."""

import argparse
import asyncio
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.reading.asking import ask
from bench.reading.judged_replies import Measured
from bench.results import ROOT, Section, head, keep
from ingestion.importer import import_files
from question_sets.records import QuestionRecord, read_questions
from shared.paths import graph_file, meaning_file

_GRAPH = "company"
_FOLDER = ROOT / "bench" / "questions" / _GRAPH
_CONFIDENT = 0.5
_NOTE = (
    "100 questions about the graph of an invented firm, whose names abbreviate, and 25 that it cannot answer, asked "
    "without training. `meaning.toml` was written from the README of the graph and its names; how the model reads it "
    "was chosen on the 150 training questions. Wrong: a confidence of 0.5 or more, and not the gold answers."
)


def _confident(measured: Measured) -> list[bool]:
    return [one.is_right for one in measured.judged if one.confidence >= _CONFIDENT]


def _asked(records: Sequence[QuestionRecord]) -> Measured:
    return asyncio.run(ask(_GRAPH, Path("none"), records))


def _column() -> dict[str, str]:
    measured = _asked(read_questions(_FOLDER / "questions.jsonl"))
    others = _asked(read_questions(_FOLDER / "unanswerable.jsonl"))
    confident = _confident(measured)
    return {
        "right": f"{sum(one.is_right for one in measured.judged)} of {len(measured.judged)}",
        "confidence of at least 0.5": str(len(confident)),
        "of these, wrong": str(confident.count(False)),
        "unanswerable: answered at 0.5 or more": f"{len(_confident(others))} of {len(others.judged)}",
        "unanswerable: no answer": f"{others.silent} of {len(others.judged)}",
    }


def main() -> None:
    """Import the graph, ask all questions twice, and save the figures."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    commit = head()
    with tempfile.TemporaryDirectory() as home:
        os.environ["KGQA_HOME"] = home
        for file in (graph_file(_GRAPH), meaning_file(_GRAPH)):
            file.parent.mkdir(parents=True, exist_ok=True)
        import_files([_FOLDER / "graph.tsv"], graph_file(_GRAPH))
        columns = {"names of the graph": _column()}
        print(columns, flush=True)
        shutil.copy(_FOLDER / "meaning.toml", meaning_file(_GRAPH))
        columns["with meaning.toml"] = _column()
        print(columns["with meaning.toml"], flush=True)
    command = "python -m bench.reading.meaning"
    title = "Predicted plans: a company's graph, with what its owner says"
    keep("meaning", Section(order=44, title=title, note=_NOTE, command=command, columns=columns, commit=commit))


if __name__ == "__main__":
    main()
