"""A question has the same reply, to the last score, whichever store holds the graph."""

from pathlib import Path

import pytest

from bench.command import kgqa
from bench.run import WORLD
from bench.stores import compare
from question_sets.records import read_questions
from services.retriever.prediction.model import load_model
from shared.contracts import RetrieveRequest
from shared.graph.neo4j.store import Neo4jGraphStore
from shared.graph.sqlite.store import SqliteGraphStore
from tests.neo4j_server import PASSWORD, URL, clear, needs_neo4j, settings

pytestmark = needs_neo4j


async def test_the_demos_questions_have_the_same_reply_from_both_stores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clear()
    monkeypatch.setenv("KGQA_NEO4J_URL", URL or "")
    monkeypatch.setenv("KGQA_NEO4J_PASSWORD", PASSWORD)
    kgqa(tmp_path, "import", str(WORLD / "graph.tsv.xz"), "--graph", "world", "--to", "neo4j")
    stores = SqliteGraphStore(tmp_path / "graphs" / "world.sqlite"), Neo4jGraphStore(settings())
    files = (WORLD / "questions" / f"{name}.jsonl" for name in ("test", "typed", "unanswerable-test"))
    requests = [RetrieveRequest(question=record.question) for file in files for record in read_questions(file)]
    try:
        found = await compare(stores, load_model(WORLD / "retriever"), requests)
    finally:
        for store in stores:
            await store.close()
    assert len(requests) > 800
    assert found.different == []
