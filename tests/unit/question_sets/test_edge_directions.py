from question_sets.edge_directions import PathDirector, direct_edges, is_nameless, subject_type
from shared.triple import Triple


def test_mediators_and_freebase_ids_are_nameless() -> None:
    assert [is_nameless(node) for node in ("_:b1cvt1", "m.05hq_2", "g.1s0", "M. Night", "m.", "Ann")] == [
        *[True] * 3,
        *[False] * 3,
    ]
    assert subject_type("people.person.place_of_birth") == "people.person"


def test_known_triples_are_not_repeated_in_reverse() -> None:
    known = [Triple("Ann", "people.person.parents", "Bo")]
    assert direct_edges(known, [Triple("Bo", "people.person.parents", "Ann"), *known]) == []


def test_edges_of_mediators_get_their_relations_direction() -> None:
    walked = [
        Triple("Ann", "film.performance.actor", "m.01"),
        Triple("m.01", "film.performance.film", "Heat"),
        Triple("Heat", "film.film.starring", "m.01"),
        Triple("m.01", "film.actor.film", "Ann"),
    ]
    assert direct_edges([], walked) == [
        Triple("m.01", "film.performance.actor", "Ann"),
        Triple("m.01", "film.performance.film", "Heat"),
        Triple("Heat", "film.film.starring", "m.01"),
        Triple("Ann", "film.actor.film", "m.01"),
    ]


def test_a_known_mediator_determines_the_type_of_others() -> None:
    known = [Triple("_:b1cvt1", "people.marriage.spouse", "Ann"), Triple("Bo", "people.person.spouse_s", "_:b1cvt1")]
    walked = [Triple("Cy", "people.marriage.spouse", "m.02"), Triple("m.02", "people.person.spouse_s", "Cy")]
    assert direct_edges(known, walked) == [
        Triple("m.02", "people.marriage.spouse", "Cy"),
        Triple("Cy", "people.person.spouse_s", "m.02"),
    ]


def test_other_edges_of_both_ends_decide_the_direction() -> None:
    known = [Triple(person, "people.person.nationality", "France") for person in ("Ann", "Bo", "Cy")]
    walked = [Triple("France", "people.person.nationality", "Di"), Triple("Di", "people.person.profession", "Actor")]
    assert set(direct_edges(known, walked)) == {
        Triple("Di", "people.person.nationality", "France"),
        Triple("Di", "people.person.profession", "Actor"),
    }


def test_an_edge_walked_in_both_directions_becomes_one_triple() -> None:
    edge, turned = Triple("Ann", "people.person.parents", "Bo"), Triple("Bo", "people.person.parents", "Ann")
    assert len(direct_edges([], [edge, turned])) == 1


TRIPLES = [
    *(Triple(f"person{n}", "nationality", "France") for n in range(30)),
    Triple("France", "containedby", "Europe"),
    Triple("m.1", "spouse", "person1"),
    Triple("m.1", "spouse", "person2"),
]


def test_a_hub_does_not_reverse_a_path() -> None:
    director = PathDirector(TRIPLES)
    assert director.likeliest(["nationality", "containedby"]) == ("nationality", "containedby")
    assert director.likeliest(["nationality"]) == ("nationality",)


def test_steps_are_backward_if_the_graph_has_no_other_walk() -> None:
    assert PathDirector(TRIPLES).likeliest(["spouse", "spouse"]) == ("^spouse", "spouse")


def test_a_path_without_walks_has_no_direction() -> None:
    director = PathDirector(TRIPLES)
    assert director.likeliest(["capital"]) is None
    assert director.likeliest(["containedby", "spouse"]) is None
    assert director.likeliest([]) is None


def test_the_best_path_reaches_the_answers_and_little_else() -> None:
    director = PathDirector(TRIPLES)
    ground = [["nationality", "nationality"], ["spouse", "spouse"], ["nationality"]]
    assert director.best(ground, "person1", {"person2"}) == ("^spouse", "spouse")
    assert director.best(ground, "person9", {"nobody"}) is None
    assert director.best([], "person1", {"person2"}) is None


def test_fan_out_is_the_mean_number_of_walks_per_start() -> None:
    director = PathDirector(TRIPLES)
    assert director.fan_out(("nationality", "^nationality")) == 30
    assert director.fan_out(("spouse",)) == 2
    assert director.fan_out(("capital",)) == 0
