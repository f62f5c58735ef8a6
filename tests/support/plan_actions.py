"""Draw sequences of actions that a grammar of query plans allows."""

import random
from collections import defaultdict
from collections.abc import Sequence

from services.retriever.planning.actions import Action, Op
from services.retriever.planning.question_values import QuestionValue
from services.retriever.planning.schema_elements import SchemaElements
from services.retriever.planning.transitions import MAX_ACTIONS, State, legal_actions

_ENDING = (Op.RETURN, Op.END, Op.CLOSE)


def random_actions(
    elements: SchemaElements, values: Sequence[QuestionValue], rng: random.Random
) -> list[Action] | None:
    """Draw a finished sequence of actions; None if the draws end where nothing may follow, or become too long."""
    types, periods = [value.types for value in values], [value.is_period for value in values]
    state, actions, aim = State(elements), list[Action](), rng.randint(4, 30)
    while not state.is_finished:
        by_op = defaultdict(list)
        for action in legal_actions(state, types, periods):
            by_op[action.op].append(action)
        if not by_op or len(actions) >= MAX_ACTIONS:
            return None
        ending = [op for op in _ENDING if op in by_op] if len(actions) >= aim else []
        actions.append(rng.choice(by_op[rng.choice(ending or sorted(by_op))]))
        state = state.after(actions[-1])
    return actions
