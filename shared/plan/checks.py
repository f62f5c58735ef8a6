"""Check a query plan before it runs: its variables, its operators, and what it names in the graph."""

import math
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import Any

from pydantic import TypeAdapter, ValidationError

from shared.errors import InvalidInputError
from shared.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Arithmetic,
    Call,
    Column,
    Comparison,
    Constant,
    CountMatches,
    Exists,
    Expression,
    Function,
    Group,
    HasKind,
    ListOf,
    Match,
    Order,
    Plan,
    Project,
    Property,
    RelationshipType,
    Slice,
    Step,
    Union,
    Unnest,
    Variable,
)
from shared.plan.limits import check_copies, check_size, shown
from shared.plan.schema import GraphSchema
from shared.plan.scope import ELEMENTS, Scope, Types
from shared.plan.traversal import walk
from shared.plan.values import ValueType
from shared.validation import error_text, without_consequences

MAX_RELATIONSHIPS = 8
MAX_UNDIRECTED = 4
_MAX_KINDS = 3
_MAX_SHOWN = 3
_MAX_SLICE = 1_000_000
_ARGUMENTS = {Function.LEFT: 2, Function.TAKE: 2}
_TEXT_OPERATORS = {"=", "!=", "contains", "starts_with", "ends_with"}

_PLAN = TypeAdapter(Plan)


def read_plan(data: object) -> Plan:
    """Read a plan from JSON data; raise InvalidInputError that says what is wrong, and where."""
    try:
        return _PLAN.validate_python(data)
    except ValidationError as error:
        found = without_consequences(error.errors())[:_MAX_SHOWN]
        problems = [f"{_place(problem['loc'])}: {error_text(problem)}" for problem in found]
        raise InvalidInputError(f"the plan is malformed: {'; '.join(problems)}") from None


def write_plan(plan: Plan) -> dict[str, Any]:
    """Convert a plan to JSON data; the inverse of `read_plan`."""
    return _PLAN.dump_python(plan, mode="json")  # type: ignore[no-any-return]


def check_plan(plan: Plan, schema: GraphSchema) -> None:
    """Check that a plan makes sense for a graph.

    Raises InvalidInputError that names the step, what is wrong, and, for a misspelled name, what exists.
    """
    check_size(plan)
    checker = _Checker(schema)
    scope = checker.check(plan)
    check_copies(checker.sizes)
    if not scope.variables:
        raise InvalidInputError("the plan returns no columns; end it with project or group")


class _Checker:
    def __init__(self, schema: GraphSchema) -> None:
        self._schema = schema
        self.sizes: list[int] = []
        """The sizes of the lists that may hold other lists."""

    def check(self, plan: Plan, nesting: str = "") -> Scope:
        """Check the steps of a plan in order, and return the scope of its result."""
        scope = Scope(self._schema)
        for place, step in enumerate(plan.steps, 1):
            if isinstance(step, Union) and place > 1:
                raise InvalidInputError(f"{nesting}step {place}: union must be the first step")
            for problem in self._problems(step, scope, f"{nesting}step {place}, "):
                raise InvalidInputError(f"{nesting}step {place} ({step.op}): {problem}")
            scope = scope.after(step)
        return scope

    def _problems(self, step: Step, scope: Scope, nesting: str) -> Iterator[str]:
        match step:
            case Match():
                yield from self._match(step, scope)
            case Union():
                results = [self.check(part, nesting).variables for part in step.plans]
                if len({tuple(sorted(one)) for one in results}) > 1:
                    yield "the plans of a union need the same columns"
                elif not results[0]:
                    yield "the plans of a union need columns; end them with project or group"
                else:
                    for name in results[0]:
                        yield from _alike(f"union of {name!r}", [one[name] for one in results])
            case Project():
                yield from self._columns(step.columns, scope)
            case Group():
                if not step.keys and not step.aggregates:
                    yield "group needs keys or aggregates"
                yield from self._columns((*step.keys, *step.aggregates), scope)
                for aggregate in step.aggregates:
                    yield from self._aggregate(aggregate, scope)
            case Slice():
                yield from (f"unknown variable {name!r}" for name in step.per if name not in scope.variables)
                if step.limit > _MAX_SLICE or step.offset > _MAX_SLICE:
                    yield f"limit and offset are at most {_MAX_SLICE:,}"
            case Unnest():
                if step.name in scope.variables:
                    yield f"the variable {step.name!r} exists already; choose a new name"
                yield from self._expression(step.items, scope)
            case Order():
                for key in step.keys:
                    yield from self._expression(key.value, scope)
            case _:
                yield from self._expression(step.condition, scope)

    def _match(self, match: Match, scope: Scope) -> Iterator[str]:
        if len(match.relationships) > MAX_RELATIONSHIPS or len(match.nodes) > MAX_RELATIONSHIPS + 1:
            yield f"the pattern is too large; use at most {MAX_RELATIONSHIPS} relationships between as many nodes"
        if sum(link.direction == "both" for link in match.relationships) > MAX_UNDIRECTED:
            yield f"the pattern has too many relationships of direction both; use at most {MAX_UNDIRECTED}"
        if any(len(node.kinds) > _MAX_KINDS for node in match.nodes):
            yield f"a node has too many kinds; use at most {_MAX_KINDS}"
        nodes = {node.variable for node in match.nodes}
        for name in nodes & scope.variables.keys():
            if scope.variables[name].names != {ValueType.NODE}:
                yield f"{name!r} is not a node"
        for node in match.nodes:
            yield from (unknown("kind", kind, self._schema.kinds) for kind in node.kinds if not self._has_kind(kind))
        for link in match.relationships:
            yield from (f"{end!r} is not among the nodes" for end in (link.source, link.target) if end not in nodes)
            for type_ in link.types:
                if type_ not in self._schema.relationships:
                    yield unknown("relationship type", type_, self._schema.relationships)
            if link.variable is not None and (link.variable in scope.variables or link.variable in nodes):
                yield f"the variable {link.variable!r} exists already; choose a new name"
        links = [link.variable for link in match.relationships if link.variable]
        if len(set(links)) < len(links):
            yield "two relationships have the same variable"
        inner = scope.within(match)
        yield from self._directions(match, inner)
        if match.where is not None:
            yield from self._expression(match.where, inner)

    def _directions(self, match: Match, scope: Scope) -> Iterator[str]:
        """Find relationships whose types never connect nodes of these kinds in this direction."""
        for link in match.relationships:
            sources, targets = (scope.variables[end].kinds for end in (link.source, link.target))
            if not link.types or not sources or not targets:
                continue
            ends = {pair for type_ in link.types for pair in self._schema.relationships[type_].ends}
            pairs = {(source, target) for source in sources for target in targets}
            reverse = {(target, source) for source, target in pairs}
            if not ends or pairs & ends or (link.direction == "both" and reverse & ends):
                continue
            types, source, target = "|".join(link.types), "/".join(sorted(sources)), "/".join(sorted(targets))
            hint = "; turn the direction round" if reverse & ends else ""
            yield f"no {types} relationship goes from {source} to {target}{hint}"

    def _columns(self, columns: Iterable[Column | Aggregate], scope: Scope) -> Iterator[str]:
        names = [column.name for column in columns]
        yield from (f"two columns are named {name!r}" for name in dict.fromkeys(names) if names.count(name) > 1)
        for column in columns:
            if column.value is not None:
                yield from self._expression(column.value, scope)

    def _aggregate(self, aggregate: Aggregate, scope: Scope) -> Iterator[str]:
        if aggregate.value is None:
            if aggregate.function is not AggregateFunction.COUNT or aggregate.distinct:
                yield f"{aggregate.function} needs a value"
        elif aggregate.function not in {AggregateFunction.COUNT, AggregateFunction.COLLECT}:
            yield from _values_only(aggregate.function, scope.types(aggregate.value))

    def _expression(self, expression: Expression, scope: Scope) -> Iterator[str]:
        parts = list(walk(expression, not_into=(Exists, CountMatches)))
        # The types of an expression are known only if all calls in it have their arguments.
        for part in parts:
            if isinstance(part, Call):
                yield from _arguments(part)
        for part in parts:
            match part:
                case Exists() | CountMatches():
                    yield from self._match(part.match, scope)
                case Variable() if part.name not in scope.variables:
                    yield unknown("variable", part.name, scope.variables)
                case Property() | HasKind() | RelationshipType():
                    yield from self._element(part, scope)
                case Call():
                    yield from self._call(part, scope)
                case ListOf():
                    items = [scope.types(item) for item in part.items]
                    self.sizes += [len(items)] * any(item.may_be(ValueType.LIST) for item in items)
                    yield from _alike("a list", items)
                case Arithmetic():
                    yield from _values_only(part.operator, scope.types(part.left), scope.types(part.right))
                case Comparison():
                    yield from self._comparison(part, scope)
                case Constant():
                    yield from _constant(part.value)

    def _call(self, call: Call, scope: Scope) -> Iterator[str]:
        types = [scope.types(argument) for argument in call.arguments]
        if call.function is Function.COALESCE:
            yield from _alike(call.function, types)
        else:
            yield from _values_only(call.function, *types)

    def _comparison(self, part: Comparison, scope: Scope) -> Iterator[str]:
        types = [scope.types(part.left), scope.types(part.right)]
        if part.ignore_case and part.operator not in _TEXT_OPERATORS:
            yield f"ignore_case does not apply to {part.operator!r}"
        if part.operator in {"=", "!="}:
            yield from _alike(part.operator, types)
        else:
            yield from _values_only(part.operator, *(types[1:] if part.operator == "in" else types))

    def _element(self, part: Property | HasKind | RelationshipType, scope: Scope) -> Iterator[str]:
        if part.variable not in scope.variables:
            yield unknown("variable", part.variable, scope.variables)
            return
        types = scope.variables[part.variable]
        wanted = {Property: ELEMENTS, HasKind: {ValueType.NODE}, RelationshipType: {ValueType.RELATIONSHIP}}[type(part)]
        if not types.names or not types.names <= wanted:
            yield f"{part.variable!r} is not a {' or '.join(sorted(wanted))}"
        elif isinstance(part, HasKind) and not self._has_kind(part.kind):
            yield unknown("kind", part.kind, self._schema.kinds)
        elif isinstance(part, Property) and not part.as_stored:
            is_node = types.only(ValueType.NODE)
            holders = self._schema.kinds if is_node else self._schema.relationships
            keys = {key for holder in holders.values() for key in holder.properties}
            if part.key not in keys:
                yield unknown("property", part.key, keys)

    def _has_kind(self, kind: str) -> bool:
        """Return whether a kind exists; the empty kind stands for nodes without one, so no node has it."""
        return bool(kind) and kind in self._schema.kinds


def _arguments(call: Call) -> Iterator[str]:
    found = len(call.arguments)
    if call.function is Function.COALESCE:
        if not found:
            yield "coalesce needs an argument"
        return
    expected = _ARGUMENTS.get(call.function, 1)
    if found != expected:
        yield f"{call.function} needs {expected} argument{'s' * (expected > 1)}, found {found}"


def _values_only(operator: str, *operands: Types) -> Iterator[str]:
    if any(types.may_be(*ELEMENTS) for types in operands):
        yield f"{operator} does not apply to nodes and relationships; use one of their properties"


def _alike(operator: str, operands: Sequence[Types]) -> Iterator[str]:
    """Find nodes or relationships that meet values, or each other."""
    kinds = {types.names & ELEMENTS for types in operands if types.names}
    if len(kinds) > 1 or any(len(kind) > 1 for kind in kinds):
        yield f"{operator} cannot combine nodes, relationships, and values; use properties"


def _constant(value: object) -> Iterator[str]:
    if isinstance(value, tuple):
        if None in value or any(isinstance(item, tuple) for item in value):
            yield "a list cannot hold null or another list"
        for item in value:
            yield from _constant(item)
    elif isinstance(value, int) and not -(2**63) <= value < 2**63:
        yield f"the integer {shown(value)} needs more than 64 bits"
    elif isinstance(value, float) and not math.isfinite(value):
        yield f"the float {value} is not finite"


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """Say that a name is unknown, and list similar names: `unknown kind 'Countr'; did you mean 'Country'?`"""
    close = get_close_matches(name, sorted(filter(None, known)), n=_MAX_SHOWN, cutoff=0.6)
    hint = f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
    return f"unknown {what} {shown(name)}{hint}"


def _place(location: tuple[int | str, ...]) -> str:
    return ".".join(map(str, location)) or "plan"
