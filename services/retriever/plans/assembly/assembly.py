"""Assemble a query plan from a finished sequence of actions."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Call,
    Column,
    Expression,
    Filter,
    Function,
    Group,
    Match,
    Order,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    Slice,
    SortKey,
    Step,
    Variable,
)
from graph.plan.traversal import conjunction, rewrite
from services.retriever.plans.assembly.constants import QuestionConstants
from services.retriever.plans.assembly.pattern_assembly import Pattern, PatternAssembler
from services.retriever.plans.assembly.plan_variables import unused_name
from services.retriever.plans.grammar.actions import AGGREGATES, Action, Op
from services.retriever.plans.schema.schema_elements import SchemaElements
from services.retriever.plans.schema.spans import DURATION

_AGGREGATES = {
    Op.COUNT_ROWS: AggregateFunction.COUNT, Op.COUNT: AggregateFunction.COUNT,
    Op.COUNT_DISTINCT: AggregateFunction.COUNT, Op.SUM: AggregateFunction.SUM, Op.AVERAGE: AggregateFunction.AVERAGE,
    Op.MIN: AggregateFunction.MIN, Op.MAX: AggregateFunction.MAX, Op.COLLECT: AggregateFunction.COLLECT,
}  # fmt: skip

_SUMMED, _EXTREMES = (Op.SUM, Op.AVERAGE), (Op.MIN, Op.MAX)


def assemble(actions: Sequence[Action], elements: SchemaElements, constants: QuestionConstants) -> Plan:
    """Return the plan that a finished sequence of legal actions describes."""
    return _PlanAssembler(actions, elements, constants).plan()


class _PlanAssembler(PatternAssembler):
    """Add the operators on rows to those of patterns."""

    def __init__(self, actions: Sequence[Action], elements: SchemaElements, constants: QuestionConstants) -> None:
        super().__init__(actions, elements, constants)
        self._steps: list[Step] = []
        self._group_keys: list[Column] | None = None  # of this stage
        self._order: list[SortKey] = []
        self._slice: Slice | None = None

    def plan(self) -> Plan:
        while self.peek() is not None:
            action = self.next()
            finish = _ROW_OPERATORS.get(action.op)
            if finish is None:
                self.extend(action)
            else:
                finish(self)
        return Plan(tuple(_without_unused_links(self._steps, self.variables.used_links)))

    def _skip_and_limit(self) -> None:
        limit = self._number()
        offset = 0
        if self.peek() is Op.SKIP:
            self.next()
            offset = self._number()
        self._slice = Slice(limit, offset)

    def _number(self) -> int:
        action = self.next()
        return self.constants.count(action.number) if action.op is Op.VALUE else int(action.op is Op.ONE)

    def _sort(self) -> None:
        value = self.measure()
        self._order.append(SortKey(value, descending=self.next().op is Op.DESCENDING))

    # Groups

    def _group(self) -> None:
        self._close_pattern()
        keys: list[Expression] = []
        while self.peek() not in _AGGREGATES:
            keys.append(self.expression())
        self._group_keys = _columns(keys, self.variables.names)
        self.columns = aggregates = self._aggregates()
        self._steps.append(Group(tuple(self._group_keys), tuple(aggregates)))
        self.variables.keep({key.name for key in keys if isinstance(key, Variable)})
        self.variables.reserved.update(column.name for column in self._group_keys)
        self.variables.reserved.update(aggregate.name for aggregate in aggregates)
        having = []
        while self.peek() is Op.COLUMN:
            having.append(self.condition(self.next()))
        if (condition := conjunction(having)) is not None:
            self._steps.append(Filter(condition))

    def _aggregates(self) -> list[Aggregate]:
        aggregates: list[Aggregate] = []
        used = {*self.variables.names, *(column.name for column in self._group_keys or ())}
        while (op := self.peek()) in _AGGREGATES:
            self.next()
            value = self._aggregated(op) if op in AGGREGATES else None
            function = _AGGREGATES[op]
            name = function.value
            if value is not None and not isinstance(value, Variable):
                name += f"_{_label(value)}"
            name = unused_name(name, used)
            used.add(name)
            aggregates.append(Aggregate(name, function, value, distinct=op is Op.COUNT_DISTINCT))
        return aggregates

    def _aggregated(self, op: Op | None) -> Expression:
        return self.measure(op in _SUMMED) if op in (*_SUMMED, *_EXTREMES) else self.expression()

    # Stages

    def _close_pattern(self) -> None:
        pattern = self.pattern
        if pattern.nodes:
            self._steps.append(Match(tuple(pattern.nodes.values()), tuple(pattern.relationships), pattern.where))
        elif pattern.where is not None:
            self._steps.append(Filter(pattern.where))
        self.pattern = Pattern()

    def _close_stage(self) -> None:
        self._close_pattern()
        if self._order:
            self._steps.append(Order(tuple(self._order)))
        if self._slice is not None:
            self._steps.append(self._slice)
        self._order, self._slice = [], None

    def _next_stage(self) -> None:
        self._close_stage()
        if self._group_keys is not None:
            self.variables.links = []
        self._group_keys = None
        self.variables.refocus()

    # Results

    def _return(self) -> None:
        is_cut = self._slice is not None and not self._order and self._group_keys is None
        self._project(is_distinct=is_cut)

    def _return_distinct(self) -> None:
        self._project(is_distinct=True)

    def _project(self, is_distinct: bool) -> None:
        self._close_pattern()
        wanted: list[Expression] = []
        while self.peek() is not Op.END:
            wanted.append(self.expression())
        columns = _columns([*wanted, *(key.value for key in self._order if key.value not in wanted)])
        if not is_distinct:
            self._close_stage()
        self._steps.append(Project(tuple(columns), distinct=is_distinct))
        if is_distinct:
            names = {column.value: column.name for column in reversed(columns)}
            self._order = [replace(key, value=Variable(names[key.value])) for key in self._order]


_ROW_OPERATORS: dict[Op, Callable[[_PlanAssembler], None]] = {
    Op.GROUP: _PlanAssembler._group, Op.SORT: _PlanAssembler._sort, Op.LIMIT: _PlanAssembler._skip_and_limit,
    Op.THEN: _PlanAssembler._next_stage, Op.RETURN: _PlanAssembler._return,
    Op.RETURN_DISTINCT: _PlanAssembler._return_distinct, Op.END: _PlanAssembler._close_stage,
}  # fmt: skip


def _label(value: Expression) -> str:
    match value:
        case Property():
            return value.key
        case Variable():
            return value.name
        case Call(function=Function.DURATION_LENGTH, arguments=(Property(key=key),)):
            return f"{key}_seconds"
        case Call(function=Function.DURATION_BETWEEN):
            return DURATION
        case Call(function=Function.SECONDS_BETWEEN):
            return f"{DURATION}_seconds"
        case Call():
            return f"{value.function.value}_{_label(value.arguments[0])}"
    return "value"


def _columns(values: Sequence[Expression], variables: Sequence[str] = ()) -> list[Column]:
    """Name columns by what they hold; names of variables stay theirs."""
    used = set(variables) | {value.name for value in values if isinstance(value, Variable)}
    columns = []
    for value in values:
        name = value.name if isinstance(value, Variable) else unused_name(_label(value), used)
        used.add(name)
        columns.append(Column(name, value))
    return columns


def _without_unused_links(steps: Sequence[Step], used: set[str]) -> list[Step]:
    """Drop the variables of relationships that no expression reads."""

    def replacement(part: object) -> RelationshipPattern | None:
        if isinstance(part, RelationshipPattern) and part.variable not in used:
            return replace(part, variable=None)
        return None

    return [rewrite(step, replacement) for step in steps]
