"""Turn a query that a language model wrote into a plan that is safe to run, or refuse it with a reason.

The text of the query never reaches a database: only what the reader reads as a plan can run, and both stores compile
plans into queries of their own, which read only, hide hidden properties, and have limits on time and rows.
"""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from math import prod

from graph.cypher.reader import read_cypher
from graph.plan.algebra import (
    Comparison,
    Expression,
    Group,
    Match,
    NodePattern,
    Plan,
    Property,
    RelationshipPattern,
    Subquery,
    Variable,
)
from graph.plan.checks import check_plan
from graph.plan.composed_form import with_composed_texts
from graph.plan.directions import refuse_impossible_relationships
from graph.plan.schema import GraphSchema
from graph.plan.size_estimates import node_count
from graph.plan.traversal import conjuncts, walk
from shared.errors import InvalidInputError

MAX_CHARACTERS = 4_000
MAX_PRODUCT = 1_000_000
"""The largest number of combinations of nodes that patterns without a relationship between them may have."""
_TOO_DEEP = "the query is nested too deeply; write a simpler one"


def read_query(query: str) -> Plan:
    """Read a query, as a model wrote it, as a plan that `checked_plan` has yet to check.

    Raises:
        UnsupportedCypherError: The query uses a construct that plans do not express.
        InvalidInputError: The query is not valid Cypher, writes, or exceeds a limit.

    Example:
        >>> read_query("MATCH (f:Film) DETACH DELETE f")
        Traceback (most recent call last):
        ...
        shared.errors.InvalidInputError: cannot read the Cypher query at line 1, column 16; ...
    """
    if len(query) > MAX_CHARACTERS:
        raise InvalidInputError(f"the query is too long; write at most {MAX_CHARACTERS:,} characters")
    try:
        return read_cypher(query)
    except RecursionError:
        raise InvalidInputError(_TOO_DEEP) from None


def checked_plan(plan: Plan, schema: GraphSchema) -> Plan:
    """Check a plan that was read from a query, whose names may have been replaced.

    Args:
        plan: The plan.
        schema: The schema of the graph, without hidden properties.

    Returns:
        The plan with its texts in composed form, which the caller runs with a limit on its rows.

    Raises:
        InvalidInputError: The plan does not fit the schema, or exceeds a limit.
    """
    try:
        plan = with_composed_texts(plan, schema)
        check_plan(plan, schema, strict=True)
        refuse_impossible_relationships(plan, schema)
    except RecursionError:
        raise InvalidInputError(_TOO_DEEP) from None
    for pattern in _patterns(plan):
        _check_product(pattern, schema)
    return plan


@dataclass(frozen=True, slots=True)
class _Pattern:
    """Hold what the matches of a stage have in common: they multiply as if they were one match."""

    nodes: Sequence[NodePattern]
    links: Sequence[RelationshipPattern]
    conditions: Sequence[Expression | None]

    @classmethod
    def of(cls, matches: Sequence[Match]) -> "_Pattern":
        return cls(
            [node for match in matches for node in match.nodes],
            [link for match in matches for link in match.relationships],
            [match.where for match in matches],
        )


@dataclass(frozen=True, slots=True)
class _Equation:
    """Hold what a condition that must hold equates: a variable or its property, with a value of other variables.

    `variable` is "" if the condition is no equation, or an equation of a variable with itself, which is always true.
    """

    variable: str
    others: Set[str]

    @classmethod
    def of(cls, condition: Expression) -> "_Equation":
        match condition:
            case Comparison(operator="=", left=Property(variable=name) | Variable(name=name), right=right):
                others = _variables(right)
                return cls("" if name in others else name, others)
        return cls("", frozenset())


def _variables(expression: Expression) -> frozenset[str]:
    """Return the variables that an expression uses."""
    names = (
        part.variable if isinstance(part, Property) else part.name
        for part in walk(expression)
        if isinstance(part, Property | Variable)
    )
    return frozenset(names)


def _patterns(plan: Plan) -> Iterator[_Pattern]:
    """Yield the patterns of a plan and its subqueries; a group ends a stage, since it combines the rows so far."""
    for part in walk(plan):
        if isinstance(part, Plan):
            stage: list[Match] = []
            for step in part.steps:
                if isinstance(step, Group):
                    yield _Pattern.of(stage)
                    stage = []
                elif isinstance(step, Match):
                    stage.append(step)
            yield _Pattern.of(stage)
        elif isinstance(part, Subquery):
            yield _Pattern.of([part.match])


def _check_product(pattern: _Pattern, schema: GraphSchema) -> None:
    """Refuse patterns that combine too many nodes without a relationship or an equation between them."""
    equations = [_Equation.of(one) for condition in pattern.conditions for one in conjuncts(condition)]
    groups = _connected(pattern, equations)
    fixed = {one.variable for one in equations if one.variable and not one.others & {n.variable for n in pattern.nodes}}
    combinations = prod(_size(nodes, fixed, schema) for nodes in groups)
    if len(groups) > 1 and combinations > MAX_PRODUCT:
        raise InvalidInputError(
            f"the patterns are not connected and have {combinations:,} combinations; connect them by relationships"
        )


def _connected(pattern: _Pattern, equations: Sequence[_Equation]) -> list[list[NodePattern]]:
    """Group the nodes that relationships or equations between them connect."""
    groups = {node.variable: {node.variable} for node in pattern.nodes}
    links = [(link.source, link.target) for link in pattern.links]
    links += [(one.variable, other) for one in equations if one.variable in groups for other in one.others & {*groups}]
    for source, target in links:
        merged = groups.setdefault(source, {source}) | groups.setdefault(target, {target})
        for variable in merged:
            groups[variable] = merged
    distinct = {id(group): group for group in groups.values()}
    return [[node for node in pattern.nodes if node.variable in group] for group in distinct.values()]


def _size(nodes: Sequence[NodePattern], fixed: Set[str], schema: GraphSchema) -> int:
    """Estimate the smallest number of nodes that one node of a group matches; one that equals a value counts as one."""
    return min((1 if node.variable in fixed else node_count(node.kinds, schema) for node in nodes), default=1)
