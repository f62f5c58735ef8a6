from question_sets.freebase import directed, is_nameless, subject_type


def test_nameless_nodes() -> None:
    assert [is_nameless(node) for node in ("_:b1cvt1", "m.05hq_2", "g.1s0", "M. Night", "m.", "Ann")] == [
        *[True] * 3,
        *[False] * 3,
    ]
    assert subject_type("people.person.place_of_birth") == "people.person"


def test_what_is_known_is_not_repeated_the_other_way_round() -> None:
    known = [("Ann", "people.person.parents", "Bo")]
    assert directed(known, [("Bo", "people.person.parents", "Ann"), *known]) == []


def test_mediators_keep_their_own_relations() -> None:
    walked = [
        ("Ann", "film.performance.actor", "m.01"),
        ("m.01", "film.performance.film", "Heat"),
        ("Heat", "film.film.starring", "m.01"),
        ("m.01", "film.actor.film", "Ann"),
    ]
    assert directed([], walked) == [
        ("m.01", "film.performance.actor", "Ann"),
        ("m.01", "film.performance.film", "Heat"),
        ("Heat", "film.film.starring", "m.01"),
        ("Ann", "film.actor.film", "m.01"),
    ]


def test_a_mediator_that_is_known_tells_the_type_of_the_others() -> None:
    known = [("_:b1cvt1", "people.marriage.spouse", "Ann"), ("Bo", "people.person.spouse_s", "_:b1cvt1")]
    walked = [("Cy", "people.marriage.spouse", "m.02"), ("m.02", "people.person.spouse_s", "Cy")]
    assert directed(known, walked) == [
        ("m.02", "people.marriage.spouse", "Cy"),
        ("Cy", "people.person.spouse_s", "m.02"),
    ]


def test_ends_are_told_apart_by_what_else_is_known_of_them() -> None:
    known = [(person, "people.person.nationality", "France") for person in ("Ann", "Bo", "Cy")]
    walked = [("France", "people.person.nationality", "Di"), ("Di", "people.person.profession", "Actor")]
    assert set(directed(known, walked)) == {
        ("Di", "people.person.nationality", "France"),
        ("Di", "people.person.profession", "Actor"),
    }


def test_an_edge_walked_both_ways_becomes_one_triple() -> None:
    edge, turned = ("Ann", "people.person.parents", "Bo"), ("Bo", "people.person.parents", "Ann")
    assert len(directed([], [edge, turned])) == 1
