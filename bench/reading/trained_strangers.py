"""Train on 40 questions about each of two property graphs, and ask 29 others before and after.

    python -m bench.reading.trained_strangers HOME

HOME keeps graphs and models; an interrupted run resumes there. Before the training, it is interrupted after 1, 10,
and 60 seconds, and the answers are compared with those before.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bench.reading.stranger_graphs import graph_files
from bench.results import ROOT, Section, head, keep
from contracts.answers import answer_names
from contracts.retrieve import RetrieveRequest
from evaluation.in_process import open_retriever
from evaluation.model_comparison import Score, score
from evaluation.outcomes import outcome_of
from ingestion.importer import import_files
from kgqa.train_retriever import NOTHING_BETTER
from question_sets.records import QuestionRecord, read_questions
from shared.paths import graph_file, retriever_folder

_GRAPHS = ("festival", "software")
_TRAINED_ON, _ASKED = 40, 29
_UNANSWERABLE = "unanswerable"
_INTERRUPTED_AFTER_S = (1, 10, 60)
_NOTE = (
    "40 questions about each graph, drawn with seed 1 from those that it answers, to train on, and 29 others to ask: "
    "right; wrong with a confidence of 0.5 or more; without an answer. `kgqa train retriever` keeps 20 of the 40 aside "
    "and installs what answers these better. Interrupted: it got SIGINT after so many seconds, and the 29 questions "
    "were answered as before, with the same confidence."
)

Answers = list[tuple[list[str], float]]


def draw(graph: str) -> tuple[list[QuestionRecord], list[QuestionRecord]]:
    """Return the questions to train on, and those to ask."""
    records = read_questions(ROOT / "bench" / "questions" / "strangers" / graph / "questions.jsonl")
    answerable = [one for one in records if one.kind != _UNANSWERABLE]
    random.Random(1).shuffle(answerable)
    return answerable[:_TRAINED_ON], answerable[_TRAINED_ON:][:_ASKED]


async def _ask(graph: str, records: Sequence[QuestionRecord]) -> tuple[Score, Answers]:
    """Ask the retriever that a service would load."""
    outcomes, answers = [], []
    async with open_retriever(graph, retriever_folder(graph)) as loaded:
        for record in records:
            reply = await loaded.retriever.retrieve(RetrieveRequest(question=record.question))
            outcomes.append(outcome_of(record, reply, 0.0))
            answers.append((answer_names(reply.answers), reply.confidence))
    return score(outcomes), answers


def _measure(graph: str, home: Path) -> dict[str, str]:
    target = graph_file(graph)
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        import_files(graph_files(ROOT / "bench" / "questions" / "strangers" / graph), target)
    training, asked = draw(graph)
    file = home / f"{graph}-train.jsonl"
    file.write_text("".join(f"{one.model_dump_json(exclude_unset=True)}\n" for one in training), encoding="utf-8")
    command = [sys.executable, "-m", "kgqa", "train", "retriever", "--graph", graph, "--questions", str(file)]
    before, answers = asyncio.run(_ask(graph, asked))
    figures = {}
    for seconds in _INTERRUPTED_AFTER_S:
        with subprocess.Popen(command) as process:
            time.sleep(seconds)
            process.send_signal(signal.SIGINT)
        is_same = asyncio.run(_ask(graph, asked))[1] == answers
        figures[f"interrupted after {seconds} s"] = "answers as before" if is_same else "other answers"
    started = time.perf_counter()
    code = subprocess.run(command, check=False).returncode
    if code not in (0, NOTHING_BETTER):
        raise subprocess.CalledProcessError(code, command)
    after, _ = asyncio.run(_ask(graph, asked))
    return {
        "right, before and after": f"{before.right} and {after.right} of {len(asked)}",
        "confidently wrong, before and after": f"{before.wrong} and {after.wrong}",
        "without an answer, before and after": f"{before.silent} and {after.silent}",
        "trained models": "not installed" if code == NOTHING_BETTER else "installed",
        "seconds of the last run": f"{time.perf_counter() - started:.0f}",
        **figures,
    }


def main() -> None:
    """Measure both graphs, and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", type=Path, help="a folder for the graphs and the models")
    home = parser.parse_args().home
    home.mkdir(parents=True, exist_ok=True)
    os.environ["KGQA_HOME"] = str(home)
    # Programs that a shell runs in the background ignore SIGINT, and so would those that they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    commit, columns = head(), {}
    for graph in _GRAPHS:
        columns[graph] = _measure(graph, home)
        print(json.dumps({graph: columns[graph]}), flush=True)
    title = "Training on few questions: strangers' graphs"
    command = "python -m bench.reading.trained_strangers HOME"
    keep(
        "trained-strangers", Section(order=42, title=title, note=_NOTE, command=command, columns=columns, commit=commit)
    )


if __name__ == "__main__":
    main()
