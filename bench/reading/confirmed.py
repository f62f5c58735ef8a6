"""Ask questions over unseen schemas with some of them confirmed: `python -m bench.reading.confirmed DATA`.

DATA holds the folder `schema_corpus`. Of each schema of the everyday corpus's `dev` split, one wording of some queries
is confirmed, and other wordings of these queries and other queries are asked, with and without what is confirmed.
"""

import argparse
import asyncio
import os
import random
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.reading.everyday import gold_answers
from bench.reading.figures import share
from bench.reading.stranger_graphs import is_right
from bench.results import Section, head, keep
from contracts.json_lines import write_lines
from contracts.retrieve import RetrieveRequest
from evaluation.in_process import open_retriever
from graph.plan.algebra import Plan
from graph.sqlite.store import SqliteGraphStore
from question_sets.records import QuestionRecord
from services.retriever.serving.wiring import load_planner
from shared.paths import confirmed_file, graph_file
from training.planning.calibration.everyday_schemas import SchemaQuestions, name_pool, read_everyday, write_rows
from training.planning.confirming import confirmed_questions

_SEED = 1
_CONFIRMED = 40
_ASKED = 40
_CONFIDENT = 0.5
_NOTE = (
    "Everyday questions over the ten schemas of `dev`. Of each schema, one wording of 40 queries is confirmed. Asked "
    "are other wordings of these queries, and 40 questions about others, end to end over made-up rows; questions whose "
    "gold query returns nothing are left out. Training is not involved. "
)


@dataclass(frozen=True)
class Division:
    """Hold the questions about one schema that are confirmed, and those that are asked."""

    confirmed: Sequence[QuestionRecord]
    same: Sequence[str]
    other: Sequence[str]


def divide(asked: SchemaQuestions) -> Division:
    """Divide the questions about a schema by their queries."""
    by_plan: dict[Plan, list[str]] = {}
    for one in asked.questions.questions:
        by_plan.setdefault(one.plan, []).append(one.question)
    plans = list(by_plan)
    random.Random(_SEED).shuffle(plans)
    chosen = [plan for plan in plans if len(by_plan[plan]) > 1][:_CONFIRMED]
    records = [QuestionRecord(question=by_plan[plan][0], plan=plan) for plan in chosen]
    others = [by_plan[plan][0] for plan in plans if plan not in set(chosen)]
    return Division(records, [by_plan[plan][1] for plan in chosen], others[:_ASKED])


async def _ask(
    name: str, folder: Path, questions: Sequence[str], gold: Mapping[str, list[str]]
) -> list[tuple[bool, bool]]:
    """Return for each question whether its answer is right, and whether it is confident."""
    found = []
    async with open_retriever(name, folder) as loaded:
        for question in questions:
            reply = await loaded.retriever.retrieve(RetrieveRequest(question=question))
            is_confident = bool(reply.answers) and reply.confidence >= _CONFIDENT
            found.append((is_right(gold[question], "", reply), is_confident))
    return found


async def _schema(asked: SchemaQuestions, folder: Path) -> tuple[int, dict[str, list[tuple[bool, bool]]]]:
    """Ask the questions about one schema; return how many are confirmed, and what became of the others."""
    store = SqliteGraphStore(graph_file(asked.name))
    divided = divide(asked)
    gold = await gold_answers(asked, store)
    confirmed = await confirmed_questions(store, divided.confirmed, load_planner(store, folder))
    await store.close()
    print(asked.name, len(confirmed.questions), confirmed.skipped, flush=True)
    found = {}
    for name, content in (("without", ""), ("confirmed", write_lines(confirmed.questions))):
        confirmed_file(asked.name).parent.mkdir(exist_ok=True)
        confirmed_file(asked.name).write_text(content, encoding="utf-8")
        for kind, questions in (("same", divided.same), ("other", divided.other)):
            found[f"{kind} {name}"] = await _ask(asked.name, folder, [one for one in questions if one in gold], gold)
    return len(confirmed.questions), found


def _column(found: Mapping[str, list[tuple[bool, bool]]], name: str) -> dict[str, str]:
    column = {}
    for kind, said in (("same", "other wordings of confirmed queries"), ("other", "other queries")):
        results = found[f"{kind} {name}"]
        column[f"{said}: right"] = share([float(right) for right, _ in results], with_count=True)
        sure = [float(not right) for right, is_confident in results if is_confident]
        column[f"{said}: confidence >= {_CONFIDENT}, of these wrong"] = share(sure, with_count=True)
    return column


def main() -> None:
    """Ask all questions, and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="DATA", help="folder of the data sets")
    given = parser.parse_args()
    commit = head()
    pool = name_pool(given.data)
    total: dict[str, list[tuple[bool, bool]]] = {}
    count = 0
    with tempfile.TemporaryDirectory() as home:
        os.environ["KGQA_HOME"] = home
        folder = Path(home) / "retriever"
        for one in read_everyday(given.data):
            graph_file(one.name).parent.mkdir(parents=True, exist_ok=True)
            write_rows(one, pool, graph_file(one.name))
            confirmed, found = asyncio.run(_schema(one, folder))
            count += confirmed
            for name, results in found.items():
                total.setdefault(name, []).extend(results)
            print(_column(found, "without"), _column(found, "confirmed"), sep="\n", flush=True)
    columns = {
        "nothing confirmed": _column(total, "without"),
        f"{count} questions confirmed": _column(total, "confirmed"),
    }
    print(columns)
    title = "Predicted plans: confirmed questions show how others are read"
    command = "python -m bench.reading.confirmed DATA"
    keep("confirmed", Section(order=43, title=title, note=_NOTE, command=command, columns=columns, commit=commit))


if __name__ == "__main__":
    main()
