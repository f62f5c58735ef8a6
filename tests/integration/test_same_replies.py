"""Check that both stores give the same reply to a question, to the last digit of every score."""

from pathlib import Path
from random import Random

import pytest

from contracts.retrieve import RetrieveRequest
from graph.neo4j.store import Neo4jGraphStore
from graph.sqlite.store import SqliteGraphStore
from question_sets.records import read_questions
from services.retriever.paths.model import RetrieverModel, load_model
from services.retriever.paths.paper.model import PaperModel
from tests.neo4j_server import PASSWORD, URL, clear, needs_neo4j, settings
from tests.support.command_line import WORLD, clean_environment
from tests.support.own_process import kgqa
from tests.support.reply_comparison import compare_replies
from tests.support.seeds import SEED

pytestmark = needs_neo4j

# `python -m bench.stores.comparison` compares the replies to thousands of questions.
SAMPLE, PARTS = 40, 4


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Import the demo graph into both stores."""
    home = tmp_path_factory.mktemp("home")
    clear()
    database = {"KGQA_NEO4J_URL": URL, "KGQA_NEO4J_SECONDS_ALLOWED": "120", "KGQA_NEO4J_PASSWORD": PASSWORD}
    words = ["import", str(WORLD / "graph.tsv.xz"), "--graph", "world", "--to", "neo4j"]
    ended = kgqa(clean_environment(home) | database, *words)
    assert ended.code == 0, ended.err
    return home


@pytest.fixture(scope="module")
def model() -> RetrieverModel | PaperModel:
    return load_model(WORLD / "retriever")


@pytest.mark.parametrize("part", range(PARTS))
async def test_both_stores_give_the_same_replies_to_the_demo_questions(
    home: Path, model: RetrieverModel | PaperModel, part: int
) -> None:
    stores = SqliteGraphStore(home / "graphs" / "world.sqlite"), Neo4jGraphStore(settings())
    files = (WORLD / "questions" / f"{name}.jsonl" for name in ("test", "typed", "unanswerable-test"))
    questions = [record.question for file in files for record in read_questions(file)]
    sample = Random(SEED).sample(questions, SAMPLE)[part::PARTS]
    try:
        found = await compare_replies(stores, model, [RetrieveRequest(question=question) for question in sample])
    finally:
        for store in stores:
            await store.close()
    assert found.different == [], f"KGQA_TEST_SEED={SEED}"
