"""Infer which types the expressions of a plan can have, from the schema of the graph.

Compilers omit run-time type tests where the types are certain.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Arithmetic,
    Call,
    Case,
    CollectMatches,
    Comprehension,
    Constant,
    CountMatches,
    Expression,
    FieldOf,
    Function,
    Group,
    ListOf,
    Loop,
    MapOf,
    Match,
    Plan,
    Project,
    Property,
    RelationshipType,
    ShortestPaths,
    Step,
    Union,
    Unnest,
    Variable,
)
from graph.plan.functions import (
    DATE_PARTS,
    DIFFERENCES,
    DURATION_PARTS,
    DURATIONS,
    EPOCHS,
    SHIFTS,
    STARTS_OF_DATES,
    STARTS_OF_TIMES,
    TIME_PARTS,
)
from graph.plan.schema import GraphSchema, PropertySchema
from graph.plan.values import ValueType, type_of

NUMBERS = frozenset((ValueType.INTEGER, ValueType.FLOAT))
DATES = frozenset((ValueType.DATE, ValueType.DATETIME))
SCALARS = NUMBERS | DATES | {ValueType.BOOLEAN, ValueType.STRING}
MAP = frozenset((ValueType.MAP,))
ELEMENTS = frozenset((ValueType.NODE, ValueType.RELATIONSHIP))


@dataclass(frozen=True, slots=True)
class Types:
    """List the types that an expression can have.

    Attributes:
        names: The types of the value, unless it is missing.
        items: The types of the items, and of the items of lists among them, if the value is a list.
        kinds: The kinds of a node, or the possible types of a relationship; None if they are unknown. For a list, those
            of its items.
        fields: The types of the fields of a map. For a list, those of its items.
    """

    names: frozenset[ValueType]
    items: frozenset[ValueType] = frozenset()
    kinds: frozenset[str] | None = None
    fields: Mapping[str, "Types"] = field(default_factory=dict, hash=False)

    def __or__(self, other: "Types") -> "Types":
        """Return the types of a value that comes from either expression."""
        kinds = self.kinds | other.kinds if self.kinds is not None and other.kinds is not None else None
        fields = dict(self.fields)
        for name, types in other.fields.items():
            fields[name] = fields[name] | types if name in fields else types
        return Types(self.names | other.names, self.items | other.items, kinds, fields)

    def only(self, *names: ValueType) -> bool:
        """Return whether the value has one of these types or is missing."""
        return self.names <= set(names)

    def may_be(self, *names: ValueType) -> bool:
        """Return whether the value can have one of these types."""
        return bool(self.names & set(names))


ANY = Types(SCALARS | {ValueType.LIST}, SCALARS)
BOOLEAN = Types(frozenset((ValueType.BOOLEAN,)))
INTEGER = Types(frozenset((ValueType.INTEGER,)))
FLOAT = Types(frozenset((ValueType.FLOAT,)))
STRING = Types(frozenset((ValueType.STRING,)))
DATE = Types(frozenset((ValueType.DATE,)))
DATETIME = Types(frozenset((ValueType.DATETIME,)))
NODE = Types(frozenset((ValueType.NODE,)))
_INTEGERS = Types(frozenset((ValueType.LIST,)), INTEGER.names)
_NODES = Types(frozenset((ValueType.LIST,)), NODE.names)

_RESULTS = {
    **dict.fromkeys((Function.LOWER, Function.UPPER, Function.TRIM, Function.LEFT, Function.TO_STRING), STRING),
    **dict.fromkeys((Function.DROP, Function.REPLACE), STRING),
    Function.SPLIT: Types(frozenset((ValueType.LIST,)), STRING.names),
    Function.DISTANCE: FLOAT,
    **dict.fromkeys((Function.ROUND, Function.FLOOR, Function.CEIL, Function.TO_FLOAT), FLOAT),
    **dict.fromkeys((Function.SIZE, Function.TO_INTEGER, *DATE_PARTS, *TIME_PARTS), INTEGER),
    **dict.fromkeys(DIFFERENCES | DURATION_PARTS, INTEGER),
    **dict.fromkeys(DURATIONS, STRING),
    Function.DURATION_LENGTH: FLOAT,
    **dict.fromkeys(EPOCHS, DATETIME),
    **dict.fromkeys(STARTS_OF_TIMES, DATETIME),
    Function.TO_BOOLEAN: BOOLEAN,
    **dict.fromkeys((Function.TO_DATE, Function.TODAY), DATE),
    **dict.fromkeys((Function.TO_DATETIME, Function.NOW), DATETIME),
}


@dataclass(frozen=True, slots=True)
class Scope:
    """Know the variables of a row, in the order in which they were bound, and their types."""

    schema: GraphSchema | None
    variables: Mapping[str, Types] = field(default_factory=dict)

    def after(self, step: Step) -> "Scope":
        """Return the scope of the rows that a step returns."""
        match step:
            case Match():
                return self.within(step)
            case Project():
                return self._of({column.name: self.types(column.value) for column in step.columns})
            case Group():
                keys = {column.name: self.types(column.value) for column in step.keys}
                return self._of(keys | {one.name: self._aggregate(one) for one in step.aggregates})
            case Unnest():
                return self._of({**self.variables, step.name: _item_types(self.types(step.items))})
            case ShortestPaths():
                links = Types(_NODES.names, frozenset((ValueType.RELATIONSHIP,)), frozenset(step.types) or None)
                found = zip(step.columns, (INTEGER, _NODES, links, _INTEGERS), strict=True)
                return self._of({**self.variables, **dict(found)})
            case Union():
                first, *others = (Scope(self.schema).after_all(plan).variables for plan in step.plans)
                merged = dict(first)
                for other in others:
                    merged = {name: types | other[name] for name, types in merged.items() if name in other}
                return self._of(merged)
        return self

    def after_all(self, plan: Plan) -> "Scope":
        """Return the scope of the result of a plan."""
        scope = self
        for step in plan.steps:
            scope = scope.after(step)
        return scope

    def within(self, match: Match) -> "Scope":
        """Return the scope of the condition of a pattern."""
        found = dict(self.variables)
        for node in match.nodes:
            known = found.get(node.variable)
            kinds = (known.kinds if known else None) or frozenset()
            found[node.variable] = Types(NODE.names, kinds=(kinds | set(node.kinds)) or None)
        for link in match.relationships:
            if link.variable:
                types = frozenset(link.types) or None
                found[link.variable] = Types(frozenset((ValueType.RELATIONSHIP,)), kinds=types)
        return self._of(found)

    def along(self, paths: ShortestPaths) -> "Scope":
        """Return the scope of the condition of the nodes on paths."""
        return self._of({paths.node: NODE})

    def inside(self, loop: Loop) -> "Scope":
        """Return the scope of the condition and the value of a loop."""
        return self._of({**self.variables, loop.name: _item_types(self.types(loop.items))})

    def types(self, expression: Expression) -> Types:
        """Return the types that an expression can have in a row with these variables."""
        match expression:
            case Variable():
                return self.variables.get(expression.name, ANY)
            case Constant():
                return _of_value(expression.value)
            case Property():
                return self._property(expression)
            case RelationshipType():
                return STRING
            case CollectMatches():
                return _list_of((self.within(expression.match).types(expression.value),))
            case CountMatches():
                return INTEGER
            case ListOf():
                return _list_of(map(self.types, expression.items))
            case MapOf():
                return Types(MAP, fields={column.name: self.types(column.value) for column in expression.fields})
            case FieldOf():
                return self.types(expression.map).fields.get(expression.key, Types(frozenset()))
            case Comprehension():
                inner = self.inside(expression)
                value = Variable(expression.name) if expression.value is None else expression.value
                return _list_of((inner.types(value),))
            case Call():
                return self._call(expression)
            case Case():
                return _any_of(map(self.types, expression.values))
            case Arithmetic():
                return self._arithmetic(expression)
        return BOOLEAN

    def _of(self, variables: Mapping[str, Types]) -> "Scope":
        return Scope(self.schema, variables)

    def _aggregate(self, aggregate: Aggregate) -> Types:
        types = self.types(aggregate.value) if aggregate.value is not None else INTEGER
        match aggregate.function:
            case AggregateFunction.COUNT:
                return INTEGER
            case AggregateFunction.AVERAGE:
                return FLOAT
            case AggregateFunction.SHORTEST | AggregateFunction.LONGEST:
                return STRING
            case AggregateFunction.SUM:
                return Types(types.names & NUMBERS | INTEGER.names)
            case AggregateFunction.COLLECT:
                return _list_of((types,))
        return types

    def _call(self, call: Call) -> Types:
        arguments = [self.types(argument) for argument in call.arguments]
        match call.function:
            case Function.COALESCE:
                return _any_of(arguments)
            case Function.FIRST | Function.LAST | Function.ITEM:
                return _item_types(arguments[0])
            case Function.TAKE:
                return replace(arguments[0], names=frozenset((ValueType.LIST,)))
            case Function.ABS:
                return Types(arguments[0].names & NUMBERS)
            case _ if call.function in STARTS_OF_DATES | SHIFTS:
                return Types(arguments[0].names & DATES)
        return _RESULTS[call.function]

    def _arithmetic(self, value: Arithmetic) -> Types:
        left, right = self.types(value.left).names, self.types(value.right).names
        names = set((left | right) & {ValueType.FLOAT}) if left & NUMBERS and right & NUMBERS else set()
        names |= left & right & {ValueType.INTEGER}
        if value.operator == "+":
            names |= left & right & {ValueType.STRING}
        return Types(frozenset(names))

    def _property(self, expression: Property) -> Types:
        if self.schema is None or expression.variable not in self.variables:
            return ANY
        found = declared_properties(self, expression)
        types = frozenset[ValueType]().union(*(one.stored for one in found))
        return Types(types, SCALARS if ValueType.LIST in types else frozenset())


def _any_of(types: Iterable[Types]) -> Types:
    """Return the types of a value that comes from one of several expressions."""
    return reduce(or_, types)


def _list_of(items: Iterable[Types]) -> Types:
    """Return the types of a list of values."""
    found = _any_of(list(items) or [Types(frozenset())])
    return Types(frozenset((ValueType.LIST,)), found.names | found.items, found.kinds, found.fields)


def _item_types(types: Types) -> Types:
    """Return the types of the items of a list; `items` also covers the items of lists within it."""
    items = types.items if ValueType.LIST in types.items else frozenset[ValueType]()
    return Types(types.items, items, types.kinds, types.fields)


def declared_properties(scope: Scope, expression: Property) -> list[PropertySchema]:
    """Return the schemas of a property of all kinds or relationship types that its owner may have.

    The order of kinds has no effect: if several kinds of a node declare the property, all of them count. A node with a
    known kind may have further kinds, so its property may be declared by another kind.
    """
    owner = scope.variables.get(expression.variable)
    if scope.schema is None or owner is None:
        return []
    key = expression.key
    if owner.only(ValueType.RELATIONSHIP):
        known = scope.schema.relationships
        types = known.keys() if owner.kinds is None else owner.kinds & known.keys()
        return [known[type_].properties[key] for type_ in types if key in known[type_].properties]
    kinds = scope.schema.kinds
    own = [kinds[kind].properties[key] for kind in owner.kinds or () if kind in kinds and key in kinds[kind].properties]
    return own or [kind.properties[key] for kind in kinds.values() if key in kind.properties]


def _of_value(value: object) -> Types:
    name = type_of(value)
    if name is None:
        return Types(frozenset())
    items = frozenset(filter(None, map(type_of, value))) if isinstance(value, tuple) else frozenset[ValueType]()
    return Types(frozenset((name,)), items)
