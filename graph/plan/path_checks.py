"""Check the steps of a query plan that find paths."""

from collections.abc import Iterator

from graph.plan.algebra import Loop, ShortestPaths, Subquery
from graph.plan.limits import MAX_PATH_LENGTH, MAX_PATHS
from graph.plan.part_checks import unknown, unknown_variable
from graph.plan.schema import GraphSchema
from graph.plan.scope import Scope
from graph.plan.traversal import walk
from graph.plan.values import ValueType
from shared.text import shown


def path_problems(step: ShortestPaths, scope: Scope, schema: GraphSchema, place: str) -> Iterator[tuple[str, str]]:
    """Find ends that are no nodes, names that exist already or not at all, and limits that the step exceeds.

    Args:
        step: The step.
        scope: The variables of the rows that the step extends.
        schema: What the graph contains.
        place: The place of the step in the plan's JSON.

    Yields:
        Places in the JSON of the plan, and what is wrong there.
    """
    for field, end in (("source", step.source), ("target", step.target)):
        if end not in scope.variables:
            yield f"{place}.{field}", unknown_variable(end, scope)
        elif scope.variables[end].names != {ValueType.NODE}:
            yield f"{place}.{field}", f"{shown(end)} is not a node"
    if step.source == step.target:
        yield f"{place}.target", "the ends of a path are the same variable; choose two nodes"
    yield from _new_names(step, scope, place)
    for number, type_ in enumerate(step.types):
        if type_ not in schema.relationships:
            yield f"{place}.types.{number}", unknown("relationship type", type_, schema.relationships)
    for number, kind in enumerate(step.kinds):
        if not kind or kind not in schema.kinds:
            yield f"{place}.kinds.{number}", unknown("kind", kind, schema.kinds)
    for field, value, most in (
        ("max_length", step.max_length, MAX_PATH_LENGTH),
        ("limit", step.limit, MAX_PATHS),
    ):
        if not 1 <= value <= most:
            yield f"{place}.{field}", f"{field} is {value}; choose a number from 1 to {most}"
    if any(isinstance(part, Subquery | Loop) for part in walk(step.where)):
        yield f"{place}.where", "the condition of a path reads properties and kinds of a node, and no patterns or lists"


def _new_names(step: ShortestPaths, scope: Scope, place: str) -> Iterator[tuple[str, str]]:
    fields = ("rank", "nodes", "relationships", "degrees", "node")
    taken = set(scope.variables)
    for field, name in zip(fields, (*step.columns, step.node), strict=True):
        if name in taken:
            yield f"{place}.{field}", f"the variable {shown(name)} exists already; choose a new name"
        taken.add(name)
