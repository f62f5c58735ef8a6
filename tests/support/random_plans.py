"""Generate random query plans that are valid for a graph, with and without sensible types."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any, Literal, TypeVar

from hypothesis import strategies as st

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    And,
    Arithmetic,
    Branch,
    Call,
    Case,
    CollectMatches,
    Column,
    Comparison,
    Comprehension,
    Constant,
    CountMatches,
    Exists,
    Expression,
    FieldOf,
    Filter,
    Function,
    Group,
    HasKind,
    IsMissing,
    ListOf,
    Loop,
    MapOf,
    Match,
    NodePattern,
    Not,
    Or,
    Order,
    Plan,
    Project,
    Property,
    Quantifier,
    RelationshipPattern,
    RelationshipType,
    ShortestPaths,
    Slice,
    SortKey,
    Step,
    Subquery,
    Union,
    Unnest,
    Variable,
)
from graph.plan.functions import DATE_PARTS, DIFFERENCES, EPOCHS, SHIFTS, STARTS_OF_DATES, STARTS_OF_TIMES, TIME_PARTS
from graph.plan.schema import GraphSchema
from graph.plan.scope import ELEMENTS, MAP, Scope, Types
from graph.plan.traversal import walk
from graph.plan.values import ValueType
from tests.support.reference_evaluator import Node, PropertyGraph, Relationship

_T = TypeVar("_T")
Operator = Literal["=", "!=", "<", "<=", ">", ">=", "in", "contains", "starts_with", "ends_with", "matches"]
_MAX_DEPTH = 2
_MAX_NODES = 3
_EXTRA_CONSTANTS = (0, 1, 2, -1, 0.5, "", "a", "7", True, None, (1, 2), ("a",), "P1Y-2M3DT-1H4.25S", "PT-0.5S")
_COMPARATORS: tuple[Operator, ...] = (
    "=",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "in",
    "contains",
    "starts_with",
    "ends_with",
    "matches",
)
_PATTERNS = (".*", ".*a.*", "(?i).*A.*", "[A-Z].*", "[^a-c]+", "(?i)(alma|bo)?", r"-?\d+(\.\d+)?", ".{2,4}", "")
# Stores replace the current time by constants before anything else.
_WITH_NUMBER = (Function.LEFT, Function.DROP, Function.TAKE, Function.ITEM)
_OTHERS = {
    Function.COALESCE,
    *_WITH_NUMBER,
    Function.REPLACE,
    Function.SPLIT,
    Function.NOW,
    Function.TODAY,
    Function.DISTANCE,
    *DIFFERENCES,
    *SHIFTS,
}
_OF_A_DATE = sorted(DATE_PARTS | TIME_PARTS | STARTS_OF_DATES | STARTS_OF_TIMES)
_OF_TWO_DATES = sorted(DIFFERENCES)
_SHIFTS, _EPOCHS = sorted(SHIFTS), sorted(EPOCHS)
_LENGTHS = ("P1M", "P-1M1D", "P1Y2M-3DT-0.5S", "PT25H", "PT-86399.5S", "P119999M-3652000D", "P120001M", "PT0.000001S")
_SINCE_1970 = (0, -1, 1_583_000_000, 1_583_000_000_123, 253_402_300_799, 253_402_300_800, -62_135_596_801)
_DATES = (
    *(date(2020, 1, 31), date(2020, 2, 29), date(1999, 12, 31), date(1, 1, 1), date(9999, 12, 31)),
    *(datetime(2020, 3, 31, 12), datetime(2019, 2, 28, 11, 59, 59, 500_000), datetime(9999, 12, 31, 23, 59, 59)),
)
_ON_VALUES = tuple(function for function in Function if function not in _OTHERS)


@st.composite
def random_plans(draw: st.DrawFn, graph: PropertyGraph, schema: GraphSchema) -> Plan:
    """Draw a plan for a graph."""
    return _Generator(draw, graph, schema).plan()


@st.composite
def random_unions(draw: st.DrawFn, graph: PropertyGraph, schema: GraphSchema) -> Plan:
    """Draw a plan that is a union."""
    return _Generator(draw, graph, schema).union()


class _Generator:
    def __init__(self, draw: st.DrawFn, graph: PropertyGraph, schema: GraphSchema) -> None:
        self._draw = draw
        self._schema = schema
        self._kinds = sorted(kind for kind in schema.kinds if kind)
        self._types = sorted(schema.relationships)
        elements: list[Node | Relationship] = [*graph.nodes, *graph.relationships]
        self._values = sorted({_hashable(v) for one in elements for v in one.properties.values()}, key=repr)
        self._names = 0
        self._scope = Scope(schema)

    def plan(self) -> Plan:
        if self._is(8):
            return self.union()
        steps = self._start()
        for _ in range(self._number(0, 4)):
            steps.append(self._next_step())
            self._scope = self._scope.after(steps[-1])
        if not self._scope.variables:
            steps.append(Group((), (Aggregate("n", AggregateFunction.COUNT),)))
        return Plan(tuple(steps))

    def _start(self) -> list[Step]:
        self._scope = Scope(self._schema)
        first = self._match()
        self._scope = self._scope.after(first)
        return [first]

    def union(self) -> Plan:
        parts = []
        for _ in range(2):
            [first] = self._start()
            columns = (Column("x", self._expression(1)), Column("y", self._expression(0)))
            parts.append(Plan((first, Project(columns))))
        return Plan((Union(tuple(parts), distinct=self._is(2)),))

    # Draws

    def _pick(self, options: Sequence[_T]) -> _T:
        return self._draw(st.sampled_from(options))

    def _number(self, low: int, high: int) -> int:
        return self._draw(st.integers(low, high))

    def _is(self, one_in: int) -> bool:
        return self._number(1, one_in) == one_in

    def _new_name(self, prefix: str = "x") -> str:
        self._names += 1
        return f"{prefix}{self._names}"

    # Steps

    def _next_step(self) -> Step:
        makers: list[Callable[[], Step]] = [self._filter, self._project, self._group, self._order, self._slice]
        lists = [name for name, types in self._scope.variables.items() if types.may_be(ValueType.LIST)]
        if lists:
            makers.append(lambda: Unnest(self._new_name(), Variable(self._pick(lists))))
        if sum(types.only(*ELEMENTS) for types in self._scope.variables.values()) <= _MAX_NODES:
            makers.append(self._match)
        if len(self._nodes()) > 1:
            makers.append(self._paths)
        return self._pick(makers)()

    def _nodes(self) -> list[str]:
        return self._variables(lambda types: types.names == {ValueType.NODE})

    def _paths(self) -> ShortestPaths:
        source, target = self._draw(st.permutations(self._nodes()))[:2]
        types, kinds = ((self._pick(some),) if self._is(3) else () for some in (self._types, self._kinds))
        rank, nodes, links, degrees = (self._new_name(prefix) for prefix in ("k", "ns", "rs", "ds"))
        step = ShortestPaths(
            source,
            target,
            types,
            kinds,
            node=self._new_name("p"),
            rank=rank,
            nodes=nodes,
            relationships=links,
            degrees=degrees,
        )
        outer, self._scope = self._scope, self._scope.along(step)
        where = self._where_of_path() if self._is(3) else None
        self._scope = outer
        return replace(step, where=where, max_length=self._number(1, 5), limit=self._number(1, 4))

    def _where_of_path(self) -> Expression | None:
        condition = self._condition(_MAX_DEPTH)
        return None if any(isinstance(part, Loop | Subquery) for part in walk(condition)) else condition

    def _match(self, depth: int = 0) -> Match:
        bound = [name for name, types in self._scope.variables.items() if types.names == {ValueType.NODE}]
        names = [self._pick(bound)] if bound and not self._is(4) else [self._new_name("n")]
        links = []
        for _ in range(self._number(0, 2) if len(bound) < _MAX_NODES else self._number(0, 1)):
            names.append(self._pick(names) if self._is(5) else self._new_name("n"))
            ends = names[-2:] if self._is(2) else names[-2:][::-1]
            types = tuple(self._pick(self._types) for _ in range(self._number(0, 2)))
            direction: Literal["both", "out"] = "both" if self._is(4) else "out"
            variable = self._new_name("r") if self._is(3) else None
            links.append(RelationshipPattern(ends[0], ends[1], tuple(dict.fromkeys(types)), direction, variable))
        nodes = tuple(NodePattern(name, self._some_kinds()) for name in dict.fromkeys(names))
        match = Match(nodes, tuple(links), optional=bool(bound) and depth == 0 and self._is(4))
        if not self._is(2):
            return match
        outer, self._scope = self._scope, self._scope.within(match)
        where = self._condition(depth)
        self._scope = outer
        return Match(nodes, tuple(links), where, match.optional)

    def _some_kinds(self) -> tuple[str, ...]:
        return (self._pick(self._kinds),) if self._is(2) else ()

    def _filter(self) -> Step:
        return Filter(self._condition(0))

    def _project(self) -> Step:
        names = sorted(self._scope.variables)
        columns = [Column(name, Variable(name)) for name in names if self._is(2)]
        if self._is(8):
            columns.append(Column(self._new_name(), self._map()))
        columns += [Column(self._new_name(), self._expression(0)) for _ in range(self._number(0 if columns else 1, 2))]
        return Project(tuple(columns), distinct=self._is(3))

    def _group(self) -> Step:
        names = [name for name in sorted(self._scope.variables) if self._is(3)]
        keys = [Column(name, Variable(name)) for name in names]
        if self._is(3):
            keys.append(Column(self._new_name(), self._expression(1)))
        return Group(tuple(keys), tuple(self._aggregate() for _ in range(self._number(0 if keys else 1, 2))))

    def _aggregate(self) -> Aggregate:
        name, function = self._new_name(), self._pick(tuple(AggregateFunction))
        elements = [name for name, types in self._scope.variables.items() if types.names and types.only(*ELEMENTS)]
        if function is AggregateFunction.COUNT and self._is(2):
            return Aggregate(name, function)
        nodes = self._variables(_is_node)
        if nodes and function in {AggregateFunction.COUNT, AggregateFunction.COLLECT} and self._is(6):
            chosen = self._case(1, lambda _: Constant(None) if self._is(4) else Variable(self._pick(nodes)))
            return Aggregate(name, function, chosen, self._is(2))
        maps = self._variables(lambda types: types.names == MAP)
        if function is AggregateFunction.COLLECT and (maps or self._is(4)):
            return Aggregate(name, function, Variable(self._pick(maps)) if maps and self._is(2) else self._map())
        if elements and function in {AggregateFunction.COUNT, AggregateFunction.COLLECT} and self._is(2):
            return Aggregate(name, function, Variable(self._pick(elements)), self._is(2))
        return Aggregate(name, function, self._expression(1), self._is(2))

    def _order(self) -> Step:
        keys = tuple(SortKey(self._expression(1), self._is(2), self._is(2)) for _ in range(self._number(1, 2)))
        return Order(keys)

    def _slice(self) -> Step:
        per = tuple(name for name in sorted(self._scope.variables) if self._is(4)) if self._is(3) else ()
        return Slice(self._number(0, 5), self._number(0, 2) if self._is(3) else 0, per)

    # Expressions

    def _variables(self, accept: Callable[[Types], bool]) -> list[str]:
        return sorted(name for name, types in self._scope.variables.items() if accept(types))

    def _expression(self, depth: int) -> Expression:
        """Draw an expression that is not a node or relationship."""
        makers: list[Callable[[], Expression]] = [self._constant]
        if self._variables(_is_element):
            makers += [self._property] * 4
        if self._variables(_is_value):
            makers += [lambda: Variable(self._pick(self._variables(_is_value)))] * 3
        if self._variables(_has_values):
            makers += [self._field] * 3
        if depth < _MAX_DEPTH:
            makers += [
                lambda: self._call(depth + 1),
                lambda: self._arithmetic(depth + 1),
                lambda: self._list(depth + 1),
                lambda: self._loop(depth + 1),
                lambda: self._case(depth + 1, self._expression),
            ]
            makers += [lambda: self._condition(depth + 1)]
            if self._variables(_is_node):
                makers += [lambda: CountMatches(self._match(depth + 1)), lambda: self._collected(depth + 1)]
        if self._variables(_is_relationship):
            makers.append(lambda: RelationshipType(self._pick(self._variables(_is_relationship))))
        return self._pick(makers)()

    def _constant(self) -> Constant:
        return Constant(self._pick((*self._values, *_EXTRA_CONSTANTS)))

    def _property(self) -> Property:
        name = self._pick(self._variables(_is_element))
        types = self._scope.variables[name]
        holders = self._schema.kinds if _is_node(types) else self._schema.relationships
        keys = sorted({key for kind in holders.values() for key in kind.properties})
        return Property(name, self._pick(keys) if keys else "value", as_stored=True)

    def _call(self, depth: int) -> Expression:
        if self._is(6):
            return Call(Function.COALESCE, (self._expression(depth), self._expression(depth)))
        if self._is(6):
            return Call(self._pick(_WITH_NUMBER), (self._expression(depth), Constant(self._number(-2, 3))))
        if self._is(6):
            sought = Constant(self._pick(("a", " ", "0", "lm", "😀")))
            text = self._expression(depth)
            if self._is(2):
                return Call(Function.SPLIT, (text, sought))
            return Call(Function.REPLACE, (text, sought, Constant(self._pick(("", "a", "xyz")))))
        if self._is(12):
            return Call(Function.DISTANCE, tuple(self._expression(depth) for _ in range(4)))
        if self._is(6):
            return self._temporal_call(depth)
        return Call(self._pick(_ON_VALUES), (self._expression(depth),))

    def _temporal_call(self, depth: int) -> Call:
        """Draw a function of dates, whose arguments are often dates."""
        if self._is(2):
            return Call(self._pick(_OF_A_DATE), (self._date(depth),))
        if self._is(2):
            return Call(self._pick(_SHIFTS), (self._date(depth), self._duration(depth)))
        if self._is(6):
            return Call(self._pick(_EPOCHS), (Constant(self._pick(_SINCE_1970)),))
        return Call(self._pick(_OF_TWO_DATES), (self._date(depth), self._date(depth)))

    def _date(self, depth: int) -> Expression:
        return self._expression(depth) if self._is(3) else Constant(self._pick(_DATES))

    def _duration(self, depth: int) -> Expression:
        return self._expression(depth) if self._is(4) else Constant(self._pick(_LENGTHS))

    def _arithmetic(self, depth: int) -> Arithmetic:
        return Arithmetic(self._pick("+-*/%"), self._expression(depth), self._expression(depth))  # type: ignore[arg-type]

    def _case(self, depth: int, value: Callable[[int], Expression]) -> Case:
        branches = [Branch(self._condition(depth), value(depth)) for _ in range(self._number(1, 2))]
        return Case(tuple(branches), value(depth) if self._is(2) else None)

    def _collected(self, depth: int) -> CollectMatches:
        match = self._match(depth)
        outer, self._scope = self._scope, self._scope.within(match)
        value = self._expression(depth)
        self._scope = outer
        return CollectMatches(match, value)

    def _loop(self, depth: int) -> Loop:
        """Draw a loop over a list, or over something else."""
        lists = self._variables(lambda types: ValueType.LIST in types.names)
        name, items = self._new_name(), self._expression(depth)
        if lists and self._is(2):
            items = Variable(self._pick(lists))
        elif self._is(2):
            items = self._list(depth)
        quantifier = self._pick((None, "any", "all", "none", "single"))
        outer = self._scope
        self._scope = outer.inside(Comprehension(name, items))
        condition = self._condition(depth)
        value = self._expression(depth) if self._is(2) else None
        self._scope = outer
        if quantifier is not None:
            return Quantifier(quantifier, name, items, condition)  # type: ignore[arg-type]
        return Comprehension(name, items, condition if self._is(2) else None, value)

    def _map(self) -> MapOf:
        elements = self._variables(_is_element)
        values = [self._expression(1) for _ in range(self._number(1, 2))]
        if elements and self._is(2):
            values.append(Variable(self._pick(elements)))
        return MapOf(tuple(Column(name, value) for name, value in zip("cab", values, strict=False)))

    def _field(self) -> FieldOf:
        """Read a field of a map that holds a value."""
        name = self._pick(self._variables(_has_values))
        fields = self._scope.variables[name].fields
        return FieldOf(Variable(name), self._pick(sorted(key for key, types in fields.items() if _is_value(types))))

    def _list(self, depth: int) -> ListOf:
        return ListOf(tuple(self._expression(depth) for _ in range(self._number(0, 2))))

    def _condition(self, depth: int) -> Expression:
        makers: list[Callable[[], Expression]] = [lambda: self._comparison(depth)] * 4
        makers.append(lambda: IsMissing(self._expression(depth)))
        if self._variables(_is_node):
            makers.append(lambda: HasKind(self._pick(self._variables(_is_node)), self._pick(self._kinds)))
            if depth < _MAX_DEPTH:
                makers.append(lambda: Exists(self._match(depth + 1)))
                makers.append(lambda: Or((Not(Exists(self._match(depth + 1))), self._condition(depth + 1))))
        if depth < _MAX_DEPTH:
            makers.append(lambda: Not(self._condition(depth + 1)))
            makers.append(lambda: And((self._condition(depth + 1), self._expression(depth + 1))))
            makers.append(lambda: Or((self._condition(depth + 1), self._expression(depth + 1))))
        return self._pick(makers)()

    def _comparison(self, depth: int) -> Comparison:
        operator = self._pick(_COMPARATORS)
        nodes = self._variables(_is_node)
        if operator in {"=", "!="} and len(nodes) > 1 and self._is(4):
            return Comparison(operator, Variable(self._pick(nodes)), Variable(self._pick(nodes)))
        left, right = self._expression(depth), self._expression(depth)
        if operator == "matches":
            right = Constant(self._pick(_PATTERNS))
        ignore_case = operator in {"=", "!=", "contains", "starts_with", "ends_with"} and self._is(4)
        return Comparison(operator, left, right, ignore_case)


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _is_element(types: Types) -> bool:
    return bool(types.names) and types.names <= ELEMENTS


def _is_node(types: Types) -> bool:
    return types.names == {ValueType.NODE}


def _is_relationship(types: Types) -> bool:
    return types.names == {ValueType.RELATIONSHIP}


def _is_value(types: Types) -> bool:
    return not (types.names | types.items) & (ELEMENTS | MAP)


def _has_values(types: Types) -> bool:
    return types.names == MAP and any(map(_is_value, types.fields.values()))
