"""Edit the right plan of an example by one action, so that it asks for something else."""

import random
from collections.abc import Iterator, Sequence

from graph.plan.values import ValueType
from services.retriever.plans.grammar.actions import AGGREGATES, Action, Op
from services.retriever.plans.grammar.transitions import State, legal_actions
from training.planning.examples import Example

_TRIES = 12
_SHORTER = 0.3  # of the edits
_ALIKE = (
    frozenset((Op.EQUAL, Op.UNEQUAL, Op.LESS, Op.AT_MOST, Op.GREATER, Op.AT_LEAST)),
    frozenset((Op.LESS, Op.GREATER)),
    frozenset((Op.EXISTS, Op.NOT_EXISTS)),
    frozenset((Op.TRUE, Op.FALSE)),
    frozenset((Op.MISSING, Op.PRESENT)),
    frozenset((Op.ASCENDING, Op.DESCENDING)),
    frozenset((Op.AND, Op.OR)),
    frozenset((Op.OUT, Op.IN, Op.BOTH)),
    frozenset((Op.KIND,)),
    frozenset((Op.PROPERTY,)),
    frozenset((Op.VALUE,)),
    frozenset((Op.VARIABLE,)),
    frozenset((*AGGREGATES, Op.COUNT_ROWS)),
)
"""Groups of actions that stand for each other in edits."""


def edited(example: Example, count: int, rng: random.Random) -> Iterator[tuple[Action, ...]]:
    """Yield up to `count` plans that differ from the right one by one action, or lack some of its conditions."""
    found: set[tuple[Action, ...]] = {example.actions}
    for _ in range(_TRIES):
        new = _edited(example, rng)
        if new is not None and new not in found:
            found.add(new)
            yield new
            if len(found) > count:
                return


def _edited(example: Example, rng: random.Random) -> tuple[Action, ...] | None:
    place = rng.randrange(len(example.actions))
    old = example.actions[place]
    before, after = example.actions[:place], example.actions[place + 1 :]
    if rng.random() < _SHORTER and (shorter := _without_part(example, place, rng)) is not None:
        return shorter
    groups = [group for group in _ALIKE if old.op in group]
    others = [one for one in _legal(example, before) if any(one.op in group for group in groups) and one != old]
    rng.shuffle(others)
    return next((new for one in others[:4] if _is_plan(example, new := (*before, one, *after))), None)


def _without_part(example: Example, place: int, rng: random.Random) -> tuple[Action, ...] | None:
    """Leave out a condition, a step, or what sorts or limits the rows: some actions from a place on."""
    actions = example.actions
    lengths = list(range(1, min(6, len(actions) - place)))
    rng.shuffle(lengths)
    shorter = ((*actions[:place], *actions[place + length :]) for length in lengths)
    return next((new for new in shorter if len(new) > 2 and _is_plan(example, new)), None)


def _legal(example: Example, actions: Sequence[Action]) -> list[Action]:
    state = State(example.schema.elements)
    for action in actions:
        state = state.after(action)
    return legal_actions(state, *_kinds_of_values(example))


def _is_plan(example: Example, actions: Sequence[Action]) -> bool:
    """Return whether actions are a finished plan."""
    state = State(example.schema.elements)
    kinds = _kinds_of_values(example)
    for action in actions:
        if state.is_finished or action not in legal_actions(state, *kinds):
            return False
        state = state.after(action)
    return state.is_finished


def _kinds_of_values(example: Example) -> tuple[list[frozenset[ValueType]], list[bool]]:
    return [one.types for one in example.values], [one.is_period for one in example.values]
