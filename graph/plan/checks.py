"""Check a query plan before it runs: its variables, its operators, its types, and what it names in the graph."""

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from graph.plan.algebra import (
    Aggregate,
    Arithmetic,
    Call,
    Case,
    CollectMatches,
    Column,
    Comparison,
    Comprehension,
    Constant,
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
    Quantifier,
    RelationshipPattern,
    RelationshipType,
    ShortestPaths,
    Slice,
    Step,
    Subquery,
    Union,
    Unnest,
    Variable,
)
from graph.plan.content_types import converted_expression, converted_step
from graph.plan.limits import check_copies, check_size
from graph.plan.list_checks import check_lists
from graph.plan.map_checks import map_problems
from graph.plan.part_checks import (
    aggregate_problems,
    argument_problems,
    collects_lists,
    constant_problems,
    elements_among,
    excess_of,
    foreign_property,
    maps_among,
    mixed_elements,
    pattern_problems,
    unknown,
    unknown_variable,
)
from graph.plan.path_checks import path_problems
from graph.plan.schema import GraphSchema
from graph.plan.scope import ELEMENTS, Scope
from graph.plan.scoped_traversal import walk_in_scope
from graph.plan.type_checks import type_problems
from graph.plan.values import ValueType
from shared.errors import InvalidInputError
from shared.validation import error_text, json_place, without_consequences

_MAX_SHOWN = 3
_MAX_SLICE = 1_000_000
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


def check_plan(plan: Plan, schema: GraphSchema, strict: bool = False) -> None:
    """Check that a plan makes sense for a graph.

    Args:
        plan: The plan.
        schema: The schema of the graph.
        strict: Also reject properties that the graph does not have, and operations that never give a result for the
            types of their operands. Stores run such plans, but whoever wrote one made a mistake.

    Raises:
        InvalidInputError: The plan does not make sense. The message names the place in the plan's JSON, what is wrong,
            and, for a misspelled name, what exists.
    """
    check_size(plan)
    checker = _Checker(schema, strict)
    scope = checker.check(plan)
    check_copies(checker.sizes)
    if checker.has_lists:
        check_lists(plan, schema)
    if not scope.variables:
        raise InvalidInputError("the plan returns no columns; end it with project or group")


_Problems = Iterator[tuple[str, str]]
"""Places in the JSON of a plan, and what is wrong there."""


class _Checker:
    def __init__(self, schema: GraphSchema, strict: bool) -> None:
        self._schema = schema
        self._strict = strict
        self.sizes: list[int] = []
        """The sizes of the lists that may hold other lists."""
        self.has_lists = False
        """Whether the plan visits items of lists, or collects lists."""

    def check(self, plan: Plan, path: str = "") -> Scope:
        """Check the steps of a plan in order, and return the scope of its result."""
        scope = Scope(self._schema)
        for number, step in enumerate(plan.steps):
            place = f"{path}steps.{number}"
            if isinstance(step, Union) and number > 0:
                raise InvalidInputError(f"{place}: union must be the first step")
            for found, problem in self._problems(step, scope, place):
                raise InvalidInputError(f"{found}: {problem}")
            # Other steps return no values, whose types would depend on what the properties hold.
            returns_values = isinstance(step, (Project, Group, Unnest, Union))
            scope = scope.after(converted_step(step, scope) if returns_values else step)
        return scope

    def _problems(self, step: Step, scope: Scope, place: str) -> _Problems:
        match step:
            case Match():
                yield from self._match(step, scope, place)
            case Union():
                yield from self._union(step, place)
            case Project():
                yield from self._columns(step.columns, scope, f"{place}.columns")
                if step.distinct:
                    yield from self._without_maps("distinct", [one.value for one in step.columns], scope, place)
            case Group():
                yield from self._group(step, scope, place)
            case Slice():
                for number, name in enumerate(step.per):
                    if name not in scope.variables:
                        yield f"{place}.per.{number}", unknown_variable(name, scope)
                yield from self._without_maps("per", [Variable(name) for name in step.per], scope, place)
                if step.limit > _MAX_SLICE or step.offset > _MAX_SLICE:
                    yield place, f"limit and offset are at most {_MAX_SLICE:,}"
            case Unnest():
                if step.name in scope.variables:
                    yield f"{place}.name", f"the variable {step.name!r} exists already; choose a new name"
                yield from self._expression(step.items, scope, f"{place}.items")
                yield from self._types(step, scope, f"{place}.items")
            case Order():
                yield from self._without_maps("order", [one.value for one in step.keys], scope, place)
                for number, key in enumerate(step.keys):
                    yield from self._expression(key.value, scope, f"{place}.keys.{number}.value")
            case ShortestPaths():
                yield from path_problems(step, scope, self._schema, place)
                if step.where is not None:
                    yield from self._expression(step.where, scope.along(step), f"{place}.where")
                    yield from self._types(step, scope.along(step), f"{place}.where")
            case _:
                yield from self._expression(step.condition, scope, f"{place}.condition")
                yield from self._types(step, scope, f"{place}.condition")

    def _union(self, union: Union, place: str) -> _Problems:
        results = [self.check(part, f"{place}.plans.{number}.").variables for number, part in enumerate(union.plans)]
        if len({tuple(sorted(one)) for one in results}) > 1:
            yield place, "the plans of a union need the same columns"
        elif not results[0]:
            yield place, "the plans of a union need columns; end them with project or group"
        else:
            for name in results[0]:
                found = [one[name] for one in results]
                for problem in mixed_elements(f"union of {name!r}", found):
                    yield place, problem
                for problem in maps_among("distinct", *found) if union.distinct else ():
                    yield place, problem

    def _group(self, group: Group, scope: Scope, place: str) -> _Problems:
        if not group.keys and not group.aggregates:
            yield place, "group needs keys or aggregates"
        yield from _repeated_names((*group.keys, *group.aggregates), place)
        yield from self._values(group.keys, scope, f"{place}.keys")
        yield from self._without_maps("group", [one.value for one in group.keys], scope, place)
        yield from self._values(group.aggregates, scope, f"{place}.aggregates")
        for number, aggregate in enumerate(group.aggregates):
            self.has_lists |= collects_lists(aggregate, scope)
            for problem in aggregate_problems(aggregate, scope):
                yield f"{place}.aggregates.{number}", problem
            yield from self._types(aggregate, scope, f"{place}.aggregates.{number}")

    def _without_maps(self, operator: str, values: Sequence[Expression], scope: Scope, place: str) -> _Problems:
        yield from ((place, problem) for problem in maps_among(operator, *map(scope.types, values)))

    def _match(self, match: Match, scope: Scope, place: str) -> _Problems:
        yield from ((place, problem) for problem in excess_of(match))
        nodes = {node.variable for node in match.nodes}
        for number, node in enumerate(match.nodes):
            known = scope.variables.get(node.variable)
            if known is not None and known.names != {ValueType.NODE}:
                yield f"{place}.nodes.{number}.variable", f"{node.variable!r} is not a node"
            for index, kind in enumerate(node.kinds):
                if not self._has_kind(kind):
                    yield f"{place}.nodes.{number}.kinds.{index}", unknown("kind", kind, self._schema.kinds)
        for number, link in enumerate(match.relationships):
            yield from self._link(link, nodes, scope, f"{place}.relationships.{number}")
        links = [link.variable for link in match.relationships if link.variable]
        if len(set(links)) < len(links):
            yield f"{place}.relationships", "two relationships have the same variable"
        inner = scope.within(match)
        if match.where is not None:
            yield from self._expression(match.where, inner, f"{place}.where")
            yield from self._types(match, inner, f"{place}.where")

    def _link(self, link: RelationshipPattern, nodes: set[str], scope: Scope, place: str) -> _Problems:
        for field, end in (("source", link.source), ("target", link.target)):
            if end not in nodes:
                yield f"{place}.{field}", f"{end!r} is not among the nodes; add it to the nodes of the pattern"
        for number, type_ in enumerate(link.types):
            if type_ not in self._schema.relationships:
                yield f"{place}.types.{number}", unknown("relationship type", type_, self._schema.relationships)
        if link.variable is not None and (link.variable in scope.variables or link.variable in nodes):
            yield f"{place}.variable", f"the variable {link.variable!r} exists already; choose a new name"

    def _columns(self, columns: Sequence[Column], scope: Scope, place: str) -> _Problems:
        yield from _repeated_names(columns, place)
        yield from self._values(columns, scope, place)

    def _values(self, columns: Sequence[Column | Aggregate], scope: Scope, place: str) -> _Problems:
        for number, column in enumerate(columns):
            if column.value is not None:
                yield from self._expression(column.value, scope, f"{place}.{number}.value")

    def _expression(self, expression: Expression, scope: Scope, place: str) -> _Problems:
        # The types of an expression are known only if all calls in it have their arguments, and all names exist.
        parts = []
        for found, part, seen in walk_in_scope(expression, place, scope):
            parts.append((found, part, seen))
            if isinstance(part, Call):
                yield from ((found, problem) for problem in argument_problems(part))
            yield from ((found, problem) for problem in self._unknown_names(part, seen))
        for found, part, seen in parts:
            if isinstance(part, Subquery):
                yield from self._match(part.match, seen, f"{found}.match")
            yield from ((found, problem) for problem in self._operands(part, seen))
            yield from self._types(part, seen, found)

    def _types(self, part: object, scope: Scope, place: str) -> _Problems:
        # A pattern has the scope of its own nodes.
        if self._strict and not isinstance(part, Subquery):
            problems = type_problems(part, lambda operand: scope.types(converted_expression(operand, scope)))
            yield from ((place, problem) for problem in problems)

    def _unknown_names(self, part: object, scope: Scope) -> Iterator[str]:
        match part:
            case Variable() if part.name not in scope.variables:
                yield unknown_variable(part.name, scope)
            case Property() | HasKind() | RelationshipType():
                yield from self._element(part, scope)
            case Comprehension() | Quantifier() if part.name in scope.variables:
                yield f"the variable {part.name!r} exists already; choose a new name"

    def _operands(self, part: object, scope: Scope) -> Iterator[str]:
        """Find nodes, relationships, and maps among the operands, and values that no store can hold."""
        yield from map_problems(part, scope.types)
        match part:
            case Call():
                types = [scope.types(argument) for argument in part.arguments]
                is_choice = part.function is Function.COALESCE
                yield from mixed_elements(part.function, types) if is_choice else elements_among(part.function, *types)
            case Case():
                yield from mixed_elements(part.op, [scope.types(value) for value in part.values])
            case ListOf():
                items = [scope.types(item) for item in part.items]
                self.sizes += [len(items)] * any(item.may_be(ValueType.LIST) for item in items)
                yield from mixed_elements("a list", items)
            case Arithmetic():
                yield from elements_among(part.operator, scope.types(part.left), scope.types(part.right))
            case Comparison():
                yield from self._comparison(part, scope)
            case Constant():
                yield from constant_problems(part.value)
            case Comprehension() | Quantifier() | CollectMatches():
                self.has_lists = True

    def _comparison(self, part: Comparison, scope: Scope) -> Iterator[str]:
        types = [scope.types(part.left), scope.types(part.right)]
        if part.ignore_case and part.operator not in _TEXT_OPERATORS:
            yield f"ignore_case does not apply to {part.operator!r}"
        if part.operator == "matches":
            yield from pattern_problems(part.right)
        if part.operator in {"=", "!="}:
            yield from mixed_elements(part.operator, types)
        else:
            yield from elements_among(part.operator, *(types[1:] if part.operator == "in" else types))

    def _element(self, part: Property | HasKind | RelationshipType, scope: Scope) -> Iterator[str]:
        if part.variable not in scope.variables:
            yield unknown_variable(part.variable, scope)
            return
        types = scope.variables[part.variable]
        wanted = {Property: ELEMENTS, HasKind: {ValueType.NODE}, RelationshipType: {ValueType.RELATIONSHIP}}[type(part)]
        if not types.names or not types.names <= wanted:
            yield f"{part.variable!r} is not a {' or '.join(sorted(wanted))}"
        elif isinstance(part, HasKind) and not self._has_kind(part.kind):
            yield unknown("kind", part.kind, self._schema.kinds)
        elif isinstance(part, Property):
            is_node = types.only(ValueType.NODE)
            described = self._schema.kinds if is_node else self._schema.relationships
            holders = {name: one.properties for name, one in described.items()}
            if not any(part.key in properties for properties in holders.values()):
                if not self._strict and not self._schema.withholds(part.key):
                    return
                yield unknown("property", part.key, {key for properties in holders.values() for key in properties})
            elif self._strict and types.kinds:
                yield from foreign_property(part.key, types.kinds, holders)

    def _has_kind(self, kind: str) -> bool:
        """Return whether a kind exists; the empty kind stands for nodes without one, so no node has it."""
        return bool(kind) and kind in self._schema.kinds


def _repeated_names(columns: Sequence[Column | Aggregate], place: str) -> _Problems:
    names = [column.name for column in columns]
    repeated = (name for name in dict.fromkeys(names) if names.count(name) > 1)
    yield from ((place, f"two columns are named {name!r}; rename one") for name in repeated)


def _place(location: tuple[int | str, ...]) -> str:
    return ".".join(json_place(location)) or "plan"
