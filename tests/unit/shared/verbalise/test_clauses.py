import pytest

from shared.verbalise.clauses import full_clause, is_sayable


@pytest.mark.parametrize(
    ("relation", "said"),
    [
        ("in_state", "A is in the state B"),
        ("airport_in", "A is an airport in B"),
        ("hq_in", "A has headquarters in B"),
        ("offices_near", "A has offices near B"),
    ],
)
def test_prepositions_tell_how_two_things_are_linked(relation: str, said: str) -> None:
    assert full_clause(relation, "A", "B") == said
    assert is_sayable(relation)


@pytest.mark.parametrize("relation", ["coaches", "coaches_in", "films_by", "founded", "P31"])
def test_other_names_follow_the_subject_and_a_colon(relation: str) -> None:
    assert full_clause(relation, "A", "B").startswith("A: ")
    assert not is_sayable(relation)


def test_nouns_and_verbs_agree_with_the_numbers_of_things() -> None:
    assert full_clause("in_state", "A and B", "C and D", 2, 2) == "A and B are in the states C and D"
    assert full_clause("hq_in", "A and B", "C", 2, 1) == "A and B have headquarters in C"
