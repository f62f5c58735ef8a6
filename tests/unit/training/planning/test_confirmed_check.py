"""Confirmed questions are asked while they are not among the confirmed ones, to count what these bring."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from graph.sqlite.store import SqliteGraphStore
from graph.store import GraphStore
from language.question import Question
from language.values import QuestionValue
from question_sets.records import QuestionRecord
from services.retriever.plans.planner import Planner
from services.retriever.plans.predictor.plan_confidence import PlanCalibration
from services.retriever.plans.predictor.search import PredictedActions
from tests.fakes.planning import ScriptedPlans
from tests.support.property_graphs import film_graph, write_graph_file
from training.planning.confirmed_check import ConfirmedCheck, Readings, check_confirmed
from training.planning.confirming import Confirmed, confirmed_questions

_FILMS = "MATCH (f:Film) RETURN count(*) AS number"
_PEOPLE = "KIND:Person GROUP COUNT_ROWS END"


@pytest.fixture
def store(tmp_path: Path) -> GraphStore:
    write_graph_file(film_graph(), tmp_path / "films.sqlite")
    return SqliteGraphStore(tmp_path / "films.sqlite")


class _Remembering(ScriptedPlans):
    """Read every question as a count of people, and as a count of films once others of the same kind are known."""

    def predict(self, question: Question, values: Sequence[QuestionValue], width: int) -> list[PredictedActions]:
        assert question.text not in [one.question.text for one in self.known]
        self._script = {question.text: [(_PEOPLE, -0.1)]}
        known = [PredictedActions(one.actions, -0.01, confirmed=0.9) for one in self.known[:1]]
        return [*known, *super().predict(question, values, width)]


async def _confirmed(store: GraphStore, count: int) -> Confirmed:
    records = [QuestionRecord(question=f"how many {'new ' * n}films are there", cypher=_FILMS) for n in range(count)]
    return await confirmed_questions(store, records, Planner(store, lambda elements: ScriptedPlans({}, elements)))


async def test_readings_are_compared_with_those_before_anything_is_confirmed(store: GraphStore) -> None:
    calls: list[tuple[int, int]] = []
    planner = Planner(store, lambda elements: _Remembering({}, elements))

    check = await check_confirmed(await _confirmed(store, 15), planner, lambda done, total: calls.append((done, total)))

    assert check is not None
    assert (check.asked, len(check.before.right), len(check.after.right)) == (15, 0, 15)
    assert calls == [(done, 30) for done in range(1, 31)]


async def test_few_questions_are_not_checked(store: GraphStore) -> None:
    planner = Planner(store, lambda elements: _Remembering({}, elements))

    assert await check_confirmed(await _confirmed(store, 12), planner, lambda done, total: None) is None


async def test_wrong_readings_count_if_they_are_trusted(store: GraphStore) -> None:
    script = {"how many films are there": [(_PEOPLE, -0.01)]}
    confirmed = await _confirmed(store, 15)

    for bias, counted in ((20.0, 1), (-20.0, 0)):
        calibration = PlanCalibration(bias=bias)
        planner = Planner(store, lambda elements: ScriptedPlans(script, elements), calibration)

        check = await check_confirmed(confirmed, planner, lambda done, total: None)

        readings = Readings(sure_but_wrong=("how many films are there",) * counted)
        assert check == ConfirmedCheck(15, readings, readings)
        assert (check.is_worse, check.misled) == (False, [])


def test_fewer_right_or_more_surely_wrong_questions_are_worse() -> None:
    before = Readings(("a", "b"), ("c",))

    fewer = ConfirmedCheck(4, before, Readings(("a",), ("c",)))
    surer = ConfirmedCheck(4, before, Readings(("a", "b"), ("c", "d")))
    better = ConfirmedCheck(4, before, Readings(("a", "b", "d"), ()))

    assert [one.is_worse for one in (fewer, surer, better)] == [True, True, False]
    assert [one.misled for one in (fewer, surer, better)] == [["b"], ["d"], []]
