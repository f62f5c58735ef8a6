"""Ask the same questions of SQLite and of Neo4j: MetaQA's 2-hop test questions, whole replies compared.

python -m bench.stores DIR      # KGQA_NEO4J_URL and KGQA_NEO4J_PASSWORD say where an empty Neo4j is

DIR is the home that `python -m bench.models` makes, with MetaQA's graph, questions and retriever.
"""

import argparse
import asyncio
import os
import time
from collections.abc import Iterable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from bench.command import kgqa
from bench.results import Section, head, keep
from evaluation.formats import sampled
from question_sets.records import read_questions
from services.retriever.linking.linker import EntityLinker
from services.retriever.pipeline import Retriever
from services.retriever.prediction.model import RetrieverModel, load_model
from services.retriever.prediction.paper.model import PaperModel
from shared.contracts import RetrieveRequest, RetrieveResponse
from shared.errors import KGQAError
from shared.graph.neo4j.settings import Neo4jSettings
from shared.graph.neo4j.store import Neo4jGraphStore
from shared.graph.sqlite.store import SqliteGraphStore
from shared.graph.store import GraphStore

_GRAPH = "metaqa"
_SAMPLE = 2000
# These may differ from one store to the other.
_NOT_COMPARED = {"link_ms", "retrieve_ms", "graph_version"}

Reply = RetrieveResponse | str


@dataclass
class Comparison:
    """What two stores say to the same requests, with the milliseconds that each took for them."""

    milliseconds: tuple[list[float], list[float]] = field(default_factory=lambda: ([], []))
    different: list[tuple[RetrieveRequest, Reply, Reply]] = field(default_factory=list)


async def compare(
    stores: tuple[GraphStore, GraphStore], model: RetrieverModel | PaperModel, requests: Iterable[RetrieveRequest]
) -> Comparison:
    """Put each request to one retriever over each store."""
    retrievers = [Retriever(store, EntityLinker(store, model.word_surprisal), model) for store in stores]
    comparison = Comparison()
    for request in requests:
        replies = []
        for retriever, spent in zip(retrievers, comparison.milliseconds, strict=True):
            started = time.perf_counter()
            replies.append(await _reply(retriever, request))
            spent.append((time.perf_counter() - started) * 1000)
        first, second = replies
        if _compared(first) != _compared(second):
            comparison.different.append((request, first, second))
    return comparison


async def _reply(retriever: Retriever, request: RetrieveRequest) -> Reply:
    try:
        return await retriever.retrieve(request)
    except KGQAError as error:
        return f"{type(error).__name__}: {error.detail}"


def _compared(reply: Reply) -> object:
    return reply if isinstance(reply, str) else reply.model_dump(exclude=_NOT_COMPARED)


async def measure(home: Path) -> dict[str, dict[str, str]]:
    """The table's columns: with the topic given, and linked."""
    model = load_model(home / "models" / _GRAPH / "retriever")
    records = [record for _, record in sampled(read_questions(home / "metaqa" / "2-hop-test.jsonl"), _SAMPLE, 0)]
    columns = {}
    async with AsyncExitStack() as stack:
        sqlite = SqliteGraphStore(home / "graphs" / f"{_GRAPH}.sqlite")
        neo4j = Neo4jGraphStore(Neo4jSettings())
        for store in (sqlite, neo4j):
            stack.push_async_callback(store.close)
        await neo4j.ready()
        for column, is_given in (("topic given", True), ("topic linked", False)):
            requests = [RetrieveRequest(question=r.question, topic_entity=r.topic if is_given else None)
                        for r in records]  # fmt: skip
            found = await compare((sqlite, neo4j), model, requests)
            for request, first, second in found.different:
                print(f"{request.question}\n  SQLite: {first}\n  Neo4j:  {second}")
            in_sqlite, in_neo4j = (f"{median(spent):.1f}" for spent in found.milliseconds)
            columns[column] = {
                "questions": str(len(requests)),
                "different replies": str(len(found.different)),
                "SQLite, ms (p50)": in_sqlite,
                "Neo4j, ms (p50)": in_neo4j,
            }
    return columns


def main() -> None:
    """Import the graph, compare, and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", type=Path, metavar="DIR", help="a home of bench.models")
    home = parser.parse_args().home
    if "KGQA_NEO4J_URL" not in os.environ:
        raise SystemExit("set KGQA_NEO4J_URL and KGQA_NEO4J_PASSWORD to an empty Neo4j")
    commit = head()
    kgqa(home, "import", str(home / "metaqa" / "graph.tsv"), "--graph", _GRAPH, "--to", "neo4j")
    note = (
        "MetaQA 2-hop test, drawn by seed 0, each question put to the retriever over either store. The whole replies "
        "are compared: topic entities, hops, relation paths, answers, evidence, scores and confidence, all in order. "
        "Times are of the first asking."
    )
    keep("stores", Section(order=29, title="SQLite and Neo4j", note=note, command="python -m bench.stores DIR",
                           columns=asyncio.run(measure(home)), commit=commit))  # fmt: skip


if __name__ == "__main__":
    main()
