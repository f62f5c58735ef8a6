"""Build the plans that find the facts behind the rows of a result.

A result row follows from matches of the patterns in its plan, which are its witnesses. A witness plan consists of the
steps before the last `project` or `group`, restricted to the result's rows, and returns the matches themselves.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Column,
    Comparison,
    Constant,
    CountMatches,
    Exists,
    Expression,
    Group,
    IsMissing,
    Match,
    NodePattern,
    Order,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    RelationshipType,
    Slice,
    SortKey,
    Step,
    Variable,
)
from graph.plan.traversal import rewrite, walk
from services.retriever.execution.read_properties import read_properties
from services.retriever.execution.restriction import Target, can_restrict, restricted
from services.retriever.execution.stages import Stage, TestedPattern, names_in, patterns, variables_after


@dataclass(frozen=True, slots=True)
class PropertyFact:
    """Read a property of a node or relationship from `column`, if the column `condition` is true or None."""

    read: Property
    column: str
    condition: str | None = None


@dataclass(frozen=True, slots=True)
class RelationshipFact:
    """Read a relationship from the column `relationship`, and its ends from `source` and `target`.

    The ends are exchanged if `is_reversed` names a column that is false.
    """

    relationship: str
    source: str
    target: str
    is_forward: str | None = None


@dataclass(frozen=True, slots=True)
class WitnessPlan:
    """A plan for the witnesses of some rows.

    Attributes:
        plan: Returns at most `limit` distinct witnesses per row.
        count: Returns the number of distinct witnesses per row in the column `number`, and how many nodes,
            relationships, or values each variable has among them.
        number: A column of `count`.
        distinct: The columns of `count` that hold the number of different values, keyed by variable.
        valued: The columns of `count` that hold the number of witnesses with a value, keyed by the column of each
            property that the stage aggregates.
        keys: The columns that identify a row, keyed by the column of the result.
        relationships: How to read relationships from a witness.
        properties: How to read properties from a witness.
        holds: The columns that tell whether each tested pattern matches.
        numbers: The columns with the number of its matches; None for a pattern whose number is not of interest.
    """

    plan: Plan
    count: Plan
    number: str
    distinct: Mapping[str, str]
    valued: Mapping[str, str]
    keys: Mapping[str, str]
    relationships: tuple[RelationshipFact, ...]
    properties: tuple[PropertyFact, ...]
    holds: tuple[str, ...]
    numbers: tuple[str | None, ...]

    @property
    def has_facts(self) -> bool:
        """Return whether the witnesses state facts."""
        return bool(self.relationships or self.properties)

    def column_of(self, value: Expression | None) -> str | None:
        """Return the column with the value of a property; None for other expressions."""
        if not isinstance(value, Property):
            return None
        read = (fact for fact in self.properties if (fact.read.variable, fact.read.key) == (value.variable, value.key))
        return next((fact.column for fact in read), None)


def witness_plan(stage: Stage, targets: Sequence[Target], limit: int, tested: Sequence[TestedPattern]) -> WitnessPlan:
    """Build the witness plan for the rows `targets` that a stage returns.

    Witnesses that have the values of the stage's aggregates come first.

    Args:
        stage: The stage; all relationships in its patterns have variables.
        targets: The rows.
        limit: The maximum number of witnesses per row.
        tested: The patterns that the stage tests.
    """
    return _of_stage(stage, targets, limit, tested)


def extremes_plan(
    stage: Stage, targets: Sequence[Target], limit: int, tested: Sequence[TestedPattern], extreme: Aggregate
) -> WitnessPlan | None:
    """Build the plan for the witnesses that have a minimum or maximum; None if it cannot look for its value.

    Its columns are those of `witness_plan`, and the value of the aggregate as a further key.
    """
    if extreme.value is None or not can_restrict(extreme.value, [target[extreme.name] for target in targets]):
        return None
    return _of_stage(stage, targets, limit, tested, extreme)


def _of_stage(
    stage: Stage,
    targets: Sequence[Target],
    limit: int,
    tested: Sequence[TestedPattern],
    extreme: Aggregate | None = None,
) -> WitnessPlan:
    columns = _key_columns(stage, targets)
    more = {extreme.name: extreme.value} if extreme and extreme.value else {}
    steps = restricted(stage, columns | more, targets)
    read = (*stage.steps, stage.closing, *_before_closing(stage))
    values = tuple(one.value for one in stage.closing.aggregates) if isinstance(stage.closing, Group) else ()
    sought = _Sought(steps, variables_after(steps), patterns(stage), read, columns, limit, tested, values, more)
    return _built(sought)


def matches_plan(stage: Stage, targets: Sequence[Target], limit: int, tested: TestedPattern) -> WitnessPlan:
    """Build the plan for the matches of a pattern that a stage tests; see `witness_plan`."""
    columns = _key_columns(stage, targets)
    steps = (*restricted(stage, columns, targets), tested.match)
    used = names_in(tested.match)
    variables = tuple(name for name in variables_after(steps) if name in used)
    return _built(_Sought(steps, variables, [tested.match], (tested.match,), columns, limit))


@dataclass(frozen=True, slots=True)
class _Sought:
    """Describe the result of a witness plan.

    Attributes:
        steps: The steps whose rows are the witnesses.
        variables: The variables of a witness.
        matches: The patterns whose relationships are facts.
        read: The parts of the plan whose properties are facts.
        columns: The expressions that identify a row, keyed by the column of the result.
        limit: The maximum number of witnesses per row.
        tested: The patterns of which a witness states whether they match.
        aggregated: The values that the stage aggregates.
        last_columns: Further columns that identify a row, whose names do not change those of the others.
    """

    steps: tuple[Step, ...]
    variables: tuple[str, ...]
    matches: Sequence[Match]
    read: tuple[Any, ...]
    columns: Mapping[str, Expression]
    limit: int
    tested: Sequence[TestedPattern] = ()
    aggregated: tuple[Expression | None, ...] = ()
    last_columns: Mapping[str, Expression] = field(default_factory=dict)


def _built(sought: _Sought) -> WitnessPlan:
    names = _Names({*variables_after(sought.steps)})
    keys = {name: names.new() for name in sought.columns}
    reads = [one for one in read_properties(sought.read) if one.read.variable in sought.variables]
    properties = tuple(PropertyFact(one.read, names.new(), names.new() if one.condition else None) for one in reads)
    links = [link for match in sought.matches for link in match.relationships if link.variable]
    facts = tuple(_relationship_fact(link, names) for link in links)
    holds = tuple(names.new() for _ in sought.tested)
    projected = [Column(keys[name], value) for name, value in sought.columns.items()]
    projected += [Column(name, Variable(name)) for name in sought.variables]
    projected += [Column(fact.column, fact.read) for fact in properties]
    conditions = zip((fact.condition for fact in properties), (one.condition for one in reads), strict=True)
    projected += [Column(name, condition) for name, condition in conditions if name and condition]
    ends = zip((fact.is_forward for fact in facts), links, strict=True)
    projected += [Column(name, _is_forward(link, names)) for name, link in ends if name]
    projected += [Column(name, Exists(one.match)) for name, one in zip(holds, sought.tested, strict=True)]
    number, distinct = names.new(), {name: names.new() for name in sought.variables}
    valued = {column: names.new() for column in _aggregated_columns(sought.aggregated, properties)}
    numbers = tuple(names.new() if one.is_counted else None for one in sought.tested)
    projected += [
        Column(name, CountMatches(one.match)) for name, one in zip(numbers, sought.tested, strict=True) if name
    ]
    last = {name: names.new() for name in sought.last_columns}
    projected += [Column(last[name], value) for name, value in sought.last_columns.items()]
    rows = (*sought.steps, Project(tuple(projected), distinct=True))
    keys |= last
    counts = [Aggregate(number, AggregateFunction.COUNT)]
    counts += [Aggregate(column, AggregateFunction.COUNT, Variable(name), True) for name, column in distinct.items()]
    counts += [Aggregate(column, AggregateFunction.COUNT, Variable(name)) for name, column in valued.items()]
    counted = Group(tuple(Column(name, Variable(name)) for name in keys.values()), tuple(counts))
    cut = Slice(sought.limit, per=tuple(keys.values()))
    first = (Order(tuple(SortKey(IsMissing(Variable(name))) for name in valued)),) if valued else ()
    plan, count = Plan((*rows, *first, cut)), Plan((*rows, counted))
    return WitnessPlan(plan, count, number, distinct, valued, keys, facts, properties, holds, numbers)


def _relationship_fact(link: RelationshipPattern, names: "_Names") -> RelationshipFact:
    is_forward = names.new() if link.direction == "both" else None
    return RelationshipFact(link.variable or "", link.source, link.target, is_forward)


def _aggregated_columns(values: Sequence[Expression | None], properties: Sequence[PropertyFact]) -> list[str]:
    """Return the columns of the properties that are aggregated."""
    read = {(part.variable, part.key) for part in walk(tuple(values)) if isinstance(part, Property)}
    return [fact.column for fact in properties if (fact.read.variable, fact.read.key) in read]


class _Names:
    """Create column names that are not in use."""

    def __init__(self, used: set[str]) -> None:
        self._used, self._number = used, 0

    def new(self) -> str:
        while (name := f"w{self._number}") in self._used:
            self._number += 1
        self._used.add(name)
        return name


def _key_columns(stage: Stage, targets: Sequence[Target]) -> dict[str, Expression]:
    """Return the columns by which the rows are recognised."""
    return {name: value for name, value in stage.columns.items() if all(name in target for target in targets)}


def _before_closing(stage: Stage) -> tuple[Any, ...]:
    """Return what the steps after `closing` read, in terms of the variables before it."""
    columns = {name: value for name, value in stage.columns.items() if isinstance(value, Variable)}

    def replacement(part: Any) -> Any:
        if isinstance(part, Property):
            known = columns.get(part.variable)
            return replace(part, variable=known.name) if known else Constant(None)
        return None

    return tuple(rewrite(step, replacement) for step in stage.after)


def _is_forward(link: RelationshipPattern, names: _Names) -> Expression:
    """Test whether a relationship that matches in both directions leads from `source` to `target`.

    The types are a condition, because a pattern with types is invalid if they never lead in this direction.
    """
    variable = names.new()
    has_type = Comparison("in", RelationshipType(variable), Constant(link.types)) if link.types else None
    nodes = (NodePattern(link.source), NodePattern(link.target))
    return Exists(Match(nodes, (RelationshipPattern(link.source, link.target, variable=variable),), has_type))
