import importlib.util
import math
from typing import Any

import pytest

from training.retriever.scoring import ClassifierScores

pytestmark = [
    pytest.mark.train,
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs the train extra: make install-train"),
]


def early_stopping(patience: int = 2) -> Any:
    from torch import nn

    from training.retriever.training_loop import EarlyStopping

    return EarlyStopping(nn.Linear(1, 1), ClassifierScores(right=-1.0, loss=math.inf), patience)


def stopped_after(*checks: tuple[float, float]) -> int:
    stopping = early_stopping()
    for number, (right, loss) in enumerate(checks, 1):
        stopping.check(ClassifierScores(right, loss))
        if stopping.is_exhausted:
            return number
    return 0


def test_training_ends_after_validations_without_progress() -> None:
    assert stopped_after((0.5, 1.0), (0.4, 1.1), (0.5, 1.0), (0.9, 0.1)) == 3


def test_a_falling_loss_is_progress() -> None:
    assert stopped_after((0.5, 1.0), (0.4, 0.9), (0.4, 0.8), (0.45, 0.7), (0.6, 0.7)) == 0


def test_two_perfect_validations_end_training() -> None:
    assert stopped_after((1.0, 0.5), (1.0, 0.4), (1.0, 0.3)) == 2


def test_the_state_with_the_most_right_is_restored() -> None:
    import torch

    stopping = early_stopping()
    with torch.no_grad():
        for value, right, loss in ((1.0, 0.5, 1.0), (2.0, 0.4, 0.5)):
            stopping._network.weight.fill_(value)
            stopping.check(ClassifierScores(right, loss))
    stopping.restore_best()
    assert stopping._network.weight.item() == 1.0


def test_the_state_survives_a_checkpoint() -> None:
    first, second = early_stopping(), early_stopping()
    first.check(ClassifierScores(0.5, 1.0))
    first.check(ClassifierScores(0.4, 1.1))
    second.restore(first.state())
    second.check(ClassifierScores(0.4, 1.2))
    assert second.is_exhausted
