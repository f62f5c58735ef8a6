from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the train extra: make install-train")

import torch

from language.english.english import english
from question_sets.plan_questions import PlanQuestion
from services.retriever.plans.predictor.model import PlanModel
from services.retriever.plans.predictor.plan_judge import PlanJudge
from services.retriever.plans.predictor.plan_manifest import BASE_MODEL
from tests.unit.training.planning.test_fit import QUESTIONS, SCHEMA
from training.checkpoint import Checkpoint
from training.planning.example_making import make_examples
from training.planning.examples import SchemaInput
from training.planning.judge.batches import ReadChoice, judge_batch, read_choices
from training.planning.judge.choices import Choice
from training.planning.judge.export import export_judge
from training.planning.judge.fit import JudgeFit, JudgeOptions
from training.planning.judge.network import JudgeNetwork, listwise_loss

pytestmark = pytest.mark.train


@pytest.fixture(scope="module")
def read() -> list[ReadChoice]:
    """Return choices between the plans of all questions, and one question that none of them answers."""
    questions = [PlanQuestion(question, plan, "films", "test") for question, plan in QUESTIONS.items()]
    examples = make_examples(questions, {"films": SchemaInput(SCHEMA)}, 1).examples
    without_values = [one for one in examples if not one.values]
    plans = [one.actions for one in without_values]
    elements = examples[0].schema.elements
    found = [
        Choice(one.question, elements, (), (one.actions, *(other for other in plans if other != one.actions)), True)
        for one in without_values
    ]
    unknown = Choice("Who directed the films?", elements, (), tuple(plans), is_answerable=False)
    return list(read_choices([*found, unknown], PlanModel(BASE_MODEL)))


def _fit(shown: int) -> JudgeFit:
    torch.manual_seed(3)
    return JudgeFit(JudgeNetwork(dropout=0.0), JudgeOptions(shown, batch=4))


def test_a_judge_learns_which_plan_is_right_and_when_none_is(read: list[ReadChoice], tmp_path: Path) -> None:
    fit = _fit(640)
    fit.run(read, lambda *_: None)

    scores = fit.score(read)
    assert (scores.right, scores.none) == (1.0, 1.0)
    export_judge(fit.network, tmp_path)
    model = PlanModel(BASE_MODEL)
    judge = PlanJudge(model, tmp_path).over(model, model.prepare(read[0].choice.elements))
    for one in read:
        found = judge.scores(english(one.choice.question), one.choice.values, one.choice.plans)
        assert (max(found) == found[0] and found[0] > 0) if one.choice.is_answerable else max(found) < 0


def test_an_interrupted_training_gives_the_judge_of_an_uninterrupted_one(
    read: list[ReadChoice], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("training.checkpoint.SECONDS_BETWEEN", 0.0)

    def stop(shown: int, *_: object) -> None:
        if shown >= 200:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _fit(480).run(read, stop, Checkpoint(tmp_path, "test"))
    resumed, whole = _fit(480), _fit(480)
    resumed.run(read, lambda *_: None, Checkpoint(tmp_path, "test"))
    whole.run(read, lambda *_: None)

    for one, other in zip(resumed.network.parameters(), whole.network.parameters(), strict=True):
        assert torch.equal(one, other)


def test_scores_do_not_depend_on_what_else_is_in_a_batch(read: list[ReadChoice]) -> None:
    network = JudgeNetwork().eval()
    with torch.no_grad():
        alone, together = network(judge_batch(read[:1])), network(judge_batch(read))

    assert torch.allclose(alone[0], together[0, : alone.shape[1]], atol=1e-4)


def test_the_loss_falls_as_what_is_right_scores_higher() -> None:
    is_plan, answerable = torch.tensor([[True, True, False]]), torch.tensor([True])

    def loss(first: float, second: float, missing: float, is_answerable: torch.Tensor = answerable) -> float:
        return float(listwise_loss(torch.tensor([[first, second, missing]]), is_plan, is_answerable))

    assert loss(2.0, 0.0, 0.0) < loss(1.0, 0.0, 0.0) < loss(1.0, 1.0, 0.0)
    assert loss(1.0, 0.0, 9.0) == loss(1.0, 0.0, -9.0)
    assert loss(-2.0, -2.0, 0.0, ~answerable) < loss(0.0, -2.0, 0.0, ~answerable)
