"""Read properties that a graph lacks as missing values, as Cypher does, and say which ones they are.

A plan that someone writes should not have them, because they are more likely misspelled than meant.
"""

from typing import Any

from graph.plan.algebra import Constant, Plan, Property
from graph.plan.part_checks import unknown
from graph.plan.schema import GraphSchema
from graph.plan.scope import Scope
from graph.plan.scoped_rewriting import rewrite_plan
from graph.plan.values import ValueType
from shared.errors import InvalidInputError


def with_known_properties(plan: Plan, schema: GraphSchema) -> tuple[Plan, tuple[str, ...]]:
    """Replace the properties that a graph lacks by missing values.

    Args:
        plan: A plan that has been checked.
        schema: The schema of the graph.

    Returns:
        The plan, and a warning for each unknown property, with similar names.
    """
    problems: dict[str, None] = {}

    def replacement(part: Any, scope: Scope) -> Constant | None:
        if not isinstance(part, Property):
            return None
        is_node = scope.variables[part.variable].only(ValueType.NODE)
        known = schema.node_keys if is_node else schema.relationship_keys
        if part.key in known:
            return None
        problems[unknown("property", part.key, known)] = None
        return Constant(None)

    known_only = rewrite_plan(plan, Scope(schema), replacement)
    return known_only, tuple(problems)


def refuse_unknown_properties(plan: Plan, schema: GraphSchema) -> None:
    """Raise InvalidInputError for the first property that a graph lacks, where a plan should mean something."""
    _, problems = with_known_properties(plan, schema)
    for problem in problems:
        raise InvalidInputError(problem)
