"""Judge how likely a plan answers its question: read the whole plan together with what the plan model has read.

The plan model writes a plan action by action, and scores each action by those before it. The judge sees the whole plan,
and has learnt to tell right plans from wrong ones, and from questions that the schema cannot answer; see
`training.planning.judge`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from language.question import Question
from language.values import QuestionValue
from services.retriever.encoder.encoder import open_session
from services.retriever.plans.grammar.actions import FIXED, POINTERS, Action, Op
from services.retriever.plans.grammar.state import State
from services.retriever.plans.predictor.encoding import element_number
from services.retriever.plans.predictor.model import PlanModel, PreparedSchema, Reading
from services.retriever.plans.schema.schema_elements import SchemaElements
from shared.errors import InvalidInputError, NotFoundError

JUDGE_FILE = "judge.onnx"

Integers = npt.NDArray[np.int64]


class PlanSteps(NamedTuple):
    """Hold the steps of n plans, as arrays [n, S]: the start, and then their actions.

    Attributes:
        numbers: The number of each action if it points to nothing, or FIXED.
        groups: How it points to something.
        places: The position of the model's input that it points to, or -1.
        mask: Which steps exist.
    """

    numbers: Integers
    groups: Integers
    places: Integers
    mask: npt.NDArray[np.bool_]


def plan_steps(plans: Sequence[Sequence[Action]], elements: SchemaElements, tokens: int) -> PlanSteps:
    """Return the steps of plans over one schema, for a question of so many tokens."""
    kinds, connections = len(elements.kinds), len(elements.connections)
    count = kinds + connections + len(elements.properties)
    shape = len(plans), 1 + max(map(len, plans))
    numbers, groups = np.full(shape, FIXED, np.int64), np.zeros(shape, np.int64)
    places, mask = np.full(shape, -1, np.int64), np.zeros(shape, bool)
    for row, actions in enumerate(plans):
        mask[row, : len(actions) + 1] = True
        state, bound = State(elements), list[int]()
        for step, action in enumerate(actions, 1):
            element = element_number(action, kinds, connections)
            if action.op < FIXED:
                numbers[row, step] = action.op
            else:
                groups[row, step] = POINTERS.index(action.op)
                places[row, step] = _place(action, element, bound, tokens, tokens + count)
            state = state.after(action)
            bound += [element if element is not None else 0] * (len(state.kinds) - len(bound))
    return PlanSteps(numbers, groups, places, mask)


def _place(action: Action, element: int | None, bound: Sequence[int], first: int, first_value: int) -> int:
    """Return the position of the model's input that an action points to; -1 for a column.

    The first element is at the position `first`, and the first value at `first_value`.
    """
    if element is not None:
        return first + element
    match action.op:
        case Op.VALUE:
            return first_value + action.number
        case Op.FOCUS | Op.VARIABLE:
            return first + bound[action.number]
    return -1


class SchemaJudge:
    """Judge plans over one schema; instances are safe for concurrent use."""

    def __init__(self, model: PlanModel, session: Any, schema: PreparedSchema) -> None:
        """Judge plans over a schema that the plan model of the judge has prepared."""
        self._model = model
        self._session = session
        self._schema = schema

    def scores(
        self,
        question: Question,
        values: Sequence[QuestionValue],
        plans: Sequence[Sequence[Action]],
        reading: Reading | None = None,
    ) -> list[float]:
        """Return the score of each plan for a question.

        A score is the logarithm of how much likelier it is that this plan answers the question than that none of the
        plans does.

        Args:
            question: The question.
            values: The values that the question states; VALUE actions name them by number.
            plans: The actions of finished plans.
            reading: What a search has read, which serves the judge as well if it is by the same model.
        """
        if not plans:
            return []
        if reading is None or reading.schema is not self._schema:
            reading = self._model.read(question, values, self._schema)
        steps = plan_steps(plans, self._schema.elements, reading.tokens)
        [found] = self._session.run(None, {**steps._asdict(), "memory": reading.memory})
        return [float(one) for one in found]


class PlanJudge:
    """Judge plans over any schema; an instance is safe for concurrent use."""

    def __init__(self, model: PlanModel, folder: Path, threads: int = 1) -> None:
        """Load a judge.

        Args:
            model: The plan model that the judge was trained with.
            folder: The folder of the judge.
            threads: The number of compute threads.

        Raises:
            NotFoundError: There is no judge.
            InvalidInputError: Its file is damaged.
        """
        file = folder / JUDGE_FILE
        if not file.is_file():
            raise NotFoundError(f"{file} is missing; install the package again")
        self._model = model
        try:
            self._session = open_session(file, threads)
        except Exception as error:  # onnxruntime raises its own exceptions for a damaged file
            raise InvalidInputError(f"{file}: cannot read the judge: {error}; install the package again") from error

    def over(self, model: PlanModel, schema: PreparedSchema) -> SchemaJudge:
        """Return the judge of plans over a schema, which a plan model has prepared for its search."""
        own = schema if model is self._model else self._model.prepare(schema.elements)
        return SchemaJudge(self._model, self._session, own)
