import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.text import normalise
from shared.triple import Triple
from texts.verbalise.template import as_sentences, join_names


@pytest.mark.parametrize(
    ("relation", "said"),
    [
        ("capital", "The capital of A is B."),
        ("has_genre", "The genre of A is B."),
        ("has_tags", "The tags of A are B."),
        ("children", "The children of A are B."),
        ("directed_by", "A was directed by B."),
        ("owned_by", "A is owned by B."),
        ("located_in", "A is located in B."),
        ("LOCATED_IN", "A is located in B."),
        ("bornIn", "A was born in B."),
        ("ACTED_IN", "A acted in B."),
        ("film.film.directed_by", "A was directed by B."),
        ("visited at", "A visited at B."),
        ("stayed_at", "A stayed at B."),
        ("listened_to", "A listened to B."),
        ("VISITED_AT", "A visited at B."),
        ("BORN_IN", "A was born in B."),
        ("driven_to", "A was driven to B."),
        ("visited_by", "A was visited by B."),
        ("http://example.org/p#directedBy", "A was directed by B."),
        ("borders", "A borders B."),
        ("plays_for", "A plays for B."),
        ("MENTORS", "A mentors B."),
        ("SUPERVISES", "A supervises B."),
        ("PASSES", "A passes B."),
        ("BEFRIENDS", "A befriends B."),
        ("SHIPS_TO", "A ships to B."),
        ("supervises", "A supervises B."),
        ("mentors", "A: mentors B."),
        ("languages", "The languages of A are B."),
        ("LANGUAGES", "The languages of A are B."),
        ("PARTNERS", "The partners of A are B."),
        ("STATUS", "The status of A is B."),
        ("is_part_of", "A is part of B."),
        ("member_of", "A is a member of B."),
        ("is_author_of", "A is an author of B."),
        ("made_of", "A is made of B."),
        ("adjacent_to", "A is adjacent to B."),
        ("in_language", "A: in language B."),
        ("OF_SPECIES", "A: of species B."),
        ("drives_on_side", "A drives on the side B."),
        ("works_on_project", "A works on the project B."),
        ("uses_product", "A uses the product B."),
        ("wins_total", "The wins total of A is B."),
        ("part_of_department", "A is part of the department B."),
        ("was_born_in_city", "A was born in the city B."),
        ("coaches", "A: coaches B."),
        ("founded", "A: founded B."),
        ("P31", "A: p31 B."),
        ("+", "A: + B."),
    ],
)
def test_one_fact_by_the_form_of_its_relation(relation: str, said: str) -> None:
    assert as_sentences([Triple("A", relation, "B")]) == said


@pytest.mark.parametrize(
    ("relation", "objects", "subjects"),
    [
        ("language", "The languages of A are B and C.", "The language of A and B is C."),
        ("country", "The countries of A are B and C.", "The country of A and B is C."),
        ("place_of_birth", "The places of birth of A are B and C.", "The place of birth of A and B is C."),
        ("borders", "A borders B and C.", "A and B border C."),
        ("teaches", "A teaches B and C.", "A and B teach C."),
        ("carries", "A carries B and C.", "A and B carry C."),
        ("goes_to", "A goes to B and C.", "A and B go to C."),
        ("acted_in", "A acted in B and C.", "A and B acted in C."),
        ("directed_by", "A was directed by B and C.", "A and B were directed by C."),
        ("written_in", "A is written in B and C.", "A and B are written in C."),
        ("member_of", "A is a member of B and C.", "A and B are members of C."),
        ("in_language", "A: in language B and C.", "A and B: in language C."),
    ],
)
def test_facts_with_a_common_end_are_one_sentence(relation: str, objects: str, subjects: str) -> None:
    assert as_sentences([Triple("A", relation, "B"), Triple("A", relation, "C")]) == objects
    assert as_sentences([Triple("A", relation, "C"), Triple("B", relation, "C")]) == subjects


@pytest.mark.parametrize(
    ("relation", "value", "said"),
    [
        ("hazardous", "true", "Coal is hazardous."),
        ("hazardous", "false", "Coal is not hazardous."),
        ("isActive", "true", "Coal is active."),
        ("is_active", "false", "Coal is not active."),
        ("has_crane", "false", "Coal has no crane."),
        ("retired", "true", "Coal is retired."),
        ("reusable", "true", "Coal is reusable."),
        ("eu", "true", "The eu of Coal is true."),
        ("table", "true", "The table of Coal is true."),
        ("volunteer", "false", "Coal is not a volunteer."),
        ("at_night", "true", "Coal is at night."),
    ],
)
def test_a_property_that_is_true_or_false(relation: str, value: str, said: str) -> None:
    assert as_sentences([Triple("Coal", relation, value)]) == said


def test_a_property_that_is_true_of_several() -> None:
    assert (
        as_sentences([Triple(name, "hazardous", "true") for name in ("Coal", "Oil")]) == "Coal and Oil are hazardous."
    )


def test_the_key_of_a_property_is_no_verb() -> None:
    fact = Triple("Aurora", "visits", "3")

    assert as_sentences([fact], [fact]) == "The visits of Aurora are 3."


def test_facts_stay_in_order_and_are_said_once() -> None:
    facts = [
        Triple("France", "capital", "Paris"),
        Triple("France", "borders", "Spain"),
        Triple("France", "capital", "Paris"),
        Triple("France", "borders", "Andorra"),
    ]
    assert as_sentences(facts) == "The capital of France is Paris. France borders Spain and Andorra."


def test_no_second_full_stop_after_a_name_that_ends_in_one() -> None:
    assert as_sentences([Triple("USA", "capital", "Washington, D.C.")]) == "The capital of USA is Washington, D.C."


names = st.text(min_size=1, max_size=20).filter(str.strip)
relations = st.one_of(
    names, st.sampled_from(["capital", "directed_by", "borders", "member_of", "in_language", "has_x"])
)


@given(st.lists(st.builds(Triple, names, relations, names), min_size=1, max_size=8))
def test_every_entity_of_any_facts_is_named(facts: list[Triple]) -> None:
    text = as_sentences(facts)
    for fact in facts:
        assert fact.subject in text
        assert fact.object in text
        assert normalise(fact.subject) in f"{normalise(text)} {text.casefold()}"


def test_names_are_joined_as_people_do() -> None:
    assert join_names([]) == ""
    assert join_names(["Spain"]) == "Spain"
    assert join_names(["Spain", "Italy", "Andorra"]) == "Spain, Italy and Andorra"


def test_names_with_commas_stay_apart() -> None:
    assert join_names(["Cuba", "Trinidad and Tobago"]) == "Cuba; and Trinidad and Tobago"
    assert join_names(["Washington, D.C.", "Paris", "Rome"]) == "Washington, D.C.; Paris; and Rome"
