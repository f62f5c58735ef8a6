"""Questions that the plan model reads as a trusted plan, although their words do not tell it."""

from pathlib import Path

import pytest

from contracts.json_lines import write_lines
from graph.cypher.reader import read_cypher
from graph.sqlite.store import SqliteGraphStore
from language.english.english import english
from language.question import Question
from services.retriever.plans.judging.plan_readings import PlanReading
from services.retriever.plans.predictor.plan_confidence import PlanFeatures
from services.retriever.trusted.paraphrases import ReadAsPlans
from services.retriever.trusted.questions import TrustedQuestions, TrustedReading
from shared.errors import DeadlineExceededError
from tests.support.property_graphs import write_graph_file
from tests.unit.services.retriever.trusted.test_meaning import QUESTIONS, LikenessEncoder, graph, trusted

OF_ANN = "MATCH (c:Customer {name: 'Ann Lee'})-[:PLACED]->(o:Order) RETURN o"
ABOVE = "MATCH (c:Customer {name: 'Ann Lee'})-[:PLACED]->(o:Order) WHERE o.total > 1000 RETURN o"


@pytest.fixture
def store(tmp_path: Path) -> SqliteGraphStore:
    file = tmp_path / "graph.sqlite"
    write_graph_file(graph(), file)
    return SqliteGraphStore(file, 5.0)


def reading_as(store: SqliteGraphStore, cypher: str, *unread: str) -> ReadAsPlans:
    async def read(_: Question) -> list[PlanReading]:
        plan = read_cypher(cypher)
        result = await store.run(plan)
        features = PlanFeatures.of_only_reading(len(result.rows), False)
        return [PlanReading(plan, plan, result, 0.8, 1.0, unread, ("Ann Lee",), features)]

    return read


async def late(_: Question) -> list[PlanReading]:
    raise DeadlineExceededError("reading took too long")


async def asked(store: SqliteGraphStore, folder: Path, question: str, read: ReadAsPlans) -> TrustedReading | None:
    file = folder / "trusted.jsonl"
    file.write_text(write_lines(trusted(name, *one) for name, one in QUESTIONS.items()), encoding="utf-8")
    return await TrustedQuestions(store, file, LikenessEncoder).read(english(question), read)


@pytest.mark.parametrize(
    ("question", "cypher", "unread", "name"),
    [
        pytest.param("What did we get from Ann Lee?", OF_ANN, (), None, id="other tense"),
        pytest.param("What do we get from Ann Lee?", OF_ANN, (), "Orders", id="same plan"),
        pytest.param("What do we get from Ann Lee?", ABOVE, (), None, id="other plan"),
        pytest.param("What do we get from Ann Lee in Oslo?", OF_ANN, (), None, id="name that is no slot"),
        pytest.param("What do we get from Ann Lee?", OF_ANN, ("get",), None, id="word unread"),
        pytest.param("What bookings do we get from Ann Lee?", OF_ANN, ("bookings",), "Orders", id="like word unread"),
        pytest.param("Red bookings that we get from Ann Lee", OF_ANN, ("red",), None, id="word beside it unread"),
        pytest.param("What do we not get from Ann Lee?", OF_ANN, (), None, id="negation"),
        pytest.param("How many do we get from Ann Lee?", OF_ANN, (), None, id="count"),
        pytest.param("When do we hear from Ann Lee?", OF_ANN, (), None, id="other interrogative"),
        pytest.param("What value do we get from Ann Lee?", OF_ANN, (), None, id="word that the model ignores"),
        pytest.param("What city do we get from Ann Lee?", OF_ANN, (), None, id="other part of the graph"),
        pytest.param("What above 1000 do we get from Ann Lee?", ABOVE, (), "Large orders", id="two slots"),
        pytest.param("What above 1001 do we get from Ann Lee?", ABOVE, (), None, id="other number"),
    ],
)
async def test_a_trusted_plan_is_served_if_the_model_reads_it(
    store: SqliteGraphStore, tmp_path: Path, question: str, cypher: str, unread: tuple[str, ...], name: str | None
) -> None:
    reading = await asked(store, tmp_path, question, reading_as(store, cypher, *unread))

    assert (reading.name if reading else None) == name
    assert reading is None or reading.reading.confidence < 1


async def test_the_model_is_not_asked_if_words_tell(store: SqliteGraphStore, tmp_path: Path) -> None:
    reading = await asked(store, tmp_path, "Which bookings does Ann Lee have?", late)

    assert reading is not None
    assert reading.reading.confidence == 1


async def test_a_question_that_takes_too_long_to_read_is_not_trusted(store: SqliteGraphStore, tmp_path: Path) -> None:
    assert await asked(store, tmp_path, "What do we get from Ann Lee?", late) is None
