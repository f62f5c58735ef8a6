"""Export the judge as the file that serving reads."""

from pathlib import Path

import torch
from torch import Tensor, nn

from services.retriever.plans.predictor.plan_judge import JUDGE_FILE, PlanSteps
from training.planning.export import export_module
from training.planning.judge.network import JudgeBatch, JudgeNetwork
from training.planning.network import SIZE


class _OneQuestion(nn.Module):  # type: ignore[misc]
    """Score the plans of one question."""

    def __init__(self, network: JudgeNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, numbers: Tensor, groups: Tensor, places: Tensor, mask: Tensor, memory: Tensor) -> Tensor:
        """Return the scores of P plans, [P], of S steps each; `memory` is [N, SIZE]."""
        everywhere = torch.ones_like(memory[None, :, 0], dtype=torch.bool)
        batch = JudgeBatch(
            numbers[None], groups[None], places[None], mask[None], memory[None], everywhere, torch.ones(1)
        )
        return torch.as_tensor(self.network(batch)[0])


def export_judge(network: JudgeNetwork, folder: Path) -> None:
    """Write the judge into the folder of the plan model that it was trained with."""
    network.cpu().eval()
    shape = 3, 5
    inputs = (
        torch.zeros(shape, dtype=torch.int64), torch.zeros(shape, dtype=torch.int64),
        torch.zeros(shape, dtype=torch.int64), torch.ones(shape, dtype=torch.bool), torch.zeros(7, SIZE),
    )  # fmt: skip
    steps = {name: {0: "P", 1: "S"} for name in PlanSteps._fields}
    export_module(
        _OneQuestion(network), inputs, folder / JUDGE_FILE, [*PlanSteps._fields, "memory"], ["scores"],
        {**steps, "memory": {0: "N"}, "scores": {0: "P"}},
    )  # fmt: skip
