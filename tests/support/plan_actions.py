"""Draw sequences of actions that a grammar of query plans allows."""

import random
from collections import defaultdict
from collections.abc import Sequence

from language.values import QuestionValue
from services.retriever.plans.grammar.actions import Action, Op
from services.retriever.plans.grammar.transitions import MAX_ACTIONS, State, legal_actions
from services.retriever.plans.schema.schema_elements import SchemaElements

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
