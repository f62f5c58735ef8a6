"""Assemble the patterns, conditions, and expressions of a query plan from actions."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from graph.plan.algebra import (
    Aggregate,
    And,
    Arithmetic,
    Call,
    Comparison,
    Constant,
    CountMatches,
    Exists,
    Expression,
    Function,
    HasKind,
    IsMissing,
    Match,
    NodePattern,
    Not,
    Or,
    Property,
    RelationshipPattern,
    Variable,
)
from graph.plan.schema import PropertySchema
from graph.plan.traversal import conjunction
from graph.plan.values import ValueType
from services.retriever.plans.assembly.constants import OPERATORS, QuestionConstants
from services.retriever.plans.assembly.plan_variables import PlanVariables
from services.retriever.plans.grammar.actions import STEPS, Action, Op
from services.retriever.plans.schema.schema_elements import SchemaElements

_FUNCTIONS = {Op.YEAR: Function.YEAR, Op.MONTH: Function.MONTH, Op.DAY: Function.DAY, Op.SIZE: Function.SIZE}
_SYMBOLS: dict[Op, Literal["+", "-", "*", "/"]] = {
    Op.ADD: "+", Op.SUBTRACT: "-", Op.MULTIPLY: "*", Op.DIVIDE: "/",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Operand:
    """Hold an expression, with the schema of the property that it is, if it is one."""

    value: Expression
    described: PropertySchema | None = None


@dataclass
class Pattern:
    """Collect the nodes, relationships, and conditions of one pattern."""

    nodes: dict[str, NodePattern] = field(default_factory=dict)
    relationships: list[RelationshipPattern] = field(default_factory=list)
    conditions: list[Expression] = field(default_factory=list)

    @property
    def where(self) -> Expression | None:
        """Return the conditions as one."""
        return conjunction(self.conditions)


class PatternAssembler:
    """Read actions in order, and build the parts of a plan that they describe.

    `pattern` collects the current pattern. `columns` holds the aggregates that COLUMN actions name.
    """

    def __init__(self, actions: Sequence[Action], elements: SchemaElements, constants: QuestionConstants) -> None:
        self._actions = actions
        self._place = 0
        self._elements = elements
        self.constants = constants
        self.variables = PlanVariables(elements)
        self.pattern = Pattern()
        self.columns: Sequence[Aggregate] = ()

    def peek(self) -> Op | None:
        """Return the operator of the next action; None at the end."""
        return self._actions[self._place].op if self._place < len(self._actions) else None

    def next(self) -> Action:
        """Return the next action, and go on to the one after it."""
        self._place += 1
        return self._actions[self._place - 1]

    # Patterns

    def extend(self, action: Action) -> None:
        """Extend the pattern by a node, a step, or a condition."""
        op, number = action
        if op is Op.KIND:
            kind = self._elements.kinds[number]
            self._bind(frozenset((kind,)))
        elif op is Op.FOCUS:
            self.variables.focus = number
        elif op in STEPS:
            self._step(op, number)
        else:
            found = self.condition(action)
            self.pattern.conditions.append(found)
            if isinstance(found, HasKind):
                self.variables.narrow(found.kind)

    def _bind(self, kinds: frozenset[str], is_declared: bool = True) -> str:
        """Add a node, and state its kind if only one is possible."""
        name = self.variables.bind(kinds)
        declared = tuple(filter(None, kinds)) if is_declared and len(kinds) == 1 else ()
        self.pattern.nodes[name] = NodePattern(name, declared)
        return name

    def _step(self, op: Op, number: int) -> None:
        start = self._mention(self.variables.focused)
        if self.peek() is Op.SAME:
            self.next()
            end = self._mention(self.variables.bind_same(self.next().number))
        elif self.peek() is Op.ANY_KIND:
            self.next()
            end = self._bind(self._elements.sources_of_type(number), is_declared=False)
        else:
            end = self._bind(self._elements.kinds_after(number, op is Op.IN))
        source, target = (end, start) if op is Op.IN else (start, end)
        type_ = self._elements.connections[number].type
        direction: Literal["out", "both"] = "both" if op is Op.BOTH else "out"
        link = RelationshipPattern(source, target, (type_,), direction, self.variables.link(number))
        self.pattern.relationships.append(link)

    def _mention(self, name: str) -> str:
        self.pattern.nodes.setdefault(name, NodePattern(name))
        return name

    def subpattern(self) -> Match:
        """Read a pattern up to its CLOSE."""
        variables = self.variables
        outer, focus, links, visible = self.pattern, variables.focus, list(variables.links), list(variables.visible)
        inner = self.pattern = Pattern()
        while (action := self.next()).op is not Op.CLOSE:
            self.extend(action)
        self.pattern = outer
        variables.focus, variables.links, variables.visible = focus, links, visible
        return Match(tuple(inner.nodes.values()), tuple(inner.relationships), inner.where)

    # Conditions

    def condition(self, action: Action) -> Expression:
        """Read the condition that an action begins."""
        action = self._after_foci(action)
        variables = self.variables
        match action.op:
            case Op.IS:
                return self._named(self.next().number)
            case Op.DIFFERENT:
                return Comparison("!=", Variable(variables.focused), Variable(variables.names[self.next().number]))
            case Op.HAS_KIND:
                return HasKind(variables.focused, self._elements.kinds[self.next().number])
            case Op.NOT:
                return Not(self.condition(self.next()))
            case Op.OR:
                return Or((self.condition(self.next()), self.condition(self.next())))
            case Op.AND:
                return And((self.condition(self.next()), self.condition(self.next())))
            case Op.EXISTS:
                return Exists(self.subpattern())
            case Op.NOT_EXISTS:
                return Not(Exists(self.subpattern()))
        return self._comparison(self._operand(action))

    def _named(self, number: int) -> Expression:
        variables = self.variables
        kind = next(kind for kind in sorted(variables.kinds[variables.focus]) if kind in self._elements.name_properties)
        key = self._elements.name_properties[kind]
        described = self._elements.properties[self._elements.property_numbers[False, kind, key]].schema
        return self.constants.name(variables.focused, key, number, described)

    def _comparison(self, left: _Operand) -> Expression:
        op = self.next().op
        if op not in (Op.MISSING, Op.PRESENT):
            left = _in_seconds(left)
        match op:
            case Op.MISSING:
                return IsMissing(left.value)
            case Op.PRESENT:
                return Not(IsMissing(left.value))
            case Op.TRUE | Op.FALSE:
                return Comparison("=", left.value, Constant(op is Op.TRUE))
            case Op.ONE_OF:
                return self.constants.compare(op, left.value, left.described, self._items())
        operands = [self._with_unit(self._after_foci(self.next())) for _ in range(2 if op is Op.BETWEEN else 1)]
        if all(one.op is Op.VALUE for one in operands):
            return self.constants.compare(op, left.value, left.described, [one.number for one in operands])
        others = [self._compared(one, left.described) for one in operands]
        if op is Op.BETWEEN:
            return And((Comparison(">=", left.value, others[0]), Comparison("<=", left.value, others[1])))
        return Comparison(OPERATORS[op], left.value, others[0])

    def _with_unit(self, action: Action) -> Action:
        """Return the value that has a unit instead of the constant zero or one that stands for it."""
        place = self.constants.with_unit(int(action.op is Op.ONE)) if action.op in (Op.ZERO, Op.ONE) else None
        return action if place is None else Action(Op.VALUE, place)

    def _items(self) -> list[int]:
        numbers = []
        while (action := self.next()).op is not Op.CLOSE:
            numbers.append(action.number)
        return numbers

    def _compared(self, action: Action, described: PropertySchema | None) -> Expression:
        """Return the right side of a comparison."""
        if action.op is Op.VALUE:
            return self.constants.constant(action.number, described)
        if action.op in (Op.ZERO, Op.ONE):
            number = int(action.op is Op.ONE)
            return Constant(str(number) if described is not None and described.content is ValueType.STRING else number)
        return _in_seconds(self._operand(action)).value

    # Expressions

    def expression(self) -> Expression:
        """Read an expression."""
        return self._operand(self.next()).value

    def measure(self, is_summed: bool = False) -> Expression:
        """Read an expression that is sorted by, or added up if it `is_summed`.

        Of a list, what counts is its size: `the most roles`. Durations are added up in seconds.
        """
        found = self._operand(self.next())
        if found.described is not None and found.described.content is ValueType.LIST:
            return Call(Function.SIZE, (found.value,))
        is_computed = isinstance(found.value, Call) and found.value.function is Function.DURATION_BETWEEN
        return _in_seconds(found).value if is_summed or is_computed else found.value

    def _after_foci(self, action: Action) -> Action:
        """Move the focus, and return the action after it."""
        while action.op is Op.FOCUS:
            self.variables.focus = action.number
            action = self.next()
        return action

    def _operand(self, action: Action) -> _Operand:
        op, number = self._after_foci(action)
        match op:
            case Op.PROPERTY:
                found, owner = self._elements.properties[number], self.variables.owner(number)
                value: Expression = Property(owner, found.key)
                if found.span is not None:
                    ends = Property(owner, found.span.start), Property(owner, found.span.end)
                    value = Call(Function.DURATION_BETWEEN, ends)
                return _Operand(value, found.schema)
            case Op.COLUMN:
                return _Operand(Variable(self.columns[number].name))
            case Op.VARIABLE:
                return _Operand(Variable(self.variables.names[number]))
            case Op.COUNT_OF:
                return _Operand(CountMatches(self.subpattern()))
        if op in _FUNCTIONS:
            return _Operand(Call(_FUNCTIONS[op], (self.expression(),)))
        left, right = (_in_seconds(self._operand(self.next())).value for _ in range(2))
        return _Operand(Arithmetic(_SYMBOLS[op], left, right))


def _in_seconds(operand: _Operand) -> _Operand:
    """Return the length of a duration, and anything else as it is."""
    if operand.described is None or not operand.described.are_durations:
        return operand
    match operand.value:
        case Property():
            return replace(operand, value=Call(Function.DURATION_LENGTH, (operand.value,)))
        case Call(function=Function.DURATION_BETWEEN, arguments=ends):
            return replace(operand, value=Call(Function.SECONDS_BETWEEN, ends))
    return operand
