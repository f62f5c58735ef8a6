from collections.abc import Sequence
from pathlib import Path

import pytest

from language.english.english import english
from language.english.question_values import literal_values
from language.question import Question
from language.values import QuestionValue
from services.retriever.plans.grammar.actions import FIXED, Action, Op
from services.retriever.plans.predictor.model import PlanModel, PreparedSchema, Reading
from services.retriever.plans.predictor.plan_judge import JUDGE_FILE, PlanJudge, SchemaJudge, plan_steps
from services.retriever.plans.predictor.plan_manifest import BASE_MODEL
from services.retriever.plans.predictor.search import plan_search
from services.retriever.plans.schema.schema_elements import SchemaElements
from shared.errors import InvalidInputError, NotFoundError
from tests.fakes.planning import read_actions
from tests.support.property_graphs import film_graph
from tests.support.stored_graphs import StoredGraph

_ELEMENTS = SchemaElements.of(StoredGraph(film_graph()).schema)
_FILMS = read_actions("KIND:Film RETURN VARIABLE:0 END", _ELEMENTS)
_LATE = read_actions("KIND:Film PROPERTY:Film.year GREATER VALUE:0 RETURN VARIABLE:0 END", _ELEMENTS)
_COUNT = read_actions("KIND:Person GROUP COUNT_ROWS END", _ELEMENTS)
_QUESTION = "Which films came after 1999?"


@pytest.fixture(scope="module")
def model() -> PlanModel:
    return PlanModel(BASE_MODEL)


@pytest.fixture(scope="module")
def judge(model: PlanModel) -> SchemaJudge:
    return PlanJudge(model, BASE_MODEL).over(model, model.prepare(_ELEMENTS))


def _position(action: Action) -> int:
    kinds, connections = len(_ELEMENTS.kinds), len(_ELEMENTS.connections)
    return action.number + {Op.KIND: 0, Op.PROPERTY: kinds + connections}[action.op]


def test_steps_point_to_what_actions_name() -> None:
    tokens, elements = 7, len(_ELEMENTS.kinds) + len(_ELEMENTS.connections) + len(_ELEMENTS.properties)

    numbers, groups, places, mask = plan_steps([_LATE, _FILMS], _ELEMENTS, tokens)

    kind, year, greater, value, give, variable, end = range(1, 8)
    assert mask.sum(axis=1).tolist() == [8, 5]
    assert [places[0, one] for one in (kind, year)] == [tokens + _position(_LATE[0]), tokens + _position(_LATE[1])]
    assert places[0, value] == tokens + elements
    assert places[0, variable] == places[0, kind]
    assert [numbers[0, one] for one in (greater, give, end)] == [Op.GREATER, Op.RETURN, Op.END]
    assert places[0, greater] == -1
    assert numbers[0, 0] == numbers[0, kind] == FIXED
    assert len({int(groups[0, one]) for one in (kind, year, value, variable)}) == 4


def test_the_scores_of_plans_do_not_depend_on_their_order(judge: SchemaJudge) -> None:
    values, plans = list(literal_values(_QUESTION)), [_FILMS, _LATE, _COUNT]

    scores = judge.scores(english(_QUESTION), values, plans)

    assert judge.scores(english(_QUESTION), values, plans) == scores
    assert judge.scores(english(_QUESTION), values, plans[::-1])[::-1] == pytest.approx(scores, abs=0.05)
    assert judge.scores(english(_QUESTION), values, []) == []


def test_the_packaged_judge_prefers_the_plan_that_the_question_asks_for(judge: SchemaJudge) -> None:
    films, late, count = judge.scores(english(_QUESTION), list(literal_values(_QUESTION)), [_FILMS, _LATE, _COUNT])

    assert late > max(films, count)


@pytest.mark.parametrize("is_own_model", [True, False])
def test_a_search_scores_its_plans_by_what_the_model_of_the_judge_reads(
    is_own_model: bool, model: PlanModel, judge: SchemaJudge
) -> None:
    vague = english("Which people and films are good?")
    search_for = plan_search(model, PlanJudge(model if is_own_model else PlanModel(BASE_MODEL), BASE_MODEL))

    found = search_for(_ELEMENTS).predict(vague, [])

    scores = judge.scores(vague, [], [one.actions for one in found])
    assert len(found) > 1
    assert [one.judged for one in found] == scores


def test_a_judge_of_the_same_model_reads_no_question_again() -> None:
    class Counting(PlanModel):
        reads = 0

        def read(self, question: Question, values: Sequence[QuestionValue], schema: PreparedSchema) -> Reading:
            self.reads += 1
            return super().read(question, values, schema)

    model = Counting(BASE_MODEL)

    plan_search(model, PlanJudge(model, BASE_MODEL))(_ELEMENTS).predict(english(_QUESTION), [])

    assert model.reads == 1


def test_a_judge_that_is_missing_or_damaged_is_refused(tmp_path: Path, model: PlanModel) -> None:
    with pytest.raises(NotFoundError, match="install the package again"):
        PlanJudge(model, tmp_path)
    (tmp_path / JUDGE_FILE).write_bytes(b"no model")
    with pytest.raises(InvalidInputError, match="cannot read the judge"):
        PlanJudge(model, tmp_path)
