import asyncio

import pytest

from shared.errors import DependencyError, RefusedError
from shared.llm.model_trial import ModelTrial


class Model:
    """Answer a trial if it has no `error`, once `gate` is set."""

    def __init__(self, error: DependencyError | None = None) -> None:
        self.error = error
        self.gate = asyncio.Event()
        self.gate.set()
        self.asked = 0

    async def ask(self) -> None:
        self.asked += 1
        await self.gate.wait()
        if self.error:
            raise self.error


async def test_a_model_that_failed_is_tried_again_after_a_while() -> None:
    model, now = Model(RefusedError("unknown model")), 0.0
    trial = ModelTrial(model.ask, retry_after_s=30, clock=lambda: now)
    for _ in range(3):
        with pytest.raises(RefusedError, match="unknown model"):
            await trial.outcome()
    assert model.asked == 1

    now, model.error = 30.0, None
    await trial.outcome()
    await trial.outcome()
    assert model.asked == 2


async def test_a_model_that_answers_a_question_needs_no_trial() -> None:
    model = Model()
    trial = ModelTrial(model.ask)
    trial.record_success()
    await trial.outcome()
    assert model.asked == 0


async def test_probes_share_one_trial_which_outlives_them() -> None:
    model = Model()
    model.gate.clear()
    trial = ModelTrial(model.ask)
    probes = [asyncio.create_task(trial.outcome()) for _ in range(3)]
    await asyncio.sleep(0)
    probes[0].cancel()
    for probe in probes[1:]:
        with pytest.raises(DependencyError, match="has not answered a prompt yet"):
            await probe
    model.gate.set()
    await trial.outcome()
    assert model.asked == 1


async def test_cancelling_stops_a_trial() -> None:
    model = Model()
    model.gate.clear()
    trial = ModelTrial(model.ask)
    probe = asyncio.create_task(trial.outcome())
    await asyncio.sleep(0)
    trial.cancel()
    with pytest.raises(DependencyError, match="has not answered"):
        await probe
