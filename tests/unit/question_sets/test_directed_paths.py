from question_sets.directed_paths import PathDirections

TRIPLES = [
    *((f"person{n}", "nationality", "France") for n in range(30)),
    ("France", "containedby", "Europe"),
    ("m.1", "spouse", "person1"),
    ("m.1", "spouse", "person2"),
]


def test_a_hub_does_not_turn_a_path_round() -> None:
    directions = PathDirections(TRIPLES)
    assert directions.likeliest(["nationality", "containedby"]) == ("nationality", "containedby")
    assert directions.likeliest(["nationality"]) == ("nationality",)


def test_steps_are_backwards_where_the_graph_has_no_other_walk() -> None:
    assert PathDirections(TRIPLES).likeliest(["spouse", "spouse"]) == ("^spouse", "spouse")


def test_a_path_that_the_graph_does_not_walk_has_no_direction() -> None:
    directions = PathDirections(TRIPLES)
    assert directions.likeliest(["capital"]) is None
    assert directions.likeliest(["containedby", "spouse"]) is None
    assert directions.likeliest([]) is None


def test_the_best_path_reaches_the_answers_and_little_else() -> None:
    directions = PathDirections(TRIPLES)
    ground = [["nationality", "nationality"], ["spouse", "spouse"], ["nationality"]]
    assert directions.best(ground, "person1", {"person2"}) == (("^spouse", "spouse"), 1.0)
    assert directions.best(ground, "person9", {"nobody"}) is None
    assert directions.best([], "person1", {"person2"}) is None


def test_fan_out_is_walks_for_each_beginning() -> None:
    directions = PathDirections(TRIPLES)
    assert directions.fan_out(("nationality", "^nationality")) == 30
    assert directions.fan_out(("spouse",)) == 2
    assert directions.fan_out(("capital",)) == 0
