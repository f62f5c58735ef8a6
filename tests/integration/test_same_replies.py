"""Check that both stores give the same reply to a question, to the last digit of every score."""

from pathlib import Path
from random import Random

import pytest

from question_sets.records import read_questions
from services.retriever.prediction.model import load_model
from shared.contracts import RetrieveRequest
from shared.graph.neo4j.store import Neo4jGraphStore
from shared.graph.sqlite.store import SqliteGraphStore
from tests.neo4j_server import PASSWORD, URL, clear, needs_neo4j, settings
from tests.support.command_line import WORLD, run_kgqa
from tests.support.reply_comparison import compare_replies
from tests.support.seeds import SEED

pytestmark = needs_neo4j

# `python -m bench.stores` compares the replies to thousands of questions.
SAMPLE = 80


async def test_both_stores_give_the_same_replies_to_the_demo_questions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clear()
    monkeypatch.setenv("KGQA_NEO4J_URL", URL or "")
    monkeypatch.setenv("KGQA_NEO4J_PASSWORD", PASSWORD)
    run_kgqa(tmp_path, "import", str(WORLD / "graph.tsv.xz"), "--graph", "world", "--to", "neo4j")
    stores = SqliteGraphStore(tmp_path / "graphs" / "world.sqlite"), Neo4jGraphStore(settings())
    files = (WORLD / "questions" / f"{name}.jsonl" for name in ("test", "typed", "unanswerable-test"))
    questions = [record.question for file in files for record in read_questions(file)]
    requests = [RetrieveRequest(question=question) for question in Random(SEED).sample(questions, SAMPLE)]
    try:
        found = await compare_replies(stores, load_model(WORLD / "retriever"), requests)
    finally:
        for store in stores:
            await store.close()
    assert found.different == [], f"KGQA_TEST_SEED={SEED}"
