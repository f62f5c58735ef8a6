import pytest

from graph.cypher.reader import read_cypher
from training.planning.alignment import places_in
from training.planning.question_order import in_question_order


@pytest.mark.parametrize(
    ("question", "query", "wanted"),
    [
        (
            "Blue runs in Norhaven",
            "MATCH (r:Run) WHERE r.place = 'Norhaven' AND r.colour = 'blue' RETURN r",
            "MATCH (r:Run) WHERE r.colour = 'blue' AND r.place = 'Norhaven' RETURN r",
        ),
        (
            "Who is taller, Wen or Ilka?",
            "MATCH (p:Person) WHERE p.name IN ['Ilka', 'Wen'] RETURN p ORDER BY p.height DESC LIMIT 1",
            "MATCH (p:Person) WHERE p.name IN ['Wen', 'Ilka'] RETURN p ORDER BY p.height DESC LIMIT 1",
        ),
        (
            "Books that Amara wrote and Harry edited",
            "MATCH (b:Book)<-[:EDITED]-(h:Person {name: 'Harry'}), (b)<-[:WROTE]-(a:Person {name: 'Amara'}) RETURN b",
            "MATCH (b:Book), (a:Person), (h:Person), (b)<-[:WROTE]-(a), (b)<-[:EDITED]-(h) "
            "WHERE a.name = 'Amara' AND h.name = 'Harry' RETURN b",
        ),
        (
            "Open runs over 900 metres in Norhaven",
            "MATCH (r:Run) WHERE r.is_open = true AND r.place = 'Norhaven' AND r.length > 900 RETURN r",
            "MATCH (r:Run) WHERE r.length > 900 AND r.place = 'Norhaven' AND r.is_open = true RETURN r",
        ),
        (
            "Runs that are red or blue",
            "MATCH (r:Run) WHERE r.colour = 'blue' OR r.colour = 'red' RETURN r",
            "MATCH (r:Run) WHERE r.colour = 'red' OR r.colour = 'blue' RETURN r",
        ),
        (
            "Who played Rook but not Hawk?",
            "MATCH (p:Person) WHERE NOT EXISTS { MATCH (p)-[:PLAYED]->(h:Part) WHERE h.name = 'Hawk' } "
            "AND EXISTS { MATCH (p)-[:PLAYED]->(r:Part) WHERE r.name = 'Rook' } RETURN p",
            "MATCH (p:Person) WHERE EXISTS { MATCH (p)-[:PLAYED]->(r:Part) WHERE r.name = 'Rook' } "
            "AND NOT EXISTS { MATCH (p)-[:PLAYED]->(h:Part) WHERE h.name = 'Hawk' } RETURN p",
        ),
    ],
)
def test_constants_follow_the_question(question: str, query: str, wanted: str) -> None:
    found = in_question_order(read_cypher(query), places_in(question))
    assert found == read_cypher(wanted)


def test_what_the_question_does_not_name_keeps_its_order() -> None:
    plan = read_cypher("MATCH (r:Run) WHERE r.is_open = true AND r.is_lit = false RETURN r")
    assert in_question_order(plan, places_in("Open runs without light")) == plan


def test_the_order_of_sorts_and_columns_stays() -> None:
    plan = read_cypher("MATCH (r:Run) WHERE r.place = 'Norhaven' RETURN r.name, r.length ORDER BY r.length, r.name")
    assert in_question_order(plan, places_in("Length and name of runs in Norhaven")) == plan
