"""Read choices with the plan model, and put them into batches."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from language.english.english import english
from services.retriever.plans.predictor.model import PlanModel, PreparedSchema
from services.retriever.plans.predictor.plan_judge import PlanSteps, plan_steps
from training.planning.judge.choices import Choice
from training.planning.judge.network import JudgeBatch


@dataclass(frozen=True, slots=True)
class ReadChoice:
    """Hold a choice with what the plan model has read, `memory`, [N, size], and the number of the question's tokens."""

    choice: Choice
    memory: npt.NDArray[np.float16]
    tokens: int


def read_choices(choices: Iterable[Choice], model: PlanModel) -> Iterator[ReadChoice]:
    """Yield choices with what the plan model reads."""
    prepared: dict[int, PreparedSchema] = {}
    for one in choices:
        key = id(one.elements)
        schema = prepared.get(key) or model.prepare(one.elements)
        if one.is_answerable:  # each of the others may have a schema of its own
            prepared[key] = schema
        reading = model.read(english(one.question), one.values, schema)
        yield ReadChoice(one, reading.memory.astype(np.float16), reading.tokens)


def judge_batch(choices: Sequence[ReadChoice]) -> JudgeBatch:
    """Return the plans of choices as arrays."""
    found = [_steps(one) for one in choices]
    count, plans = len(choices), max(len(one.numbers) for one in found)
    steps, positions = max(one.numbers.shape[1] for one in found), max(len(one.memory) for one in choices)
    shape = count, plans, steps
    numbers, groups = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    places, mask = np.full(shape, -1, np.int64), np.zeros(shape, bool)
    memory = np.zeros((count, positions, choices[0].memory.shape[1]), np.float32)
    memory_mask = np.zeros((count, positions), bool)
    for row, (one, its) in enumerate(zip(choices, found, strict=True)):
        own = row, slice(len(its.numbers)), slice(its.numbers.shape[1])
        numbers[own], groups[own], places[own], mask[own] = its
        memory[row, : len(one.memory)], memory_mask[row, : len(one.memory)] = one.memory, True
    answerable = np.array([one.choice.is_answerable for one in choices])
    return JudgeBatch(*map(torch.from_numpy, (numbers, groups, places, mask, memory, memory_mask, answerable)))


def _steps(one: ReadChoice) -> PlanSteps:
    return plan_steps(one.choice.plans, one.choice.elements, one.tokens)
