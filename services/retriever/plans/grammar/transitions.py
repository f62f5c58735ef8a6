"""Decide which actions may follow, so that every finished sequence is a well-typed plan for its schema."""

from collections.abc import Callable, Iterator, Sequence

from graph.plan.values import ValueType
from services.retriever.plans.grammar.actions import (
    AGGREGATES,
    ARITHMETIC,
    DATE_PARTS,
    MAX_COLUMNS,
    MAX_VARIABLES,
    STEPS,
    SUBPATTERNS,
    Action,
    Op,
)
from services.retriever.plans.grammar.expectations import Expected
from services.retriever.plans.grammar.operand_types import COMPARED, Accepted
from services.retriever.plans.grammar.scope import Scope
from services.retriever.plans.grammar.state import MAX_DEPTH, MAX_STEPS, State
from services.retriever.plans.schema.value_types import DATES, NUMBERS, SIZED, comparable_types

__all__ = ["MAX_ACTIONS", "Accepted", "State", "legal_actions", "legal_without_values"]

MAX_ACTIONS = 48
_MAX_SUBPATTERNS = 2
_MAX_STAGES = 2


def legal_actions(state: State, value_types: Sequence[frozenset[ValueType]], periods: Sequence[bool]) -> list[Action]:
    """List the actions that may follow.

    Args:
        state: The state of the plan so far.
        value_types: For each value of the question, the types of the properties that can be compared with it.
        periods: For each value of the question, whether it is a period such as a decade.
    """
    actions, accepted = legal_without_values(state, bool(value_types), any(periods))
    if accepted is None:
        return list(actions)
    values = zip(value_types, periods, strict=True)
    return [
        *actions,
        *(Action(Op.VALUE, n) for n, (types, period) in enumerate(values) if accepted.accepts(types, period)),
    ]


def legal_without_values(
    state: State, has_values: bool, has_periods: bool
) -> tuple[tuple[Action, ...], Accepted | None]:
    """List the actions that may follow, and say which values may; the question matters only for the values."""
    grammar = _Grammar(state, has_values, has_periods)
    return tuple(grammar.legal()), grammar.accepted


class _Grammar:
    """List the actions that may follow a state; `accepted` says which values of the question may."""

    def __init__(self, state: State, has_values: bool, has_periods: bool) -> None:
        self._state = state
        self._elements = state.elements
        self._has_values = has_values
        self._has_periods = has_periods
        self._scope = Scope(state)
        self._moved = state.follows(Op.FOCUS)
        self.accepted: Accepted | None = None

    def legal(self) -> Iterator[Action]:
        """Return the actions, apart from values."""
        return _RULES[self._state.expected[-1]](self)

    # Patterns

    def kinds(self) -> Iterator[Action]:
        return (Action(Op.KIND, number) for number in range(len(self._elements.kinds)))

    def named_kinds(self) -> Iterator[Action]:
        possible = self._state.kinds[self._state.focus]
        for number, kind in enumerate(self._elements.kinds):
            # A node of one kind may have labels that the schema lists as kinds of their own.
            if kind and (kind in possible or len(possible) < 2):
                yield Action(Op.KIND, number)

    def pattern(self) -> Iterator[Action]:
        state = self._state
        if state.focus >= 0:
            yield from self._steps()
        if state.follows(*STEPS):
            if next(self.nodes(), None) is not None:
                yield Action(Op.SAME)
            if self._has_other_sources():
                yield Action(Op.ANY_KIND)
        if state.outer and state.follows(*SUBPATTERNS):
            yield from self._scope.foci()
            return
        yield from self._conditions(is_inner=False)
        if state.outer:
            yield Action(Op.CLOSE)
        elif not self._moved:
            if self._may_join() and not state.follows(*STEPS) and len(state.kinds) < MAX_VARIABLES:
                yield from self.kinds()
            yield Action(Op.GROUP)
            yield from self._rest(with_end=False)

    def _may_join(self) -> bool:
        """Return whether a node may follow that no step reaches, such as a city to compare the others with."""
        return bool(self._state.stages) or (self._has_values and not self._state.is_joined)

    def _steps(self) -> Iterator[Action]:
        state = self._state
        if state.steps >= MAX_STEPS or len(state.kinds) >= MAX_VARIABLES:
            return
        kinds = state.kinds[state.focus]
        for number, connection in enumerate(self._elements.connections):
            if connection.source in kinds:
                yield Action(Op.OUT, number)
            if connection.targets & kinds:
                yield Action(Op.IN, number)
            if connection.is_within_kind and connection.source in kinds:
                yield Action(Op.BOTH, number)

    def nodes(self) -> Iterator[Action]:
        state = self._state
        for number in state.visible():
            if number != state.focus and state.kinds[number] & state.kinds[state.focus]:
                yield Action(Op.VARIABLE, number)

    def _has_other_sources(self) -> bool:
        """Return whether the last step can reach nodes of other kinds than the one that its connection names."""
        last = self._state.last
        if last is None or last.op is not Op.IN:
            return False
        type_ = self._elements.connections[last.number].type
        return sum(one.type == type_ for one in self._elements.connections) > 1

    # Conditions

    def condition(self) -> Iterator[Action]:
        return self._conditions(is_inner=True)

    def _conditions(self, is_inner: bool) -> Iterator[Action]:
        state = self._state
        if self._has_values and state.focus >= 0 and self._elements.are_named(state.kinds[state.focus]):
            yield Action(Op.IS)
        yield from self._expression(with_nodes=False, with_arithmetic=False)
        if self._moved:
            yield from map(Action, (Op.DIFFERENT, *SUBPATTERNS))
            return
        if len(state.visible()) > 1:
            yield Action(Op.DIFFERENT)
        if len(state.expected) < MAX_DEPTH:
            yield from map(Action, (Op.NOT, Op.OR, Op.AND) if is_inner else (Op.NOT, Op.OR))
        if state.focus >= 0:
            if len(state.outer) < _MAX_SUBPATTERNS:
                yield from map(Action, SUBPATTERNS)
            yield Action(Op.HAS_KIND)

    def comparison(self) -> Iterator[Action]:
        type_ = self._state.type
        if type_ is ValueType.BOOLEAN:
            yield from map(Action, (Op.TRUE, Op.FALSE))
        for op, types in COMPARED.items():
            if (type_ is None or type_ in types) and (op is not Op.WITHIN or self._has_periods):
                yield Action(op)
        yield from map(Action, (Op.MISSING, Op.PRESENT))

    def compared(self) -> Iterator[Action]:
        type_ = self._state.type
        yield from self._constants(type_)
        yield from self._scope.properties(comparable_types(type_))
        yield from self._scope.columns(comparable_types(type_))
        yield from self._scope.foci()

    def period(self) -> Iterator[Action]:
        self.accepted = Accepted(None, periods=True)
        return iter(())

    def items(self) -> Iterator[Action]:
        self.accepted = Accepted(self._state.type)
        if not self._state.follows(Op.ONE_OF):
            yield Action(Op.CLOSE)

    def name(self) -> Iterator[Action]:
        return self._constants(ValueType.STRING)

    def _constants(self, type_: ValueType | None) -> Iterator[Action]:
        self.accepted = Accepted(type_)
        if type_ is None or type_ in NUMBERS:
            yield from map(Action, (Op.ZERO, Op.ONE))

    # Expressions

    def measure(self) -> Iterator[Action]:
        return self._expression(with_nodes=self._state.follows(Op.COUNT, Op.COUNT_DISTINCT, Op.COLLECT, Op.FOCUS))

    def _expression(self, with_nodes: bool, with_arithmetic: bool = True) -> Iterator[Action]:
        yield from self._scope.properties(None)
        yield from self._scope.columns(None)
        if with_nodes:
            yield from self._scope.variables()
        yield from self._scope.foci()
        if self._scope.has_properties(DATES):
            yield from map(Action, DATE_PARTS)
        if self._scope.has_properties(SIZED) or next(self._scope.list_columns(), None):
            yield Action(Op.SIZE)
        if with_arithmetic and self._scope.has_properties(NUMBERS):
            yield from map(Action, ARITHMETIC)

    def date(self) -> Iterator[Action]:
        yield from self._scope.properties(DATES)
        yield from self._scope.columns(DATES)
        yield from self._scope.foci_with(DATES)

    def number(self) -> Iterator[Action]:
        yield from self._scope.properties(NUMBERS)
        yield from self._scope.columns(NUMBERS)
        yield from self._scope.foci_with(NUMBERS)

    def sized(self) -> Iterator[Action]:
        yield from self._scope.properties(SIZED)
        yield from self._scope.list_columns()

    # Rows

    def keys(self) -> Iterator[Action]:
        yield from (action for action in self._scope.variables() if action.number not in self._state.keys)
        yield from self._expression(with_nodes=False)
        yield from self._aggregates()

    def aggregated(self) -> Iterator[Action]:
        yield from self._aggregates()
        yield from self.having()

    def having(self) -> Iterator[Action]:
        yield from self._scope.columns(None)
        yield from self._rest(with_end=True)

    def _aggregates(self) -> Iterator[Action]:
        if not self._moved and len(self._state.columns) < MAX_COLUMNS:
            yield from map(Action, (Op.COUNT_ROWS, *AGGREGATES))

    def sort_key(self) -> Iterator[Action]:
        yield from self._expression(with_nodes=False)
        yield Action(Op.COUNT_OF)

    def direction(self) -> Iterator[Action]:
        return map(Action, (Op.ASCENDING, Op.DESCENDING))

    def sorted_rows(self) -> Iterator[Action]:
        return self._rest(with_end=self._state.is_grouped)

    def number_of_rows(self) -> Iterator[Action]:
        return self._constants(ValueType.INTEGER)

    def _rest(self, with_end: bool) -> Iterator[Action]:
        expected = self._state.expected[-1]
        yield from map(Action, _BEFORE_RESULT.get(expected, (Op.SORT, Op.LIMIT)))
        if expected is not Expected.PATTERN and self._state.stages < _MAX_STAGES:
            yield Action(Op.THEN)
        yield from map(Action, (Op.RETURN, Op.RETURN_DISTINCT, Op.END) if with_end else (Op.RETURN, Op.RETURN_DISTINCT))

    def columns(self) -> Iterator[Action]:
        state = self._state
        if state.expected[-1] is Expected.MORE_COLUMNS and not self._moved:
            yield Action(Op.END)
        if sum(one.op is not Op.FOCUS for one in state.returned) < MAX_COLUMNS:
            for action in self._expression(with_nodes=True):
                focused = Action(Op.FOCUS, state.focus) if action.op is Op.PROPERTY else action
                if action not in state.returned or (self._moved and focused not in state.returned):
                    yield action


_BEFORE_RESULT = {Expected.LIMITED: (Op.SKIP,), Expected.SKIPPED: ()}
_RULES: dict[Expected, Callable[[_Grammar], Iterator[Action]]] = {
    Expected.START: _Grammar.kinds, Expected.NAMED_KIND: _Grammar.named_kinds,
    Expected.INNER_KIND: _Grammar.named_kinds, Expected.PATTERN: _Grammar.pattern,
    Expected.CONDITION: _Grammar.condition, Expected.COMPARISON: _Grammar.comparison,
    Expected.OPERAND: _Grammar.compared, Expected.RANGE: _Grammar.period, Expected.ITEMS: _Grammar.items,
    Expected.NAME: _Grammar.name, Expected.NODE: _Grammar.nodes,
    Expected.DATE: _Grammar.date, Expected.NUMBER: _Grammar.number, Expected.SIZED: _Grammar.sized,
    Expected.MEASURE: _Grammar.measure, Expected.KEYS: _Grammar.keys, Expected.AGGREGATED: _Grammar.aggregated,
    Expected.HAVING: _Grammar.having, Expected.SKIPPED: _Grammar.sorted_rows,
    Expected.SORT_KEY: _Grammar.sort_key, Expected.DIRECTION: _Grammar.direction,
    Expected.SORTED: _Grammar.sorted_rows, Expected.LIMITED: _Grammar.sorted_rows,
    Expected.LIMIT: _Grammar.number_of_rows, Expected.SKIP: _Grammar.number_of_rows,
    Expected.COLUMNS: _Grammar.columns, Expected.MORE_COLUMNS: _Grammar.columns,
}  # fmt: skip
