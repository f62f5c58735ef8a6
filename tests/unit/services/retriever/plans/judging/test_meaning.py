from pathlib import Path

import pytest

from graph.sqlite.store import SqliteGraphStore
from language.english.english import english
from services.retriever.plans.planner import Planner
from tests.fakes.planning import ScriptedPlans
from tests.support.property_graphs import film_graph, write_graph_file


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> SqliteGraphStore:
    file = Path(tmp_path_factory.mktemp("graph")) / "films.sqlite"
    write_graph_file(film_graph(), file)
    return SqliteGraphStore(file, 5.0)


@pytest.mark.parametrize("question", ["hello", "thanks a lot", "?", "🚲"])
async def test_a_plan_that_reads_no_word_is_doubted(store: SqliteGraphStore, question: str) -> None:
    script = {question: [("KIND:Film RETURN VARIABLE:0 END", -0.01)]}
    [found] = await Planner(store, lambda elements: ScriptedPlans(script, elements)).read(english(question))

    assert found.confidence < 0.1


async def test_a_plan_that_reads_an_operator_is_not(store: SqliteGraphStore) -> None:
    script = {"How many?": [("KIND:Film GROUP COUNT_ROWS END", -0.01)]}
    [found] = await Planner(store, lambda elements: ScriptedPlans(script, elements)).read(english("How many?"))

    assert found.confidence > 0.1
