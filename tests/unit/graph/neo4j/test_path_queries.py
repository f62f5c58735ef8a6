from graph.neo4j.path_queries import (
    next_steps_parameters,
    next_steps_query,
    walk_parameters,
    walk_query,
)
from graph.store import Entity, WalkRule


def test_one_query_text_serves_all_paths_with_the_same_number_of_hops() -> None:
    one, other = Entity("1", "a"), Entity("2", "b")
    rule = WalkRule()
    asked = [walk_parameters([(topic, path)], rule, 9) for topic, path in ((one, ("r", "^s")), (other, ("t", "t")))]
    assert asked[0]["starts"][2][0] == {
        "number": 0, "topic": "1", "types": ["r", "s"], "forwards": [True, False], "later": [["s"], []],
    }  # fmt: skip
    assert asked[1]["starts"][2][0]["later"] == [["t"], []]
    assert walk_parameters([(one, ("r", "r"))], WalkRule("walk"), 9)["starts"][2][0]["later"] == [[], []]
    assert "UNWIND $starts[2]" in walk_query(2)
    assert walk_query(2) in walk_query(3)


def test_hubs_are_tested_type_by_type_and_types_are_quoted() -> None:
    text = next_steps_query(1, ("directed by", "odd`type"))
    assert "(n)-[:`directed by`]->()" in text
    assert "(n)<-[:`odd``type`]-()" in text
    assert next_steps_parameters([(Entity("1", "a"), ("r",))], ("r",))["steps"] == ["r", "^r"]
