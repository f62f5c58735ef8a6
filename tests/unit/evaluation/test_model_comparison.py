"""Trained models are installed only if they answer better than the present ones on questions kept aside."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.model_comparison import (
    PRESENT,
    Score,
    choose,
    choose_trained,
    combinations,
    comparable,
    compare,
    evidence_of,
    is_better,
)
from question_sets.records import QuestionRecord
from services.retriever.plans.predictor.plan_manifest import BASE_MODEL
from shared.paths import graph_file
from tests.support.property_graphs import film_graph, write_graph_file
from training.retriever.model_parts import ModelParts

_VALUES = st.sampled_from((-1, 0, 1))
_PATHS, _PLANS, _OLD = Path("new-paths"), Path("new-plans"), Path("old")


def _score(*values: int) -> Score:
    return Score(values, 0)


_FEW_RIGHT = _score(1, 0, 0, 0, 0, -1)
_MORE_RIGHT = _score(1, 1, 1, 1, 0, -1)
_ALL_RIGHT = _score(1, 1, 1, 1, 1, 1)


@pytest.mark.parametrize(
    ("new", "old", "expected"),
    [
        ((1, 1, 1), (0, 0, 0), True),
        ((1, 1, 0), (0, 0, 0), False),  # two of two is chance
        ((1, 1, 1, 1, 1, 0), (0, 0, 0, 0, 0, 1), True),
        ((1, 1, 1, 1, 0), (0, 0, 0, 0, 1), False),
        ((0, 0, 0), (-1, -1, -1), True),  # no longer confidently wrong
        ((1, 1, 1, 1, -1), (0, 0, 0, 0, 0), False),  # more right, and more wrong
        ((0, 0, 0), (0, 0, 0), False),
    ],
)
def test_better_is_more_than_chance_and_worse_on_no_count(
    new: tuple[int, ...], old: tuple[int, ...], expected: bool
) -> None:
    assert is_better(_score(*new), _score(*old)) is expected


@given(st.lists(st.tuples(_VALUES, _VALUES), min_size=1, max_size=30))
def test_of_two_retrievers_at_most_one_is_better_and_it_has_no_worse_count(pairs: list[tuple[int, int]]) -> None:
    one, other = (Score(tuple(pair[side] for pair in pairs), 0) for side in (0, 1))

    assert not (is_better(one, other) and is_better(other, one))
    if is_better(one, other):
        assert one.right >= other.right and one.wrong <= other.wrong
        assert one.values != other.values


def test_the_better_part_is_kept_and_the_other_left_out() -> None:
    present, trained = ModelParts(), ModelParts(_PATHS, _PLANS)
    scores = {PRESENT: _FEW_RIGHT, "new plans": _MORE_RIGHT, "new paths": _FEW_RIGHT, "new plans and paths": _FEW_RIGHT}

    choice = choose(present, trained, scores)

    assert choice is not None
    assert (choice.parts, choice.evidence) == (ModelParts(plans=_PLANS), None)


def test_new_paths_are_chosen_only_if_they_are_better_than_the_same_plans_alone() -> None:
    present, trained = ModelParts(), ModelParts(_PATHS, _PLANS)
    # Both together are better than the present model, but that is due to the plans.
    one_more = replace(_MORE_RIGHT, values=(*_MORE_RIGHT.values[:4], 1, -1))
    scores = {PRESENT: _FEW_RIGHT, "new plans": _MORE_RIGHT, "new paths": _FEW_RIGHT, "new plans and paths": one_more}
    by_plans = choose(present, trained, scores)
    by_both = choose(present, trained, scores | {"new plans": _FEW_RIGHT, "new plans and paths": _ALL_RIGHT})

    assert by_plans is not None and by_plans.name == "new plans"
    assert by_both is not None and by_both.parts == trained
    assert by_both.evidence == evidence_of(_ALL_RIGHT, _FEW_RIGHT)


def test_nothing_is_chosen_if_nothing_is_better() -> None:
    present, trained = ModelParts(), ModelParts(_PATHS, _PLANS)
    scores = dict.fromkeys(combinations(present, trained), _MORE_RIGHT)

    assert choose(present, trained, scores) is None
    forced = choose_trained(present, trained, scores)
    assert (forced.parts, forced.evidence) == (trained, None)
    assert choose_trained(present, trained, {}).parts == trained


def test_present_paths_stay_beside_better_plans() -> None:
    present, trained = ModelParts(_OLD, _OLD / "plans"), ModelParts(None, _PLANS)
    scores = dict.fromkeys(combinations(present, trained), _FEW_RIGHT) | {"new plans": _ALL_RIGHT}

    choice = choose(present, trained, scores)

    assert choice is not None
    assert (choice.parts, choice.evidence) == (ModelParts(_OLD, _PLANS), None)
    assert choose_trained(present, trained, scores).parts == ModelParts(_OLD, _PLANS)


@given(*[st.sampled_from((None, _OLD))] * 2, st.sampled_from((None, _PATHS)), st.sampled_from((None, _PLANS)))
def test_every_combination_with_new_paths_is_compared_with_its_plans_alone(
    old_paths: Path | None, old_plans: Path | None, new_paths: Path | None, new_plans: Path | None
) -> None:
    systems = combinations(ModelParts(old_paths, old_plans), ModelParts(new_paths, new_plans))

    assert len(set(systems.values())) == len(systems)
    assert all(replace(parts, paths=None) in systems.values() for parts in systems.values())


@pytest.fixture
def films(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path))
    graph_file("films").parent.mkdir(parents=True)
    write_graph_file(film_graph(), graph_file("films"))
    return "films"


async def test_models_are_asked_through_the_whole_pipeline(films: str, tmp_path: Path) -> None:
    plans = tmp_path / "plans"
    shutil.copytree(BASE_MODEL, plans)
    records = [
        QuestionRecord(question="How many films are there?", answers=("20",)),
        QuestionRecord(question="How many persons are there?", answers=("-1",)),
        QuestionRecord(question="What does the moon weigh?", answers=("much",)),
    ]
    steps: list[tuple[int, int]] = []

    scores = await compare(films, ModelParts(), ModelParts(plans=plans), records, lambda *at: steps.append(at[:2]))

    assert scores[PRESENT] == scores["new plans"]
    assert scores[PRESENT].values[0] == 1 and scores[PRESENT].right == 1
    assert steps == [(done, 6) for done in range(1, 7)]


async def test_a_question_whose_query_does_not_run_costs_only_itself(films: str) -> None:
    found = await comparable(
        films,
        [
            QuestionRecord.model_validate({"question": "size?", "cypher": "MATCH (f:Film) RETURN count(f)"}),
            QuestionRecord.model_validate({"question": "yachts?", "cypher": "MATCH (y:Film) RETURN nonsense(y)"}),
        ],
    )

    assert [one.answers for one in found.records] == [("20",)]
    assert len(found.problems) == 1 and found.problems[0].startswith("yachts?: ")
