"""Turn a query plan into the sequence of actions that builds an equivalent plan."""

from collections.abc import Iterator, Sequence

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    CountMatches,
    Exists,
    Expression,
    Group,
    IsMissing,
    Not,
    Plan,
    Property,
    Variable,
)
from graph.plan.traversal import walk
from graph.plan.values import ValueType
from services.retriever.plans.grammar.actions import Action, Op
from services.retriever.plans.grammar.transitions import State, legal_actions
from services.retriever.plans.schema.schema_elements import SchemaElements
from training.planning.canonical import plain, with_ranges, without_needless_tests
from training.planning.expression_writer import Slot
from training.planning.pattern_writer import PatternWriter
from training.planning.stages import InexpressibleError, Stage, read_stages

__all__ = ["InexpressibleError", "Slot", "actions_of"]

_AGGREGATES = {
    AggregateFunction.SUM: Op.SUM, AggregateFunction.AVERAGE: Op.AVERAGE, AggregateFunction.MIN: Op.MIN,
    AggregateFunction.MAX: Op.MAX, AggregateFunction.COLLECT: Op.COLLECT,
}  # fmt: skip


def actions_of(plan: Plan, elements: SchemaElements) -> tuple[list[Action], list[Slot]]:
    """Return the actions that build a plan, and the constants that its VALUE actions name by number.

    Plans that differ only in their spelling give the same actions. Raises InexpressibleError if there are none.
    """
    stages, columns = read_stages(plan)
    writer = _PlanWriter(elements, columns)
    writer.write(stages)
    _check(writer.actions, len(writer.slots), elements)
    return writer.actions, writer.slots


def _check(actions: Sequence[Action], values: int, elements: SchemaElements) -> None:
    """Replay actions, to prove that each of them is legal."""
    state = State(elements)
    types, periods = [frozenset(ValueType)] * values, [True] * values
    for action in actions:
        if state.is_finished or action not in legal_actions(state, types, periods):
            raise InexpressibleError(f"illegal {action.op.name} in {state.expected[-1:]}")
        state = state.after(action)
    if not state.is_finished:
        raise InexpressibleError("unfinished")


class _PlanWriter(PatternWriter):
    """Write the actions of stages."""

    def __init__(self, elements: SchemaElements, wanted: Sequence[Expression]) -> None:
        super().__init__(elements)
        self._wanted = wanted
        self._keys: list[Expression] = []  # of the last group

    def write(self, stages: Sequence[Stage]) -> None:
        for place, stage in enumerate(stages, 1):
            is_last = place == len(stages)
            self._stage(stage, is_last)
            if is_last:
                self._return(stage)
            elif stage.is_ended:
                self._add(Op.THEN)
            else:
                raise InexpressibleError("a stage without effect")

    def _stage(self, stage: Stage, is_last: bool) -> None:
        conditions = with_ranges(without_needless_tests(stage.conditions, _measures(stage)))
        self._pattern(stage.nodes, stage.links, conditions, self._start(stage, is_last))
        if stage.group is not None:
            self._group(stage.group, stage.having)
        for key in stage.order:
            self._add(Op.SORT)
            self._expression(key.value)
            self._add(Op.DESCENDING if key.descending else Op.ASCENDING)
        if stage.slice is not None:
            self._add(Op.LIMIT)
            self._constant(stage.slice.limit, Op.LIMIT)
            if stage.slice.offset:
                self._add(Op.SKIP)
                self._constant(stage.slice.offset, Op.SKIP)

    def _start(self, stage: Stage, is_last: bool) -> str | None:
        """Choose the node to start with: a known one, or the one that the answer is about."""
        known = next((name for name in stage.nodes if name in self._names.numbers), None)
        if known is not None or not stage.nodes:
            return known
        for name in _variables(self._subjects(stage, is_last)):
            if name in stage.nodes:
                return name
        return next(iter(stage.nodes))

    def _subjects(self, stage: Stage, is_last: bool) -> list[Expression]:
        """Return the expressions that say what a stage is about, the clearest first."""
        found: list[Expression] = []
        if stage.group is not None:
            found += [column.value for column in stage.group.keys]
            found += [one.value for one in stage.group.aggregates if one.value is not None]
        if is_last or not found:
            found += self._wanted
        return [*found, *(key.value for key in stage.order)]

    # Groups

    def _group(self, group: Group, having: Sequence[Expression]) -> None:
        self._add(Op.GROUP)
        self._columns = {}
        self._keys = list(dict.fromkeys(self._node_if_name(column.value) for column in group.keys))
        for key in self._keys:
            self._expression(key)
        for place, one in enumerate(group.aggregates):
            self._aggregate(one)
            self._columns[one.name] = place
        for condition in with_ranges(having):
            if not isinstance(condition, Not | IsMissing):
                self._condition(condition)

    def _aggregate(self, one: Aggregate) -> None:
        value = one.value
        if value is None or (
            one.function is AggregateFunction.COUNT and isinstance(value, Variable) and not one.distinct
        ):
            self._add(Op.COUNT_ROWS)
            return
        is_of_nodes = one.function is AggregateFunction.COLLECT
        if one.function is AggregateFunction.COUNT:
            is_of_nodes = one.distinct
            self._add(Op.COUNT_DISTINCT if one.distinct else Op.COUNT)
        elif one.function in _AGGREGATES:
            self._add(_AGGREGATES[one.function])
        else:
            raise InexpressibleError(f"the aggregate {one.function}")
        self._expression(self._node_if_name(value) if is_of_nodes else value)

    # Results

    def _return(self, stage: Stage) -> None:
        wanted = list(dict.fromkeys(map(self._node_if_name, self._wanted)))
        if stage.group is not None and self._is_whole_group(wanted):
            self._add(Op.END)
            return
        is_distinct = stage.distinct and stage.slice is not None and stage.group is None and bool(stage.order)
        self._add(Op.RETURN_DISTINCT if is_distinct else Op.RETURN)
        for value in self._shown(wanted, stage):
            self._expression(value)
        self._add(Op.END)

    def _is_whole_group(self, wanted: Sequence[Expression]) -> bool:
        """Return whether columns are all columns of the group, or all of its keys."""
        columns = {Variable(name) for name in self._columns}
        keys = set(wanted) - columns
        return set(wanted) == {*self._keys, *columns} or (bool(keys) and keys == set(self._keys))

    def _shown(self, wanted: Sequence[Expression], stage: Stage) -> list[Expression]:
        """Leave out the columns that only show what sorts and conditions read."""
        measures = {plain(key.value) for key in stage.order}
        read = measures | {
            plain(part)
            for one in stage.conditions
            for part in walk(one, (Exists, CountMatches))
            if isinstance(part, Property)
        }
        shown = [one for one in wanted if not (isinstance(one, Variable) and one.name in self._names.link_types)]
        if any(isinstance(one, Variable) and one.name in self._names.numbers for one in shown):
            shown = [one for one in shown if one not in read]
        return [one for one in shown if one not in measures] or shown


def _measures(stage: Stage) -> set[Expression]:
    """Return what the sorts and aggregates of a stage read."""
    found = {plain(key.value) for key in stage.order}
    if stage.group is not None:
        found |= {plain(one.value) for one in stage.group.aggregates if one.value is not None}
    return found


def _variables(values: Sequence[Expression]) -> Iterator[str]:
    """Yield the variables that expressions read, in order."""
    for value in values:
        for part in walk(value):
            if isinstance(part, Variable):
                yield part.name
            elif isinstance(part, Property):
                yield part.variable
