"""Prepare plan questions as training examples."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from graph.plan.schema import GraphSchema
from language.values import QuestionValue
from services.retriever.plans.grammar.actions import MAX_VARIABLES, Action
from services.retriever.plans.grammar.transitions import MAX_ACTIONS, State, legal_actions
from services.retriever.plans.predictor.encoding import ActionIndex, EncodedSchema, encode_schema
from services.retriever.plans.schema.element_text import element_texts
from services.retriever.plans.schema.schema_elements import SchemaElements
from training.planning.oracle import InexpressibleError


@dataclass
class SchemaInput:
    """Hold a schema in the forms that training needs."""

    schema: GraphSchema
    elements: SchemaElements = field(init=False)
    encoded: EncodedSchema = field(init=False)
    texts: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.elements = SchemaElements.of(self.schema)
        self.encoded = encode_schema(self.elements)
        self.texts = element_texts(self.elements)


@dataclass(frozen=True)
class Example:
    """Hold a question with the actions of its plan; `legal` lists the numbers of the legal actions in each step."""

    question: str
    schema: SchemaInput
    values: tuple[QuestionValue, ...]
    actions: tuple[Action, ...]
    legal: tuple[npt.NDArray[np.int16], ...]
    gold: npt.NDArray[np.int16]
    variables: npt.NDArray[np.int16]  # [S, MAX_VARIABLES]: the element that each variable stands for, or -1
    source: str = ""


def prepare(
    question: str, schema: SchemaInput, values: Sequence[QuestionValue], actions: Sequence[Action], source: str = ""
) -> Example:
    """Replay the actions to find out what is legal in each step. Raises InexpressibleError for an illegal action."""
    if len(actions) > MAX_ACTIONS:
        raise InexpressibleError("too many actions")
    index = ActionIndex(schema.encoded, len(values))
    types, periods = [value.types for value in values], [value.is_period for value in values]
    state = State(schema.elements)
    legal, gold, variables = [], [], []
    bound: list[int] = []
    for action in actions:
        numbers = np.fromiter((index(one) for one in legal_actions(state, types, periods)), dtype=np.int16)
        number = index(action)
        if number not in numbers:
            raise InexpressibleError(f"illegal {action.op.name}")
        legal.append(np.unique(numbers))
        gold.append(number)
        variables.append([*bound, *([-1] * (MAX_VARIABLES - len(bound)))])
        element = index.element(action)
        state = state.after(action)
        while len(bound) < len(state.kinds):
            bound.append(element if element is not None else 0)
    return Example(
        question, schema, tuple(values), tuple(actions), tuple(legal), np.array(gold, dtype=np.int16),
        np.array(variables, dtype=np.int16), source,
    )  # fmt: skip
