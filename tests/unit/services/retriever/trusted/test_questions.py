"""Trusted questions on a graph of customers and orders: wordings are served, near misses are not."""

from pathlib import Path
from typing import Any

import pytest

from contracts.json_lines import write_lines
from contracts.retrieve import RetrieveRequest, RetrieveResponse
from contracts.trusted_questions import TrustedQuestion
from graph.sqlite.store import SqliteGraphStore
from language.english.english import english
from services.retriever.plans.planner import Planner
from services.retriever.replies.descriptions import Descriptions
from services.retriever.replies.pipeline import Retriever
from services.retriever.replies.plan_replies import PlanReplies
from services.retriever.replies.retrieval import Retrieval
from services.retriever.trusted.questions import TrustedQuestions
from tests.fakes.planning import ScriptedPlans
from tests.support.property_graphs import write_graph_file
from tests.support.reference_evaluator import Node, PropertyGraph, Relationship

CUSTOMERS = ["Ann & Co", "Bo Ltd", "Same", "Same", "Idle"]


def orders_graph() -> PropertyGraph:
    nodes = [
        Node(n, frozenset({"Customer", f"Customer of {name}"}), {"company": name}) for n, name in enumerate(CUSTOMERS)
    ]
    nodes.append(Node(5, frozenset({"City"}), {"name": "Oslo"}))
    orders = [(0, "1998-01-05", 10), (0, "1996-02-05", 20), (1, "1997-03-05", 30), (2, "1997-04-05", 40)]
    links = []
    for place, (customer, day, total) in enumerate(orders):
        order = Node(6 + place, frozenset({"Order"}), {"title": f"Order {place}", "placed": day, "total": total})
        nodes.append(order)
        links.append(Relationship(place, "PLACED", customer, order.id, {}))
    return PropertyGraph(tuple(nodes), tuple(links))


def compared(variable: str, key: str, operator: str, value: str) -> dict[str, Any]:
    left = {"op": "property", "variable": variable, "key": key}
    return {"op": "comparison", "operator": operator, "left": left, "right": {"op": "constant", "value": value}}


def orders(*conditions: dict[str, Any]) -> dict[str, Any]:
    return {
        "steps": [
            {
                "op": "match",
                "nodes": [{"variable": "c", "kinds": ["Customer"]}, {"variable": "o", "kinds": ["Order"]}],
                "relationships": [{"source": "c", "target": "o", "types": ["PLACED"]}],
                "where": {"op": "and", "conditions": list(conditions)},
            },
            {"op": "project", "columns": [{"name": "order", "value": {"op": "variable", "name": "o"}}]},
        ]
    }


OF = compared("c", "company", "=", "{who}")
SINCE = TrustedQuestion(
    name="Orders since a day",
    wordings=("orders of {who:Customer} since {day:date}", "What has {who:Customer} ordered since {day:date}?"),
    plan=orders(OF, compared("o", "placed", ">=", "{day}")),
)
ABOVE = TrustedQuestion(
    name="Large orders", wordings=("orders above {n:number}",), plan=orders(compared("o", "total", ">", "{n}"))
)
TITLED = TrustedQuestion(
    name="Orders by title", wordings=("orders titled {t:text}",), plan=orders(compared("o", "title", "=", "{t}"))
)
ANY = TrustedQuestion(
    name="Orders of anything", wordings=("what has {x:entity}",), plan=orders(compared("c", "company", "=", "{x}"))
)
WRONG = TrustedQuestion(
    name="Wrong", wordings=("all {who:Customer}",), plan=orders(compared("c", "name_", "=", "{who}"))
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    found = tmp_path / "trusted.jsonl"
    found.write_text(write_lines([WRONG, SINCE, ABOVE, TITLED, ANY]), encoding="utf-8")
    return found


@pytest.fixture
def store(tmp_path: Path) -> SqliteGraphStore:
    graph = tmp_path / "orders.sqlite"
    write_graph_file(orders_graph(), graph)
    return SqliteGraphStore(graph, 5.0)


async def asked(
    store: SqliteGraphStore, file: Path, question: str, threshold: float = 0.6, **options: Any
) -> RetrieveResponse:
    plans = PlanReplies(store, Planner(store, lambda elements: ScriptedPlans({}, elements)), threshold)
    retriever = Retriever(None, plans, Descriptions(store, plans), trusted=TrustedQuestions(store, file))
    return await Retrieval(retriever).retrieve(RetrieveRequest(question=question, **options))


@pytest.mark.parametrize(
    ("question", "name", "found"),
    [
        ("Orders of Ann & Co since 1997-01-01", "Orders since a day", ["Order 0"]),
        ("what has BO LTD ordered since 5 March 1997?", "Orders since a day", ["Order 2"]),
        ("orders above 15", "Large orders", ["Order 1", "Order 2", "Order 3"]),
        ("Orders above two", "Large orders", ["Order 0", "Order 1", "Order 2", "Order 3"]),
        ("What has Bo Ltd?", "Orders of anything", ["Order 2"]),
        ("orders titled 'Order 3'", "Orders by title", ["Order 3"]),
    ],
)
async def test_wordings_are_served_with_the_name(
    store: SqliteGraphStore, file: Path, question: str, name: str, found: list[str]
) -> None:
    response = await asked(store, file, question)

    assert (response.trusted, response.confidence) == (name, 1.0)
    assert sorted(answer.value for answer in response.answers) == found
    assert response.plan is not None
    assert response.plan_evidence


@pytest.mark.parametrize(
    "question",
    [
        "orders of Ann & Co until 1997-01-01",
        "orders of Ann & Co since 1997-01-01 above 15",
        "orders of Ann & Co and Bo Ltd since 1997-01-01",
        "orders of Oslo since 1997-01-01",
        "orders of Ana & Co since 1997-01-01",
        "cancelled orders of Ann & Co since 1997-01-01",
        "no orders of Ann & Co since 1997-01-01",
        "orders above 15 of Ann & Co",
        "orders above Oslo",
        "orders titled Order 3 or Order 4",
        "all Ann & Co",
        "what has Cyd",
    ],
)
async def test_near_misses_are_not_served(store: SqliteGraphStore, file: Path, question: str) -> None:
    assert (await asked(store, file, question)).trusted is None


async def test_an_ambiguous_name_makes_the_answer_uncertain(store: SqliteGraphStore, file: Path) -> None:
    question = "orders of Same since 1990-01-01"

    assert (await asked(store, file, question)).trusted is None
    bold = await asked(store, file, question, min_confidence=0.5)
    assert (bold.trusted, bold.confidence) == ("Orders since a day", 0.5)


async def test_a_trusted_question_that_the_request_finds_too_uncertain_gives_way_to_no_other_reading(
    store: SqliteGraphStore, file: Path
) -> None:
    response = await asked(store, file, "orders of Same since 1990-01-01", threshold=0.4, min_confidence=0.9)

    assert (response.trusted, response.answers, response.confidence) == ("Orders since a day", [], 0.5)
    assert response.alternatives[0].answers
    assert [one.kind for one in response.warnings] == ["withheld"]


@pytest.mark.parametrize("question", ["orders of Idle since 1990-01-01", "orders of Ann & Co since yesterday"])
async def test_nothing_found_is_said_and_not_guessed(store: SqliteGraphStore, file: Path, question: str) -> None:
    response = await asked(store, file, question)
    assert (response.trusted, response.answers) == ("Orders since a day", [])


async def test_a_changed_file_is_read_again(store: SqliteGraphStore, file: Path) -> None:
    trusted = TrustedQuestions(store, file)
    assert await trusted.read(english("orders above 15")) is not None

    _write(file, write_lines([SINCE]))
    assert await trusted.read(english("orders above 15")) is None
    _write(file, "{")
    assert await trusted.read(english("orders of Bo Ltd since 1990-01-01")) is not None
    _write(file, "")
    assert await trusted.read(english("orders of Bo Ltd since 1990-01-01")) is None


async def test_a_file_that_cannot_be_read_has_no_questions_until_it_can(
    store: SqliteGraphStore, file: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(_: Path) -> list[TrustedQuestion]:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr("services.retriever.trusted.questions.read_file", refuse)
        trusted = TrustedQuestions(store, file)
        assert [await trusted.read(english("orders above 15")) for _ in range(2)] == [None, None]

    assert [one.message for one in caplog.records if "Permission denied" in one.message] == [caplog.records[0].message]
    assert await trusted.read(english("orders above 15")) is not None


def _write(file: Path, content: str) -> None:
    file.write_text(content, encoding="utf-8")
