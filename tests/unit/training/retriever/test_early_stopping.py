import importlib.util
import math
from dataclasses import dataclass
from typing import Any

import pytest

pytestmark = [
    pytest.mark.train,
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs the train extra"),
]


@dataclass(frozen=True)
class Scores:
    right: float
    loss: float


def best(patience: int = 2) -> Any:
    from torch import nn

    from training.retriever.early_stopping import Best

    return Best(nn.Linear(1, 1), Scores(right=-1.0, loss=math.inf), patience)


def stopped_after(*checks: tuple[float, float]) -> int:
    keeper = best()
    for number, (right, loss) in enumerate(checks, 1):
        keeper.check(Scores(right, loss))
        if keeper.exhausted:
            return number
    return 0


def test_training_ends_after_checks_without_any_gain() -> None:
    assert stopped_after((0.5, 1.0), (0.4, 1.1), (0.5, 1.0), (0.9, 0.1)) == 3


def test_a_falling_loss_is_a_gain_though_no_more_is_right() -> None:
    assert stopped_after((0.5, 1.0), (0.4, 0.9), (0.4, 0.8), (0.45, 0.7), (0.6, 0.7)) == 0


def test_two_perfect_checks_end_it() -> None:
    assert stopped_after((1.0, 0.5), (1.0, 0.4), (1.0, 0.3)) == 2


def test_the_state_that_had_most_right_is_put_back() -> None:
    import torch

    keeper = best()
    with torch.no_grad():
        for value, right, loss in ((1.0, 0.5, 1.0), (2.0, 0.4, 0.5)):
            keeper._network.weight.fill_(value)
            keeper.check(Scores(right, loss))
    keeper.put_back()
    assert keeper._network.weight.item() == 1.0


def test_what_is_remembered_survives_a_checkpoint() -> None:
    first, second = best(), best()
    first.check(Scores(0.5, 1.0))
    first.check(Scores(0.4, 1.1))
    second.restore(first.state())
    second.check(Scores(0.4, 1.2))
    assert second.exhausted
