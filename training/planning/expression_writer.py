"""Write the actions of expressions and constants."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from graph.plan.algebra import Arithmetic, Call, CountMatches, Expression, Function, Match, Property, Variable
from graph.plan.values import Value
from services.retriever.plans.grammar.actions import Action, Op
from services.retriever.plans.grammar.transitions import State
from services.retriever.plans.schema.schema_elements import SchemaElements
from training.planning.canonical import plain
from training.planning.stages import InexpressibleError

_FUNCTIONS = {Function.YEAR: Op.YEAR, Function.MONTH: Op.MONTH, Function.DAY: Op.DAY, Function.SIZE: Op.SIZE}
_SYMBOLS = {"+": Op.ADD, "-": Op.SUBTRACT, "*": Op.MULTIPLY, "/": Op.DIVIDE}


@dataclass(frozen=True, slots=True)
class Slot:
    """Hold a constant of a plan, and how the plan uses it.

    `property` is the number of the property that the constant is compared with, if any; `op` the operator. A period
    holds its first and last value.
    """

    value: Value
    op: Op
    property: int | None = None
    function: Function | None = None


@dataclass(slots=True)
class Names:
    """Hold what the variables of a plan stand for.

    Attributes:
        numbers: The number of each node variable.
        kinds: The kinds that each node can have.
        link_types: The type of each relationship variable.
        link_places: The place of each relationship variable among the links of a state.
    """

    numbers: dict[str, int]
    kinds: dict[str, frozenset[str]]
    link_types: dict[str, str]
    link_places: dict[str, int]

    def copy(self) -> "Names":
        """Return a copy that changes on its own."""
        return Names(dict(self.numbers), dict(self.kinds), dict(self.link_types), dict(self.link_places))


class ExpressionWriter(ABC):
    """Write actions while following their state."""

    def __init__(self, elements: SchemaElements) -> None:
        self._elements = elements
        self._state = State(elements)
        self._names = Names({}, {}, {}, {})
        self._columns: dict[str, int] = {}  # the numbers of the aggregates
        self.actions: list[Action] = []
        self.slots: list[Slot] = []

    @abstractmethod
    def _subpattern(self, op: Op, match: Match) -> None:
        """Write a pattern that starts from a known node."""

    def _add(self, op: Op, number: int = 0) -> None:
        action = Action(op, number)
        if self._state.is_finished:
            raise InexpressibleError("actions after the end")
        self.actions.append(action)
        self._state = self._state.after(action)

    def _focus(self, name: str) -> None:
        number = self._names.numbers[name]
        if self._state.focus != number:
            self._add(Op.FOCUS, number)

    # Constants

    def _constant(self, value: Value, op: Op, number: int | None = None, function: Function | None = None) -> None:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if is_number and value in (0, 1) and op is not Op.ONE_OF:
            self._add(Op.ZERO if value == 0 else Op.ONE)
            return
        self.slots.append(Slot(value, op, number, function))
        self._add(Op.VALUE, len(self.slots) - 1)

    # Expressions

    def _expression(self, value: Expression) -> None:
        value = plain(value)
        match value:
            case Property():
                self._property(value)
            case Variable() if value.name in self._columns:
                self._add(Op.COLUMN, self._columns[value.name])
            case Variable() if value.name in self._names.numbers:
                self._add(Op.VARIABLE, self._names.numbers[value.name])
            case Call() if value.function in _FUNCTIONS:
                self._add(_FUNCTIONS[value.function])
                self._expression(value.arguments[0])
            case Arithmetic() if value.operator in _SYMBOLS:
                self._add(_SYMBOLS[value.operator])
                self._expression(value.left)
                self._expression(value.right)
            case CountMatches():
                self._subpattern(Op.COUNT_OF, value.match)
            case _:
                what = f"{value.function}()" if isinstance(value, Call) else type(value).__name__
                raise InexpressibleError(f"{what} as an expression")

    def _property(self, value: Property) -> None:
        number = self._property_number(value)
        if value.variable in self._names.link_types:
            self._check_latest_link(value.variable)
        elif self._owner(number) != self._names.numbers[value.variable]:
            self._add(Op.FOCUS, self._names.numbers[value.variable])
        self._add(Op.PROPERTY, number)

    def _owner(self, number: int) -> int | None:
        """Return the variable that a property belongs to without a change of focus."""
        owner = self._elements.properties[number].owner
        order = [self._state.focus, *reversed(self._state.visible())]
        return next((one for one in order if one >= 0 and owner in self._state.kinds[one]), None)

    def _check_latest_link(self, variable: str) -> None:
        place = self._names.link_places[variable]
        later = [self._elements.connections[one].type for one in self._state.links[place + 1 :]]
        if self._names.link_types[variable] in later:
            raise InexpressibleError("properties of an earlier relationship of the same type")

    def _property_number(self, value: Property) -> int:
        names = self._names
        if value.variable in names.link_types:
            owners = [(True, names.link_types[value.variable])]
        else:
            owners = [(False, kind) for kind in sorted(names.kinds.get(value.variable, ()))]
        for is_link, owner in owners:
            found = self._elements.property_numbers.get((is_link, owner, value.key))
            if found is not None:
                return found
        raise InexpressibleError("an unknown property")

    def _is_name(self, value: Expression) -> bool:
        """Return whether an expression is the name of a node."""
        if not isinstance(value, Property) or value.variable not in self._names.numbers:
            return False
        kinds = sorted(self._names.kinds[value.variable] & self._elements.name_properties.keys())
        return bool(kinds) and self._elements.name_properties[kinds[0]] == value.key

    def _node_if_name(self, value: Expression) -> Expression:
        value = plain(value)
        return Variable(value.variable) if isinstance(value, Property) and self._is_name(value) else value
