"""Leave out each rule about plans, and count the replies that change: `python -m bench.rules DATA`.

DATA holds the folder `schema_corpus`. The questions are the everyday ones to develop with, over made-up rows, and those
about the strangers' graphs with which the rules were developed. They are asked with all rules, which shows the
questions where each rule did something; only these are asked again without it.
"""

import argparse
import asyncio
import json
import os
import tempfile
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from unittest.mock import patch

from bench.reading.everyday import gold_answers
from bench.reading.stranger_graphs import graph_files, is_right
from bench.results import ROOT, Section, head, keep
from contracts.answers import answer_names
from contracts.retrieve import RetrieveRequest, RetrieveResponse
from graph.opening import open_graph
from graph.plan.algebra import Plan
from graph.sqlite.store import SqliteGraphStore
from ingestion.importer import import_files
from services.retriever.plans.judging import registry as doubts
from services.retriever.plans.judging.doubt import Candidate, Doubt
from services.retriever.plans.judging.registry import DOUBTS
from services.retriever.plans.names.asked_question import AskedQuestion
from services.retriever.plans.rewriting import registry as rewrites
from services.retriever.plans.rewriting.registry import REWRITES, Rewrite
from services.retriever.plans.rules import Rule
from services.retriever.replies.retrieval import Retrieval
from services.retriever.serving.wiring import LoadedModels, load_models, with_models
from shared.paths import graph_file
from training.planning.calibration.everyday_schemas import SchemaQuestions, name_pool, read_everyday, write_rows

_RULES: Sequence[Rule] = (*REWRITES, *DOUBTS)
_STRANGERS = ("bakery", "library", "shipping", "festival")
_PATIENCE_S = 60.0
_CONFIDENT = 0.5
_ASKED, _CHANGED, _RIGHT, _WRONG = "questions", "replies change", "get right", "get wrong"
_SURE_RIGHT, _SURE_WRONG = f"right with >= {_CONFIDENT}", f"wrong with >= {_CONFIDENT}"
_NOTE = (
    "One rule about plans is left out at a time: the questions where it did something, how many of their replies get "
    "other answers, get right, and get wrong, and by how many the right and the wrong replies with a confidence of at "
    "least 0.5 become more or fewer. A rule is worth its place if more replies get wrong than right without it, or if "
    "more of the confident ones are wrong. Everyday questions to develop with over made-up rows, and the questions on "
    "the bakery, the library, the shipping, and the festival; no answer is right where there is none."
)


@dataclass(frozen=True)
class Case:
    """Hold a question with its gold answers, and its kind, which says how they are compared."""

    question: str
    answers: Sequence[str]
    kind: str = ""


@dataclass(frozen=True)
class Replied:
    """Hold what matters of a reply."""

    answers: object
    is_right: bool
    is_sure: bool

    @classmethod
    def of(cls, case: Case, reply: RetrieveResponse) -> "Replied":
        """Judge a reply by the gold answers."""
        answers = answer_names(reply.answers), reply.rows
        is_sure = bool(reply.answers) and reply.confidence >= _CONFIDENT
        return cls(answers, is_right(case.answers, case.kind, reply), is_sure)


@contextmanager
def noted() -> Iterator[set[str]]:
    """Collect the names of the rules that change a plan, or hold for one, while the block runs."""
    fired: set[str] = set()

    def noting_rewrite(one: Rewrite) -> Rewrite:
        def apply(plan: Plan, asked: AskedQuestion) -> Plan:
            changed = one.apply(plan, asked)
            if changed != plan:
                fired.add(one.name)
            return changed

        return replace(one, apply=apply)

    def noting_doubt(one: Doubt) -> Doubt:
        def holds(candidate: Candidate, asked: AskedQuestion) -> bool:
            found = one.holds(candidate, asked)
            if found:
                fired.add(one.name)
            return found

        return replace(one, holds=holds)

    noting = tuple(map(noting_rewrite, REWRITES)), tuple(map(noting_doubt, DOUBTS))
    with patch.object(rewrites, "REWRITES", noting[0]), patch.object(doubts, "DOUBTS", noting[1]):
        yield fired


async def ask_all(graph: str, cases: Sequence[Case], models: LoadedModels, counts: Mapping[str, Counter[str]]) -> None:
    """Ask all questions about a graph, then each again without the rules that did something; add up the changes."""
    store = open_graph(graph, _PATIENCE_S)
    before, where = {}, defaultdict[str, list[Case]](list)
    retriever = Retrieval(with_models(store, models, _PATIENCE_S).retriever)
    for case in cases:
        with noted() as fired:
            before[case.question] = Replied.of(case, await retriever.retrieve(RetrieveRequest(question=case.question)))
        for name in fired:
            where[name].append(case)
    for name, again in where.items():
        retriever = Retrieval(with_models(store, models, _PATIENCE_S, without=[name]).retriever)
        for case in again:
            after = Replied.of(case, await retriever.retrieve(RetrieveRequest(question=case.question)))
            counts[name].update(_changes(before[case.question], after))
    await store.close()


def _changes(before: Replied, after: Replied) -> dict[str, int]:
    return {
        _ASKED: 1,
        _CHANGED: int(before.answers != after.answers),
        _RIGHT: int(after.is_right and not before.is_right),
        _WRONG: int(before.is_right and not after.is_right),
        _SURE_RIGHT: int(after.is_right and after.is_sure) - int(before.is_right and before.is_sure),
        _SURE_WRONG: int(not after.is_right and after.is_sure) - int(not before.is_right and before.is_sure),
    }


def _everyday(data: Path, most: int | None) -> Iterator[tuple[str, list[Case]]]:
    """Write the graphs with made-up rows, and yield their names and their questions."""
    pool = name_pool(data)
    for asked in read_everyday(data, most):
        write_rows(asked, pool, _new_graph(asked.name))
        gold = asyncio.run(_gold(asked))
        yield asked.name, [*(Case(*one) for one in gold.items()), *(Case(one, ()) for one in asked.unanswerable[:most])]


async def _gold(asked: SchemaQuestions) -> Mapping[str, list[str]]:
    store = SqliteGraphStore(graph_file(asked.name))
    found = await gold_answers(asked, store)
    await store.close()
    return found


def _strangers() -> Iterator[tuple[str, list[Case]]]:
    """Import the strangers' graphs, and yield their names and their questions."""
    for name in _STRANGERS:
        folder = ROOT / "bench" / "questions" / "strangers" / name
        import_files(graph_files(folder), _new_graph(name))
        lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
        yield name, [Case(one["question"], one["answers"], one["kind"]) for one in map(json.loads, lines)]


def _new_graph(name: str) -> Path:
    file = graph_file(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


def columns_of(counts: Mapping[str, Counter[str]], rules: Collection[Rule]) -> dict[str, dict[str, str]]:
    """Return a column for each measure, with a row for each rule, those without questions last."""
    measures = {_ASKED: "d", _CHANGED: "d", _RIGHT: "d", _WRONG: "d", _SURE_RIGHT: "+d", _SURE_WRONG: "+d"}
    names = sorted((one.name for one in rules), key=lambda name: -counts[name][_ASKED])
    return {
        measure: {name: format(counts[name][measure], form) for name in names} for measure, form in measures.items()
    }


def _show(columns: Mapping[str, Mapping[str, str]]) -> None:
    names = list(columns[_ASKED])
    width = max(map(len, names))
    print(" " * width, *columns, sep="  ")
    for name in names:
        if columns[_ASKED][name] != "0":
            cells = (f"{column[name]:>{len(measure)}}" for measure, column in columns.items())
            print(f"{name:<{width}}", *cells, sep="  ", flush=True)


def main() -> None:
    """Leave out each rule, and save what changes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="DATA", help="folder of the data sets")
    parser.add_argument("--most", type=int, help="questions of each everyday schema; the page is not written")
    given = parser.parse_args()
    commit, counts = head(), defaultdict[str, Counter[str]](Counter)
    with tempfile.TemporaryDirectory() as home:
        os.environ["KGQA_HOME"] = home
        models = load_models(Path(home) / "retriever")
        for name, cases in chain(_strangers(), _everyday(given.data, given.most)):
            asyncio.run(ask_all(name, cases, models, counts))
            print(f"\n{name}: {len(cases)} questions; so far:")
            _show(columns_of(counts, _RULES))
    if given.most is None:
        columns = columns_of(counts, _RULES)
        command, title = "python -m bench.rules ../shared/data", "Predicted plans: replies without each rule"
        keep("rules", Section(order=45, title=title, note=_NOTE, command=command, columns=columns, commit=commit))


if __name__ == "__main__":
    main()
