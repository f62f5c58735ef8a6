"""Follow the state of a plan from action to action."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from graph.plan.values import ValueType
from services.retriever.plans.grammar.actions import AGGREGATES, ARITHMETIC, DATE_PARTS, STEPS, SUBPATTERNS, Action, Op
from services.retriever.plans.grammar.expectations import (
    AFTER_EXPRESSION,
    OPERANDS,
    PARTS_OF_CONDITIONS,
    ROW_OPERANDS,
    UNARY_COMPARISONS,
    Expected,
)
from services.retriever.plans.grammar.operand_types import AGGREGATE_TYPES, COMPARED
from services.retriever.plans.schema.schema_elements import SchemaElements

MAX_STEPS = 6
"""The number of steps along connections in one stage."""

MAX_DEPTH = 5


@dataclass(frozen=True, slots=True)
class Outer:
    """Hold what a subpattern restores when it ends; `variables` is the number of variables outside of it."""

    focus: int
    links: tuple[int, ...]
    variables: int


@dataclass(slots=True)
class State:
    """Hold what the next actions depend on.

    Attributes:
        elements: The schema elements that actions name.
        kinds: The kinds that the node in each variable can have.
        hidden: Variables that later actions cannot name, since they belong to a finished subpattern or to rows that a
            group replaced.
        links: The connection of each relationship that is in scope.
        edges: The connection, the source, and the target of each relationship so far; what may follow does not depend
            on them, but a repeated relationship says nothing.
        focus: The variable that steps and conditions start from.
        expected: What must follow, the next one last.
        columns: The type of each aggregate in scope.
        type: The type of the last expression.
        last: The last action.
        steps: The number of steps along connections in this stage.
        outer: The patterns around the current one, the innermost last.
        returned: The keys or columns so far.
        is_grouped: Whether this stage groups rows.
        stages: The number of finished stages.
        keys: The variables that a group keeps.
        is_joined: Whether the first stage has a second node that no step reached, to compare the first one with.
    """

    elements: SchemaElements
    kinds: tuple[frozenset[str], ...] = ()
    hidden: frozenset[int] = frozenset()
    links: tuple[int, ...] = ()
    edges: tuple[tuple[int, int, int], ...] = ()
    focus: int = -1
    expected: tuple[Expected, ...] = (Expected.START,)
    columns: tuple[ValueType | None, ...] = ()
    type: ValueType | None = None
    last: Action | None = None
    steps: int = 0
    outer: tuple[Outer, ...] = ()
    returned: tuple[Action, ...] = ()
    is_grouped: bool = False
    stages: int = 0
    keys: tuple[int, ...] = ()
    is_joined: bool = False

    @property
    def is_finished(self) -> bool:
        """Return whether the plan is complete."""
        return not self.expected

    @property
    def is_first_pattern(self) -> bool:
        """Return whether the pattern of the first stage may end here."""
        return self.expected[-1:] == (Expected.PATTERN,) and not self.outer and not self.stages

    @property
    def is_aggregated(self) -> bool:
        """Return whether what follows reads the rows of a group."""
        return self.is_grouped and not {Expected.KEYS, Expected.MEASURE} & set(self.expected)

    @property
    def is_measured(self) -> bool:
        """Return whether what follows is what an aggregate reads, so that it cannot name the aggregates."""
        *outer, top = self.expected
        return top in (Expected.KEYS, Expected.MEASURE) or (top in _PARTS and Expected.AGGREGATED in outer)

    def visible(self) -> list[int]:
        """Return the variables that actions can name."""
        if self.is_aggregated:
            return list(self.keys)
        return [number for number in range(len(self.kinds)) if number not in self.hidden]

    def follows(self, *ops: Op) -> bool:
        """Return whether the last action is one of these."""
        return self.last is not None and self.last.op in ops

    def edge_to(self, variable: int) -> tuple[int, int, int]:
        """Return the last relationship as it is if its new end is the node in a variable."""
        connection, *ends = self.edges[-1]
        source, target = (variable if end == len(self.kinds) - 1 else end for end in ends)
        return connection, source, target

    def key(self) -> tuple[object, ...]:
        """Return what the legal actions depend on, apart from the schema and the question."""
        last = self.last.op if self.last is not None and self.last.op not in STEPS else self.last
        return (
            self.expected[-1], len(self.expected) < MAX_DEPTH, self.kinds, self.hidden, self.links, self.focus,
            self.columns, self.type, last, self.steps >= MAX_STEPS, len(self.outer), self.returned, self.is_grouped,
            self.stages, self.keys, self.is_aggregated, self.is_measured, self.is_joined,
        )  # fmt: skip

    def after(self, action: Action) -> "State":
        """Return the state after a legal action."""
        return _Transition(self, action).apply()


class _Transition:
    """Compute the state after one action."""

    def __init__(self, state: State, action: Action) -> None:
        self._before = state
        self._action = action
        self._top = state.expected[-1]
        self._new = replace(state, expected=state.expected[:-1], last=action)

    def apply(self) -> State:
        _EFFECTS[self._action.op](self)
        return self._new

    def _expect(self, *expected: Expected) -> None:
        self._new.expected += expected

    def nothing(self) -> None:
        pass

    # Patterns

    def focus(self) -> None:
        self._new.focus = self._action.number
        self._expect(self._top)

    def kind(self) -> None:
        if self._top is Expected.NAMED_KIND:
            self._narrow()
        elif self._top is not Expected.INNER_KIND:
            self._bind(frozenset((self._before.elements.kinds[self._action.number],)))
            self._new.is_joined |= self._top is Expected.PATTERN and not self._before.stages
            self._expect(Expected.PATTERN)

    def _narrow(self) -> None:
        """Let the focus have only the kind that a condition names."""
        before, kind = self._before, self._before.elements.kinds[self._action.number]
        if kind in before.kinds[before.focus]:
            kinds = list(before.kinds)
            kinds[before.focus] = frozenset((kind,))
            self._new.kinds = tuple(kinds)

    def step(self) -> None:
        before, number = self._before, self._action.number
        self._bind(before.elements.kinds_after(number, self._action.op is Op.IN))
        self._new.links = (*before.links, number)
        ends = (before.focus, self._new.focus)
        source, target = reversed(ends) if self._action.op is Op.IN else ends
        self._new.edges = (*before.edges, (number, source, target))
        self._new.steps += 1
        self._expect(self._top)

    def _bind(self, kinds: frozenset[str]) -> None:
        self._new.focus = len(self._before.kinds)
        self._new.kinds = (*self._before.kinds, kinds)

    def same(self) -> None:
        self._expect(self._top, Expected.NODE)

    def any_kind(self) -> None:
        elements, step = self._before.elements, self._before.last or self._action
        self._new.kinds = (*self._before.kinds[:-1], elements.sources_of_type(step.number))
        self._expect(self._top)

    def variable(self) -> None:
        if self._top is not Expected.NODE:
            self.operand()
        elif self._before.follows(Op.SAME):
            # The new node is another one, which becomes the focus; its own variable stays empty.
            self._new.kinds = (*self._before.kinds[:-1], frozenset())
            self._new.hidden = self._before.hidden | {len(self._before.kinds) - 1}
            self._new.focus = self._action.number
            self._new.edges = (*self._before.edges[:-1], self._before.edge_to(self._action.number))

    def subpattern(self) -> None:
        before = self._before
        if self._top is Expected.SORT_KEY:
            self._expect(Expected.SORTED, Expected.DIRECTION)
        else:
            self._expect_rest_of_pattern()
            if self._action.op is Op.COUNT_OF:
                self._expect(Expected.COMPARISON)
        self._expect(Expected.PATTERN)
        self._new.outer = (*before.outer, Outer(before.focus, before.links, len(before.kinds)))

    def close(self) -> None:
        if self._top is Expected.PATTERN:
            before, new = self._before, self._new
            *outer, ended = before.outer
            new.focus, new.links, new.outer = ended.focus, ended.links, tuple(outer)
            new.hidden = before.hidden | frozenset(range(ended.variables, len(before.kinds)))
            new.type = ValueType.INTEGER

    # Conditions

    def _expect_rest_of_pattern(self) -> None:
        if self._top is not Expected.CONDITION:
            self._expect(self._top)

    def condition(self) -> None:
        self._expect_rest_of_pattern()
        is_inner_kind = self._action.op is Op.HAS_KIND and self._top is Expected.CONDITION
        self._expect(*((Expected.INNER_KIND,) if is_inner_kind else PARTS_OF_CONDITIONS[self._action.op]))

    def comparison(self) -> None:
        self._expect(*OPERANDS.get(self._action.op, (Expected.OPERAND,)))

    def constant(self) -> None:
        if self._top is Expected.ITEMS:
            self._expect(Expected.ITEMS)
        elif self._top is Expected.LIMIT:
            self._expect(Expected.LIMITED)
        elif self._top is Expected.SKIP:
            self._expect(Expected.SKIPPED)

    # Expressions

    def operator(self) -> None:
        self._expect(*AFTER_EXPRESSION.get(self._top, ()), *OPERANDS[self._action.op])

    def operand(self) -> None:
        """Finish an expression, or one side of an arithmetic expression."""
        before, action, top = self._before, self._action, self._top
        if top is not Expected.OPERAND:
            self._new.type = _RESULTS[top] if top in _RESULTS else self._operand_type()
        self._expect(*AFTER_EXPRESSION.get(top, ()))
        if top in (Expected.KEYS, Expected.COLUMNS, Expected.MORE_COLUMNS):
            self._new.returned = (*before.returned, action)
            if top is Expected.KEYS and action.op is Op.VARIABLE:
                self._new.keys = (*before.keys, action.number)
            if action.op is Op.PROPERTY:
                self._new.returned += (Action(Op.FOCUS, before.focus),)

    def _operand_type(self) -> ValueType | None:
        match self._action.op:
            case Op.PROPERTY:
                return self._before.elements.properties[self._action.number].schema.content
            case Op.COLUMN:
                return self._before.columns[self._action.number]
        return ValueType.NODE

    # Rows

    def group(self) -> None:
        new = self._new
        new.is_grouped, new.keys, new.columns, new.returned = True, (), (), ()
        self._expect(Expected.KEYS)

    def aggregate(self) -> None:
        self._new.columns = (*self._before.columns, AGGREGATE_TYPES.get(self._action.op))
        self._expect(Expected.AGGREGATED)
        if self._action.op is not Op.COUNT_ROWS:
            self._expect(Expected.MEASURE)

    def row_operator(self) -> None:
        self._expect(ROW_OPERANDS[self._action.op])

    def then(self) -> None:
        before, new = self._before, self._new
        if before.is_grouped:
            new.hidden = frozenset(range(len(before.kinds))).difference(before.keys)
            new.links = ()
        new.stages += 1
        new.steps, new.is_grouped, new.returned = 0, False, ()
        new.focus = next((number for number in range(len(new.kinds)) if number not in new.hidden), -1)
        self._expect(Expected.PATTERN)

    def returns(self) -> None:
        self._new.returned = ()
        self._expect(Expected.COLUMNS)

    def end(self) -> None:
        self._new.expected = ()


_PARTS = (Expected.DATE, Expected.NUMBER, Expected.SIZED)
_RESULTS = {
    Expected.DATE: ValueType.INTEGER, Expected.SIZED: ValueType.INTEGER, Expected.NUMBER: ValueType.FLOAT,
}  # fmt: skip
_EFFECTS: dict[Op, Callable[[_Transition], None]] = {
    Op.FOCUS: _Transition.focus, Op.KIND: _Transition.kind, Op.SAME: _Transition.same,
    Op.ANY_KIND: _Transition.any_kind, Op.VARIABLE: _Transition.variable, Op.CLOSE: _Transition.close,
    **dict.fromkeys(STEPS, _Transition.step),
    **dict.fromkeys(SUBPATTERNS, _Transition.subpattern),
    **dict.fromkeys(PARTS_OF_CONDITIONS, _Transition.condition),
    **dict.fromkeys((*COMPARED, *UNARY_COMPARISONS), _Transition.comparison),
    **dict.fromkeys((Op.VALUE, Op.ZERO, Op.ONE), _Transition.constant),
    **dict.fromkeys((*DATE_PARTS, *ARITHMETIC, Op.SIZE), _Transition.operator),
    **dict.fromkeys((Op.PROPERTY, Op.COLUMN), _Transition.operand),
    **dict.fromkeys((*AGGREGATES, Op.COUNT_ROWS), _Transition.aggregate),
    **dict.fromkeys((Op.ASCENDING, Op.DESCENDING), _Transition.nothing),
    **dict.fromkeys((Op.RETURN, Op.RETURN_DISTINCT), _Transition.returns),
    **dict.fromkeys(ROW_OPERANDS, _Transition.row_operator),
    Op.GROUP: _Transition.group, Op.THEN: _Transition.then, Op.END: _Transition.end,
}  # fmt: skip
