import pytest

from texts.verbalise.clauses import full_clause, is_sayable


@pytest.mark.parametrize(
    ("relation", "said"),
    [
        ("in_state", "A is in the state B"),
        ("OF_SPECIES", "A is of the species B"),
        ("airport_in", "A is an airport in B"),
        ("hq_in", "A has headquarters in B"),
        ("offices_near", "A has offices near B"),
        ("warranty_until", "A has a warranty until B"),
        ("contract_since", "A has a contract since B"),
        ("customer_since", "A has been a customer since B"),
        ("customer_until", "A is a customer until B"),
    ],
)
def test_prepositions_tell_how_two_things_are_linked(relation: str, said: str) -> None:
    assert full_clause(relation, "A", "B") == said
    assert is_sayable(relation)


@pytest.mark.parametrize("relation", ["coaches", "coaches_in", "films_by", "founded", "P31"])
def test_other_names_follow_the_subject_and_a_colon(relation: str) -> None:
    assert full_clause(relation, "A", "B").startswith("A: ")
    assert not is_sayable(relation)


@pytest.mark.parametrize(
    ("relation", "value", "said"),
    [
        ("founded", "1998", "A was founded in 1998"),
        ("born", "1980-04-01", "A was born on 1980-04-01"),
        ("released", "2020-07", "A was released in 2020-07"),
        ("opened", "2024-01-01T10:00:00Z", "A opened on 2024-01-01T10:00:00Z"),
        ("joined", "2020-07-01", "A joined on 2020-07-01"),
        ("founded", "Bo", "A: founded Bo"),
        ("founded", "19980", "A: founded 19980"),
        ("won", "1998", "A: won 1998"),
    ],
)
def test_an_event_has_its_date(relation: str, value: str, said: str) -> None:
    assert full_clause(relation, "A", value) == said


def test_nouns_and_verbs_agree_with_the_numbers_of_things() -> None:
    assert full_clause("in_state", "A and B", "C and D", 2, 2) == "A and B are in the states C and D"
    assert full_clause("hq_in", "A and B", "C", 2, 1) == "A and B have headquarters in C"
