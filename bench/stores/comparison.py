"""Compare SQLite with Neo4j on MetaQA's 2-hop test questions: `python -m bench.stores.comparison DIR`.

KGQA_NEO4J_URL and KGQA_NEO4J_PASSWORD give the URL and the password of an empty Neo4j server. DIR is the folder where
`python -m bench.adapters.models` stores MetaQA's graph, questions, and retriever.
"""

import argparse
import asyncio
import os
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median

from bench.results import Section, head, keep
from contracts.retrieve import RetrieveRequest
from graph.neo4j.settings import Neo4jSettings
from graph.neo4j.store import Neo4jGraphStore
from graph.sqlite.store import SqliteGraphStore
from question_sets.records import draw_sample, read_questions
from services.retriever.paths.model import load_model
from tests.support.command_line import run_kgqa
from tests.support.reply_comparison import compare_replies

_GRAPH = "metaqa"
_SAMPLE = 2000
_NOTE = (
    "A sample of the MetaQA 2-hop test questions, drawn with seed 0. Each question is put to the retriever over each "
    "store, and whole replies are compared: topic entities, hops, relation paths, answers, evidence, scores, and "
    "confidence, with their order. The times are for the first time that each question is asked."
)


async def measure(home: Path) -> dict[str, dict[str, str]]:
    """Return the columns of the table, one with given topics and one with linked topics."""
    model = load_model(home / "models" / _GRAPH / "retriever")
    records = [record for _, record in draw_sample(read_questions(home / "metaqa" / "2-hop-test.jsonl"), _SAMPLE, 0)]
    columns = {}
    async with AsyncExitStack() as stack:
        sqlite = SqliteGraphStore(home / "graphs" / f"{_GRAPH}.sqlite")
        neo4j = Neo4jGraphStore(Neo4jSettings())
        for store in (sqlite, neo4j):
            stack.push_async_callback(store.close)
        await neo4j.ready()
        for column, is_given in (("topic given", True), ("topic linked", False)):
            requests = [
                RetrieveRequest(question=record.question, topic_entity=record.topic if is_given else None)
                for record in records
            ]
            found = await compare_replies((sqlite, neo4j), model, requests)
            for request, first, second in found.different:
                print(f"{request.question}\n  SQLite: {first}\n  Neo4j:  {second}")
            in_sqlite, in_neo4j = (f"{median(milliseconds):.1f}" for milliseconds in found.milliseconds)
            columns[column] = {
                "questions": str(len(requests)),
                "different replies": str(len(found.different)),
                "SQLite, ms (p50)": in_sqlite,
                "Neo4j, ms (p50)": in_neo4j,
            }
    return columns


def main() -> None:
    """Import the graph, compare the stores, and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", type=Path, metavar="DIR", help="what bench.adapters.models got as --home")
    home = parser.parse_args().home
    if "KGQA_NEO4J_URL" not in os.environ:
        raise SystemExit("set KGQA_NEO4J_URL and KGQA_NEO4J_PASSWORD for an empty Neo4j database")
    commit = head()
    run_kgqa(home, "import", str(home / "metaqa" / "graph.tsv"), "--graph", _GRAPH, "--to", "neo4j")
    columns, command = asyncio.run(measure(home)), "python -m bench.stores.comparison DIR"
    section = Section(order=29, title="SQLite and Neo4j", note=_NOTE, command=command, columns=columns, commit=commit)
    keep("stores", section)


if __name__ == "__main__":
    main()
