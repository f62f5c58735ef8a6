"""Questions with the meaning of a trusted one, on a graph of customers, orders, people, and what they rate."""

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from contracts.json_lines import write_lines
from contracts.trusted_questions import TrustedQuestion
from graph.cypher.reader import read_cypher
from graph.plan.checks import write_plan
from graph.sqlite.store import SqliteGraphStore
from language.english.english import english
from services.retriever.encoder.encoder import Vectors
from services.retriever.trusted.questions import TrustedQuestions
from tests.support.property_graphs import write_graph_file
from tests.support.reference_evaluator import Node, PropertyGraph, Relationship

LIKE = (
    ("client", "customer"),
    ("booking", "brick"),
    ("booking", "order"),
    ("employee", "customer"),
    ("sold", "placed"),
    ("boss", "manage"),
)


class LikenessEncoder:
    """Encode words as vectors, which are equal for words that `LIKE` has side by side."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def encode(self, texts: Sequence[str]) -> list[Vectors]:
        """Return one vector for each text, [1, 500]."""
        vectors = np.zeros((len(texts), 1, 500), dtype=np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            stem = text.removesuffix("s")
            name = next((one for one, other in LIKE if stem == other), stem)
            vector[0, self._numbers.setdefault(name, len(self._numbers))] = 1
        return list(vectors)


def graph() -> PropertyGraph:
    nodes = [
        Node(0, frozenset({"Customer"}), {"name": "Ann Lee", "rating": 3}),
        Node(1, frozenset({"Customer"}), {"name": "Bo Ek", "rating": 5}),
        Node(2, frozenset({"Employee"}), {"name": "Cy Fox"}),
        Node(3, frozenset({"Employee"}), {"name": "Di Gray"}),
        Node(4, frozenset({"City"}), {"name": "Oslo"}),
        Node(8, frozenset({"Good"}), {"name": "Brick"}),
    ]
    links = [
        Relationship(0, "MANAGES", 2, 3, {}),
        Relationship(1, "SERVES", 2, 0, {}),
        Relationship(2, "LIVES_IN", 0, 4, {}),
        Relationship(3, "LIVES_IN", 2, 4, {}),
    ]
    for number, total in enumerate((1500, 20, 4000)):
        nodes.append(Node(5 + number, frozenset({"Order"}), {"name": f"Order {number}", "total": total}))
        links.append(Relationship(4 + number, "PLACED", number % 2, 5 + number, {}))
    return PropertyGraph(tuple(nodes), tuple(links))


QUESTIONS = {
    "Orders": (["orders of {who:Customer}"], "MATCH (c:Customer {name: '{who}'})-[:PLACED]->(o:Order) RETURN o"),
    "Large orders": (
        ["orders of {who:Customer} above {n:number}"],
        "MATCH (c:Customer {name: '{who}'})-[:PLACED]->(o:Order) WHERE o.total > '{n}' RETURN o",
    ),
    "Reports": (
        ["Whom does {who:Employee} manage?"],
        "MATCH (b:Employee {name: '{who}'})-[:MANAGES]->(e:Employee) RETURN e",
    ),
    "Residents": (
        ["customers who live in {city:City}"],
        "MATCH (c:Customer)-[:LIVES_IN]->(t:City {name: '{city}'}) RETURN c",
    ),
    "Rated": (
        ["customers in {city:City} with a rating above {n:number}"],
        "MATCH (c:Customer)-[:LIVES_IN]->(t:City {name: '{city}'}) WHERE c.rating > '{n}' RETURN c",
    ),
}


def trusted(name: str, wordings: Sequence[str], cypher: str) -> TrustedQuestion:
    return TrustedQuestion(name=name, wordings=tuple(wordings), plan=write_plan(read_cypher(cypher)))


@pytest.fixture
def store(tmp_path: Path) -> SqliteGraphStore:
    file = tmp_path / "graph.sqlite"
    write_graph_file(graph(), file)
    return SqliteGraphStore(file, 5.0)


async def served(store: SqliteGraphStore, tmp_path: Path, question: str, pinned: Mapping[str, Any]) -> str | None:
    file = tmp_path / "trusted.jsonl"
    file.write_text(write_lines(trusted(name, *one) for name, one in pinned.items()), encoding="utf-8")
    reading = await TrustedQuestions(store, file, LikenessEncoder).read(english(question))
    return reading.name if reading else None


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Could you show me Ann Lee's orders?", "Orders"),
        ("What bookings does Ann Lee have?", "Orders"),
        ("Which orders has the client Ann Lee placed?", "Orders"),
        ("Ann Lee's orders over 1500", "Large orders"),
        ("Which orders of Bo Ek are above 10?", "Large orders"),
        ("Please tell me whom Cy Fox does manage", "Reports"),
        ("Which clients live in Oslo?", "Residents"),
        ("Who are the customers that live in Oslo?", "Residents"),
        ("clients who live in Oslo", "Residents"),
        ("customers who live in Oslo and", None),
    ],
)
async def test_a_question_with_the_meaning_is_served(
    store: SqliteGraphStore, tmp_path: Path, question: str, name: str | None
) -> None:
    assert await served(store, tmp_path, question, QUESTIONS) == name


@pytest.mark.parametrize(
    "question",
    [
        pytest.param("orders not of Ann Lee", id="negation"),
        pytest.param("How many orders of Ann Lee are there?", id="count"),
        pytest.param("cancelled orders of Ann Lee", id="condition"),
        pytest.param("orders of Ann Lee and Bo Ek", id="second name"),
        pytest.param("orders of Ann Lee in 2020", id="year"),
        pytest.param("orders of Ann Lee below 1500", id="comparison"),
        pytest.param("orders of Ann Lee of at least 1500", id="other comparison"),
        pytest.param("total of the orders of Ann Lee", id="aggregate"),
        pytest.param("bricks of Ann Lee", id="word that names a node"),
        pytest.param("customers of Cy Fox", id="kind"),
        pytest.param("employees who live in Oslo", id="kind of the schema, although it is like another"),
        pytest.param("orders that Ann Lee sold", id="word that stands only for itself"),
        pytest.param("Who does manage Cy Fox?", id="direction"),
        pytest.param("Whom is Cy Fox managed by?", id="passive"),
        pytest.param("Whose boss is Cy Fox?", id="likeness where direction matters"),
        pytest.param("Which customer placed the order Order 1?", id="asked for the other end"),
        pytest.param("Does Ann Lee have orders?", id="yes or no"),
        pytest.param("ratings of customers in Oslo with a rating above 2", id="property asked"),
        pytest.param("orders of Ana Lee", id="misspelled name"),
    ],
)
async def test_a_near_miss_is_not_served(store: SqliteGraphStore, tmp_path: Path, question: str) -> None:
    assert await served(store, tmp_path, question, QUESTIONS) is None


async def test_a_relationship_is_not_followed_twice(store: SqliteGraphStore, tmp_path: Path) -> None:
    pinned = {"Reports": (["reports of {who:Employee}", "Whom does {who:Employee} manage?"], QUESTIONS["Reports"][1])}

    assert await served(store, tmp_path, "Please tell me whom Cy Fox does manage", pinned) == "Reports"
    assert await served(store, tmp_path, "Whom do the reports of Cy Fox manage?", pinned) is None
    assert await served(store, tmp_path, "reports of the reports of Cy Fox", pinned) is None


async def test_all_of_a_kind_is_not_any_of_them(store: SqliteGraphStore, tmp_path: Path) -> None:
    cypher = "MATCH (c:Customer)-[:LIVES_IN]->(t:City {name: '{city}'}), (c)-[:PLACED]->(o:Order) RETURN o"
    pinned = {"Local": (["orders of customers in {city:City}"], cypher)}

    assert await served(store, tmp_path, "Show all bookings of customers in Oslo", pinned) == "Local"
    assert await served(store, tmp_path, "Show the bookings of all customers in Oslo", pinned) is None


@pytest.mark.parametrize(
    ("question", "name"),
    [
        pytest.param("Who does Cy report to?", "Boss", id="wording"),
        pytest.param("To whom does Cy report?", "Boss", id="preposition first"),
        pytest.param("Which person does Cy report to?", "Boss", id="person"),
        pytest.param("What is Cy's boss?", "Boss", id="genitive"),
        pytest.param("Who reports to Cy?", None, id="direction"),
        pytest.param("Who does the boss of Cy report to?", None, id="relationship followed twice"),
        pytest.param("Who works on Apollo?", "Project", id="node that fits"),
        pytest.param("Which people are working on the project Apollo?", "Project", id="noun of the other wording"),
        pytest.param("Who works on Sales?", None, id="node that does not fit"),
        pytest.param("Which part does Engine belong to?", None, id="direction told by a word for a question alone"),
        pytest.param("Which parts does Car have?", "Parts", id="what a node has"),
        pytest.param("Which parts have Car?", None, id="what has a node"),
        pytest.param("What are the parts of Car?", "Parts", id="order of the wording"),
        pytest.param("projects with a due date before 2024-06-01", "Due", id="both words of a property"),
        pytest.param("What is the surface of Apollo in square kilometres?", None, id="word that nobody knows"),
        pytest.param("What is Apollo's site area in km2?", "Area", id="unit of the property"),
        pytest.param("What is Apollo's site area in square miles?", None, id="other unit"),
    ],
)
async def test_a_graph_without_kinds(tmp_path: Path, question: str, name: str | None) -> None:
    nodes = (
        Node(0, frozenset(), {"name": "Cy"}),
        Node(1, frozenset(), {"name": "Di"}),
        Node(2, frozenset(), {"name": "Apollo", "site_area_km2": 3, "due_dt": date(2024, 1, 1)}),
        Node(3, frozenset(), {"name": "Sales"}),
        *(Node(4 + number, frozenset(), {"name": name}) for number, name in enumerate(("Bolt", "Engine", "Car"))),
    )
    links = [("rpts_to", 0, 1), ("works_on", 0, 2), ("prj_lead", 2, 1), ("in_team", 1, 3)]
    links += [("part_of", 4, 5), ("part_of", 5, 6)]
    file = tmp_path / "graph.sqlite"
    relationships = tuple(Relationship(number, *link, {}) for number, link in enumerate(links))
    write_graph_file(PropertyGraph(nodes, relationships), file)
    pinned = {
        "Boss": (
            ["boss of {who:entity}", "Who does {who:entity} report to?"],
            "MATCH (p {name: '{who}'})-[:rpts_to]->(m) RETURN m",
        ),
        "Project": (
            ["people who work on {what:entity}", "Who works on the project {what:entity}?"],
            "MATCH (p)-[:works_on]->(x {name: '{what}'}) RETURN p",
        ),
        "Due": (
            ["projects due before {day:date}"],
            "MATCH (p)-[:prj_lead]->(l) WHERE p.due_dt < '{day}' RETURN p",
        ),
        "Parts": (
            ["parts of {what:entity}", "Which parts belong to {what:entity}?"],
            "MATCH (p)-[:part_of]->(x {name: '{what}'}) RETURN p",
        ),
        "Area": (["site area of {what:entity}"], "MATCH (x {name: '{what}'}) RETURN x.site_area_km2 AS area"),
    }

    assert await served(SqliteGraphStore(file, 5.0), tmp_path, question, pinned) == name


async def test_a_question_that_could_be_two_is_neither(store: SqliteGraphStore, tmp_path: Path) -> None:
    pinned = {
        "One": QUESTIONS["Orders"],
        "Other": (["orders from {who:Customer}", *QUESTIONS["Orders"][0]], QUESTIONS["Orders"][1]),
    }

    assert await served(store, tmp_path, "orders of Ann Lee", pinned) == "One"
    assert await served(store, tmp_path, "bookings of Ann Lee", pinned) is None


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("bookings between 10 and 2000", "Between"),
        ("bookings of at least 10 and at most 2000", "Bounds"),
        ("bookings of at most 2000 and at least 10", None),
        ("bookings of at least 10", None),
        ("bookings with a total between 10 and 2000, placed between 3 and 4", None),
    ],
)
async def test_numbers_are_told_apart_by_their_order(
    store: SqliteGraphStore, tmp_path: Path, question: str, name: str | None
) -> None:
    query = "MATCH (o:Order) WHERE o.total > '{low}' AND o.total < '{high}' RETURN o"
    pinned = {
        "Between": (["orders between {low:number} and {high:number}"], query),
        "Bounds": (["orders of at least {low:number} and at most {high:number}"], query),
    }

    assert await served(store, tmp_path, question, pinned) == name


async def test_nodes_of_one_kind_are_told_apart_by_wordings_alone(store: SqliteGraphStore, tmp_path: Path) -> None:
    shared = (
        ["cities of {one:Customer} and {other:Customer}"],
        "MATCH (a:Customer {name: '{one}'})-[:LIVES_IN]->(c:City)<-[:LIVES_IN]-(b:Customer {name: '{other}'}) RETURN c",
    )

    assert await served(store, tmp_path, "cities of Ann Lee and Bo Ek", {"Shared": shared}) == "Shared"
    assert await served(store, tmp_path, "towns of Ann Lee and Bo Ek", {"Shared": shared}) is None


async def test_a_wording_without_content_words_is_not_paraphrased(store: SqliteGraphStore, tmp_path: Path) -> None:
    anything = (["what has {x:entity}"], "MATCH (c {name: '{x}'})-->(o) RETURN o")

    assert await served(store, tmp_path, "what has Ann Lee", {"Anything": anything}) == "Anything"
    assert await served(store, tmp_path, "Ann Lee", {"Anything": anything}) is None
