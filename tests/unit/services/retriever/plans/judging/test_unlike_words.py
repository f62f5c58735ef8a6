from collections.abc import Sequence
from pathlib import Path

import pytest

from graph.sqlite.store import SqliteGraphStore
from language.english.english import english
from services.retriever.encoder.encoder import Vectors
from services.retriever.encoder.word_vectors import WordVectors
from services.retriever.plans.judging.plan_readings import PlanReading
from services.retriever.plans.planner import Planner
from tests.fakes.encoder import HashingEncoder
from tests.fakes.planning import ScriptedPlans
from tests.support.property_graphs import film_graph, write_graph_file

YEAR = "KIND:Film PROPERTY:Film.title EQUAL VALUE:0 RETURN PROPERTY:Film.year END"
YEAR_OF_FILM = "What is the year of Film 12?"
LANGUAGE_OF_FILM = "Which language has the year of Film 12?"
PRICE_OF_FILM = "What is the price of Film 12?"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> SqliteGraphStore:
    file = Path(tmp_path_factory.mktemp("graph")) / "films.sqlite"
    write_graph_file(film_graph(), file)
    return SqliteGraphStore(file, 5.0)


async def reading(store: SqliteGraphStore, question: str, vectors: WordVectors | None) -> PlanReading:
    script = {question: [(YEAR, -0.01)]}
    planner = Planner(store, lambda elements: ScriptedPlans(script, elements), vectors=vectors)
    [found] = await planner.read(english(question))
    return found


async def test_a_plan_that_is_unlike_all_but_the_names_of_a_question_is_doubted(store: SqliteGraphStore) -> None:
    believed = await reading(store, PRICE_OF_FILM, None)
    doubted = await reading(store, PRICE_OF_FILM, WordVectors(HashingEncoder()))

    assert doubted.unread == ("price",)
    assert doubted.features.is_wrong
    assert doubted.confidence < believed.confidence


async def test_a_plan_that_reads_more_than_names_is_not(store: SqliteGraphStore) -> None:
    without = await reading(store, YEAR_OF_FILM, None)

    assert (await reading(store, YEAR_OF_FILM, WordVectors(HashingEncoder()))).confidence == without.confidence


async def test_a_word_that_is_like_one_of_the_plan_is_enough(store: SqliteGraphStore) -> None:
    class Alike(HashingEncoder):
        """Encode `price` as `year`."""

        def encode(self, texts: Sequence[str]) -> list[Vectors]:
            """Count words as `HashingEncoder` does."""
            return super().encode([text.replace("price", "year") for text in texts])

    without = await reading(store, PRICE_OF_FILM, None)

    assert (await reading(store, PRICE_OF_FILM, WordVectors(Alike()))).confidence == without.confidence


async def test_a_plan_that_is_unlike_the_noun_that_is_asked_for_is_held_back(store: SqliteGraphStore) -> None:
    believed = await reading(store, LANGUAGE_OF_FILM, None)
    doubted = await reading(store, LANGUAGE_OF_FILM, WordVectors(HashingEncoder()))

    assert believed.unread == doubted.unread == ("language",)
    assert doubted.features.is_doubted
    assert doubted.confidence < believed.confidence


@pytest.mark.parametrize(
    ("question", "is_doubted"),
    [
        ("Who is the boss of the director of Film 12?", True),
        ("Who's the boss of the director of Film 12?", True),
        ("Who is the director of Film 12?", False),
        ("Who is the old director of Film 12?", False),
    ],
)
async def test_a_plan_without_a_relationship_that_is_like_the_role_is_held_back(
    store: SqliteGraphStore, question: str, is_doubted: bool
) -> None:
    script = {question: [("KIND:Film IS VALUE:0 IN:Person.DIRECTED RETURN VARIABLE:1 END", -0.01)]}
    vectors = WordVectors(HashingEncoder())

    planner = Planner(store, lambda elements: ScriptedPlans(script, elements), vectors=vectors)
    [found] = await planner.read(english(question))

    assert found.features.is_doubted == is_doubted


async def test_any_date_may_be_the_year_that_is_asked_for(store: SqliteGraphStore) -> None:
    question = "Which date was the year of Film 12?"
    without = await reading(store, question, None)

    assert (await reading(store, question, WordVectors(HashingEncoder()))).confidence == without.confidence


@pytest.mark.parametrize("question", ["hello", "thanks a lot", "?", "🚲"])
async def test_a_plan_that_reads_no_word_is_doubted(store: SqliteGraphStore, question: str) -> None:
    script = {question: [("KIND:Film RETURN VARIABLE:0 END", -0.01)]}
    [found] = await Planner(store, lambda elements: ScriptedPlans(script, elements)).read(english(question))

    assert found.confidence < 0.1


async def test_a_plan_that_reads_an_operator_is_not(store: SqliteGraphStore) -> None:
    script = {"How many?": [("KIND:Film GROUP COUNT_ROWS END", -0.01)]}
    [found] = await Planner(store, lambda elements: ScriptedPlans(script, elements)).read(english("How many?"))

    assert found.confidence > 0.1
