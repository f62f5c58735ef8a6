import pytest

from services.retriever.plans.schema import kind_groups
from services.retriever.plans.schema.kind_groups import group_entities, typical_steps

FILM = frozenset(("directed_by", "written_by", "has_genre"))
PERSON = frozenset(("^directed_by", "^written_by"))
CLIP = frozenset(("has_genre", "filmed_on", "cut_by", "sold_by"))
BAND = frozenset(("^sold_by", "plays"))
DIRECTOR = frozenset(("^directed_by",))


def test_entities_with_similar_steps_are_grouped_and_the_largest_group_comes_first() -> None:
    unwritten = FILM - {"written_by"}
    assert group_entities([*[PERSON] * 4, *[FILM] * 6, unwritten], ()) == [[*[FILM] * 6, unwritten], [PERSON] * 4]


def test_entities_with_values_only_are_left_out() -> None:
    assert group_entities([frozenset(("year",)), FILM], {"year"}) == [[FILM]]


def test_a_group_with_a_part_of_the_steps_of_a_larger_one_joins_it() -> None:
    rare = [frozenset((f"step {number}",)) for number in range(40)]
    groups = group_entities([*[PERSON] * 3, DIRECTOR, *rare], ())
    assert groups[0] == [*[PERSON] * 3, DIRECTOR]


def test_steps_that_few_entities_take_are_not_typical() -> None:
    assert typical_steps([FILM, *[PERSON] * 9]) == PERSON


def test_the_smallest_of_many_groups_join_those_that_share_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    signatures = [*[FILM] * 6, *[PERSON] * 4, CLIP, BAND]
    assert group_entities(signatures, ()) == [[FILM] * 6, [PERSON] * 4, [BAND], [CLIP]]
    monkeypatch.setattr(kind_groups, "_MANY", 2)
    assert group_entities(signatures, ()) == [[*[FILM] * 6, CLIP], [PERSON] * 4, [BAND]]
