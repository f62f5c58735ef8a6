"""Load the files of public bug reports, and ask their questions: `python -m bench.files.public_cases CASES`.

CASES is a folder with a folder for each case, which holds its files, and may hold `questions.jsonl` and
`queries.jsonl`.
"""

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.cypher import gold_plans
from bench.reading.stranger_graphs import is_right
from bench.results import ROOT, Section, head, keep
from contracts.plans import PlanRequest
from contracts.retrieve import RetrieveRequest
from evaluation.in_process import open_retriever
from graph.cypher.reader import read_cypher
from graph.plan.values import ValueType
from graph.sqlite.store import SqliteGraphStore
from ingestion.importer import ImportReport, import_files
from ingestion.table_options import TableOptions, parse_group
from services.retriever.execution.plans import run_plan
from shared.errors import InvalidInputError
from shared.paths import graph_file
from tests.support.imported_graphs import StoredGraph, stored_graph

_CONFIDENT = 0.5
_EXTENSIONS = (".nt", ".tsv", ".csv", ".jsonl", ".json")
_ID = re.compile(r"[a-z]\d+")
_NOT_FACTS = ("questions.jsonl", "queries.jsonl", "more.jsonl", "conversations.jsonl", "plan.json")
_RIGHT, _SILENT, _UNSURE, _WRONG = "right", "no answer", f"wrong, below {_CONFIDENT}", f"wrong, {_CONFIDENT} or more"
_NOTE = (
    "Files and questions made from public bug reports of people who load graphs and ask them questions. A file case is "
    "right if the import keeps every good fact, and says what it leaves out, as the case expects. Its Cypher queries "
    "are read as plans, whose rows are compared with Neo4j's. Questions are asked without training, those of `19` "
    "about the demo with its models."
)


@dataclass(frozen=True)
class _Case:
    """Hold what an import of a case's files reported and stored."""

    folder: Path
    file: Path
    report: ImportReport
    graph: StoredGraph

    def names(self, kind: str | None = None) -> set[str]:
        """Return the names of the nodes, or of those of a kind."""
        return {node.name for node in self.graph.nodes.values() if kind is None or kind in node.kinds}

    def facts(self) -> set[tuple[str, str, str]]:
        """Return the relationships, as names."""
        nodes = self.graph.nodes
        return {(nodes[start].name, type_, nodes[end].name) for start, type_, end, _ in self.graph.relationships}

    def places(self) -> set[str]:
        """Return the files and lines of what was left out."""
        return {place for one in self.report.rejected for place in one.places}


def _load(folder: Path, files: Sequence[Path], file: Path, options: TableOptions | None = None) -> _Case:
    file.parent.mkdir(parents=True, exist_ok=True)
    report = import_files(files, file, options=options)
    return _Case(folder, file, report, stored_graph(file))


def _keeps_ill_typed_dates(case: _Case) -> bool:
    died = [node.properties["deathDate"] for node in case.graph.nodes.values() if "deathDate" in node.properties]
    return (len(case.facts()), len(died)) == (5, 1) and case.places() == {"people.nt:2", "people.nt:6"}


def _keeps_long_texts(case: _Case) -> bool:
    script = case.folder / "make_huge.py"
    subprocess.run([sys.executable, str(script)], cwd=case.file.parent, check=True)
    huge = _load(case.folder, [case.file.parent / "huge.nt"], case.file.with_name("huge.sqlite"))
    return (len(case.facts()), len(huge.facts())) == (2, 2)


def _names_bad_iris(case: _Case) -> bool:
    return len(case.facts()) == 3 and case.places() == {f"dump.nt:{line}" for line in (2, 3, 5)}


def _prefers_mul(case: _Case) -> bool:
    return len(case.names()) == 4 and all(map(str.isascii, case.names()))


def _warns_of_early_dates(case: _Case) -> bool:
    plan = json.loads((case.folder / "plan.json").read_text(encoding="utf-8"))["plan"]
    reply = asyncio.run(run_plan(SqliteGraphStore(case.file), PlanRequest(plan=plan)))
    warned = any("2 of 4" in warning.text for warning in reply.warnings)
    return warned and case.places() == {"people.nt:2", "people.nt:4"}


def _reads_quotes_and_bars(case: _Case) -> bool:
    kinds = set().union(*(node.kinds for node in case.graph.nodes.values()))
    lists = [node.properties.get("synonyms", ()) for node in case.graph.nodes.values()]
    has_quotes = any(name[0] == name[-1] == "'" for name in case.names())
    return (len(case.names()), len(kinds)) == (3, 3) and not has_quotes and max(map(len, lists)) == 2


def _joins_headers(case: _Case) -> bool:
    folder, target = case.folder, case.file.with_name("apart.sqlite")
    nodes = f"{folder}/a-person-header.csv,{folder}/a-person-1.csv"
    ends = f"{folder}/a-knows-header.csv,{folder}/a-knows-1.csv"
    apart = _load(folder, [], target, TableOptions(groups=[parse_group(nodes, True), parse_group(ends, False)]))
    keys = set().union(*(node.properties.keys() for node in case.graph.nodes.values()))
    return (
        (len(apart.names("Person")), len(apart.facts())) == (2, 1)
        and (len(case.names("City")), len(case.names("Person")), len(case.facts())) == (2, 2, 2)
        and "cityID" in keys
    )


def _joins_unicode_forms(case: _Case) -> bool:
    return len(case.graph.nodes) == 4 and len(case.facts()) == 4 and len(case.report.merged_names) == 2


def _reads_semicolons(case: _Case) -> bool:
    has_decimal = any("," in target for *_, target in case.facts())
    return len(case.facts()) == 3 and has_decimal and any(";" in source for source, *_ in case.facts())


def _counts_points(case: _Case) -> bool:
    (relationship,) = case.graph.relationships
    harbor = asyncio.run(SqliteGraphStore(case.file).schema()).kinds["Harbor"]
    left_out = sum(one.number for one in case.report.rejected)
    is_dated = harbor.properties["opened"].content is ValueType.DATE
    return harbor.count == 2 and "since" in relationship[3] and is_dated and left_out > 0


def _takes_numbers_as_names(case: _Case) -> bool:
    films, years = case.names("Film"), case.names("Year")
    is_named = not any(_ID.fullmatch(name) for name in films | years) and any(map(str.isdigit, films))
    return (len(films), len(years)) == (3, 3) and is_named and all(map(str.isdigit, years))


def _gives_the_rows_of_neo4j(case: _Case) -> bool:
    lines = (case.folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    return all(asyncio.run(_is_answered(case.file, json.loads(line))) for line in lines)


async def _is_answered(file: Path, query: dict[str, Any]) -> bool:
    plan, store = read_cypher(query["cypher"]), SqliteGraphStore(file)
    rows = [gold_plans.row_cells(row) for row in (await store.run(plan, 1000)).rows]
    wanted = [gold_plans.row_cells(row) for row in query["rows"]]
    return rows == wanted if query.get("ordered") else await gold_plans.is_right(store, plan, rows, wanted)


def _reads_node_links(case: _Case) -> bool:
    return len(case.names()) == 5 and len(case.facts()) == 4 and "Anna Petrie" in case.names("Person")


def _reads_multi_line_cells(case: _Case) -> bool:
    parts = [_load(case.folder, [file], case.file.with_name(f"{file.stem}.sqlite")) for file in _files(case.folder)]
    backslashes, notes, titles = parts
    texts = [str(node.properties.get("text")) for node in backslashes.graph.nodes.values()]
    sizes = [len(part.graph.nodes) for part in (backslashes, notes, titles)]
    return texts[0] == 'She said "no", twice' and sizes == [2, 4, 4] and '"Heroes"' in titles.names()


def _reads_ordinary_tables(case: _Case) -> bool:
    refused = [_refusal(case, case.folder / name) for name in ("books.csv", "books-double.csv", "people.csv")]
    is_told = "--nodes Books=books.csv" in refused[0] and "city" in refused[2]
    return is_told and case.names("Book") == {"The Tin Orchard", "Low Water", "Nine Ferries"}


def _refusal(case: _Case, file: Path) -> str:
    try:
        import_files([file], case.file.with_name("refused.sqlite"))
    except InvalidInputError as error:
        return error.detail
    return ""


_FILE_CASES: dict[str, Callable[[_Case], bool]] = {
    "01-illtyped-date": _keeps_ill_typed_dates,
    "02-long-literal": _keeps_long_texts,
    "04-bad-iri": _names_bad_iris,
    "05-mul-label": _prefers_mul,
    "06-before-year-one": _warns_of_early_dates,
    "07-single-quotes-and-bars": _reads_quotes_and_bars,
    "08-header-elsewhere": _joins_headers,
    "10-composed-and-decomposed": _joins_unicode_forms,
    "12-semicolon-csv": _reads_semicolons,
    "13-apoc-point": _counts_points,
    "14-numbers-as-names": _takes_numbers_as_names,
    "16-label-and": _gives_the_rows_of_neo4j,
    "18-order-by-a-new-name": _gives_the_rows_of_neo4j,
    "n01-node-link-json": _reads_node_links,
    "n02-multi-line-cells": _reads_multi_line_cells,
    "n05-wide-table": _reads_ordinary_tables,
}


def _files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.iterdir() if file.suffix in _EXTENSIONS and file.name not in _NOT_FACTS)


def _of_case(folder: Path) -> _Case:
    file = graph_file(folder.name)
    if folder.name.startswith("08"):
        groups = [parse_group(f"{kind}={folder}/b-{kind.lower()}.csv", True) for kind in ("City", "Person")]
        groups.append(parse_group(f"LIVES_IN={folder}/b-lives.csv", False))
        return _load(folder, [], file, TableOptions(groups=groups))
    if folder.name.startswith("n05"):
        return _load(folder, [], file, TableOptions(groups=[parse_group(f"Book={folder}/books.csv", True)]))
    return _load(folder, _files(folder), file)


async def _ask(folder: Path, graph: str, models: Path) -> Counter[str]:
    found: Counter[str] = Counter()
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    async with open_retriever(graph, models) as loaded:
        for one in map(json.loads, lines):
            reply = await loaded.retriever.retrieve(RetrieveRequest(question=one["question"]))
            unsure = _UNSURE if reply.confidence < _CONFIDENT else _WRONG
            silent = _SILENT if not reply.answers else unsure
            result = _RIGHT if is_right(one.get("answers", []), "", reply) else silent
            print(f"{folder.name}: {result}: {one['question']}")
            found[result] += 1
    return found


def _questions(folder: Path) -> Counter[str]:
    if _files(folder):
        _of_case(folder)
        return asyncio.run(_ask(folder, folder.name, Path("none")))
    demo = ROOT / "examples" / "world"
    _load(folder, [demo / "graph.tsv.xz"], graph_file("world"))
    return asyncio.run(_ask(folder, "world", demo / "retriever"))


def main() -> None:
    """Load and ask the cases, print each, and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path, metavar="CASES", help="folder with a folder for each case")
    folder, commit = parser.parse_args().cases, head()
    columns: dict[str, dict[str, str]] = {}
    with tempfile.TemporaryDirectory() as home:
        os.environ["KGQA_HOME"] = home
        for name, check in _FILE_CASES.items():
            right = check(_of_case(folder / name))
            print(f"{name}: {'as expected' if right else 'NOT as expected'}")
            columns.setdefault(name.partition("-")[0], {})["files as expected"] = "yes" if right else "no"
        for case in sorted(one for one in folder.iterdir() if (one / "questions.jsonl").is_file()):
            asked = _questions(case)
            found = {one: str(asked[one]) for one in (_RIGHT, _SILENT, _UNSURE, _WRONG)}
            columns.setdefault(case.name.partition("-")[0], {}).update({"questions": str(asked.total()), **found})
    ordered = dict(sorted(columns.items()))
    command = "python -m bench.files.public_cases CASES"
    section = Section(order=68, title="Public bug reports", note=_NOTE, command=command, columns=ordered, commit=commit)
    keep("public-cases", section)


if __name__ == "__main__":
    main()
