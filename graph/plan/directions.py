"""Find the relationship patterns of a plan that nothing in the graph can match.

Such a plan runs, and the patterns match nothing, as in Cypher; but whoever wrote it likely confused the ends.
"""

from collections.abc import Iterator
from typing import Any

from graph.plan.algebra import Match, Plan, RelationshipPattern, Step, Subquery, Union
from graph.plan.content_types import converted_step
from graph.plan.schema import GraphSchema
from graph.plan.scope import Scope
from graph.plan.scoped_traversal import walk_in_scope
from shared.errors import InvalidInputError


def impossible_relationships(plan: Plan, schema: GraphSchema) -> list[str]:
    """Describe the relationships whose types never connect nodes of these kinds in this direction.

    Args:
        plan: A plan that has been checked.
        schema: The schema of the graph.

    Returns:
        For each one, its place in the plan's JSON, what the graph lacks, and whether it has the other direction.
    """
    return list(_in_plan(plan, schema, ""))


def refuse_impossible_relationships(plan: Plan, schema: GraphSchema) -> None:
    """Raise InvalidInputError for the first relationship that nothing can match, where a plan should mean something."""
    for problem in _in_plan(plan, schema, ""):
        raise InvalidInputError(problem)


def _in_plan(plan: Plan, schema: GraphSchema, path: str) -> Iterator[str]:
    scope = Scope(schema)
    for number, step in enumerate(plan.steps):
        place = f"{path}steps.{number}"
        if isinstance(step, Union):
            for index, part in enumerate(step.plans):
                yield from _in_plan(part, schema, f"{place}.plans.{index}.")
        else:
            yield from _in_step(step, scope, place)
        scope = scope.after(converted_step(step, scope))


def _in_step(step: Step, scope: Scope, place: str) -> Iterator[str]:
    if isinstance(step, Match):
        yield from _in_match(step, scope, place)
    else:
        yield from _in_expressions(step, scope, place)


def _in_match(match: Match, scope: Scope, place: str) -> Iterator[str]:
    inner = scope.within(match)
    for number, link in enumerate(match.relationships):
        if problem := _problem(link, inner):
            yield f"{place}.relationships.{number}: {problem}"
    if match.where is not None:
        yield from _in_expressions(match.where, inner, f"{place}.where")


def _in_expressions(part: Any, scope: Scope, place: str) -> Iterator[str]:
    for found, one, seen in walk_in_scope(part, place, scope):
        if isinstance(one, Subquery):
            yield from _in_match(one.match, seen, f"{found}.match")


def _problem(link: RelationshipPattern, scope: Scope) -> str:
    """Return what the graph does not have; an empty string if the relationship is possible."""
    sources, targets = (scope.variables[end].kinds for end in (link.source, link.target))
    if scope.schema is None or not link.types or not sources or not targets:
        return ""
    ends = {pair for type_ in link.types for pair in scope.schema.relationships[type_].ends}
    pairs = {(source, target) for source in sources for target in targets}
    reverse = {(target, source) for source, target in pairs}
    if not ends or pairs & ends or (link.direction == "both" and reverse & ends):
        return ""
    types, source, target = "|".join(link.types), "/".join(sorted(sources)), "/".join(sorted(targets))
    hint = "; exchange source and target" if reverse & ends else ""
    return f"no {types} relationship goes from {source} to {target}{hint}"
