"""Fit how readings are ranked, and how probable it is that the first one is right."""

from collections.abc import Sequence

import numpy as np

from services.retriever.plans.predictor.plan_confidence import NEVER_BETTER, PlanCalibration, PlanFeatures
from training.conditional_logit import fit_conditional_logit
from training.logistic import fit_logistic
from training.planning.calibration.judging import Judged


def ranking_of(judged: Sequence[Judged]) -> PlanCalibration:
    """Fit the weights that rank right readings first."""
    default = PlanCalibration()
    cases = [([features.values() for features, _ in one], [right for _, right in one]) for one in judged]
    return default.model_copy(update={"weights": fit_conditional_logit(cases, default.weights, NEVER_BETTER)})


def calibration_of(examples: Sequence[tuple[PlanFeatures, bool]]) -> PlanCalibration:
    """Fit a logistic regression to readings that are right or wrong.

    Features that never make a reading better and would get a positive weight are left out.
    """
    default = PlanCalibration()
    inputs, right = np.array([features.values() for features, _ in examples]), [right for _, right in examples]
    kept = list(range(inputs.shape[1]))
    while True:
        bias, weights = fit_logistic(inputs[:, kept].tolist(), right, default.bias, [default.weights[n] for n in kept])
        wrong = [n for n, weight in zip(kept, weights, strict=True) if n in NEVER_BETTER and weight > 0]
        if not wrong:
            found = dict(zip(kept, weights, strict=True))
            return PlanCalibration(bias=bias, weights=tuple(found.get(n, 0.0) for n in range(inputs.shape[1])))
        kept = [n for n in kept if n not in wrong]


def first_reading(judged: Judged, ranking: PlanCalibration) -> tuple[PlanFeatures, bool]:
    """Return the reading that comes first."""
    return max(judged, key=lambda one: ranking.probability(one[0]))
