"""List what actions can name in a state: properties, columns, and variables."""

from collections.abc import Iterator

from graph.plan.values import ValueType
from services.retriever.plans.grammar.actions import Action, Op
from services.retriever.plans.grammar.state import State


class Scope:
    """Hold the names that are in scope; after FOCUS, only those of the focus are."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._elements = state.elements
        self._moved = state.follows(Op.FOCUS)

    def properties(self, types: frozenset[ValueType] | None) -> Iterator[Action]:
        """Return the properties of some types; without types, those of any type."""
        kinds, relationship_types = self._owners()
        for number, one in enumerate(self._elements.properties):
            if one.owner in (relationship_types if one.of_relationship else kinds) and (
                types is None or one.schema.content is None or one.schema.content in types
            ):
                yield Action(Op.PROPERTY, number)

    def has_properties(self, types: frozenset[ValueType]) -> bool:
        """Return whether a property of these types is in scope."""
        return next(self.properties(types), None) is not None

    def _owners(self) -> tuple[frozenset[str], frozenset[str]]:
        """Return the kinds and the relationship types whose properties are in scope."""
        state = self._state
        if self._moved and (not state.is_aggregated or state.focus in state.keys):
            return state.kinds[state.focus], frozenset()
        kinds = frozenset[str]().union(*(state.kinds[number] for number in state.visible()))
        links = () if state.is_aggregated else state.links
        return kinds, frozenset(self._elements.connections[number].type for number in links)

    def columns(self, types: frozenset[ValueType] | None) -> Iterator[Action]:
        """Return the columns of some types; without types, those of any type."""
        for number, type_ in enumerate(self._columns()):
            if types is None or type_ is None or type_ in types:
                yield Action(Op.COLUMN, number)

    def list_columns(self) -> Iterator[Action]:
        """Return the columns that are certainly lists."""
        return (Action(Op.COLUMN, number) for number, type_ in enumerate(self._columns()) if type_ is ValueType.LIST)

    def _columns(self) -> tuple[ValueType | None, ...]:
        return () if self._moved or self._state.is_measured else self._state.columns

    def variables(self) -> Iterator[Action]:
        """Return the variables of nodes."""
        return (Action(Op.VARIABLE, number) for number in self._numbers())

    def foci(self) -> Iterator[Action]:
        """Return the nodes that can become the focus."""
        return (Action(Op.FOCUS, number) for number in self._numbers() if number != self._state.focus)

    def foci_with(self, types: frozenset[ValueType]) -> Iterator[Action]:
        """Return the nodes that can become the focus, and have properties of some types."""
        owners = {
            one.owner
            for one in self._elements.properties
            if not one.of_relationship and (one.schema.content is None or one.schema.content in types)
        }
        return (action for action in self.foci() if self._state.kinds[action.number] & owners)

    def _numbers(self) -> list[int]:
        return [] if self._moved else self._state.visible()
