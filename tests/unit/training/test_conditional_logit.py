import numpy as np
import pytest

from training.conditional_logit import fit_conditional_logit


def test_right_alternatives_come_first() -> None:
    rng = np.random.default_rng(1)
    cases = []
    for _ in range(200):
        inputs = rng.normal(size=(4, 2))
        cases.append((inputs.tolist(), (inputs[:, 0] == inputs[:, 0].max()).tolist()))

    first, second = fit_conditional_logit(cases, (0.0, 0.0))

    assert first > 1.0
    assert abs(second) < 0.5


def test_a_bounded_weight_does_not_become_positive() -> None:
    cases = [([[1.0], [0.0]], [True, False])] * 50

    assert fit_conditional_logit(cases, (0.0,))[0] > 0.5
    assert fit_conditional_logit(cases, (0.0,), at_most_zero=(0,)) == (0.0,)


@pytest.mark.parametrize("right", [[True, True], [False, False]])
def test_cases_without_a_choice_say_nothing(right: list[bool]) -> None:
    assert fit_conditional_logit([([[1.0], [0.0]], right)], (0.7,)) == pytest.approx((0.7,))
