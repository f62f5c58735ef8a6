"""Refuse plans that would build or visit too many items of lists, by the counts in the schema.

A store cannot end the evaluation of one expression, and its lists need memory: three loops within each other over a
thousand collected values visit a billion items, and may keep them.
"""

import math
from collections.abc import Iterator

from graph.plan.algebra import Expression, Filter, Group, Loop, Match, Order, Plan, Project, Step, Union, Unnest
from graph.plan.expression_sizes import Shape, visits_of
from graph.plan.schema import GraphSchema
from graph.plan.size_estimates import TableEstimate
from graph.plan.traversal import walk
from shared.errors import InvalidInputError

MAX_ITEMS = 1_000_000
"""The most items that one expression may visit, or a list with the lists in it may hold."""
MAX_VISITS = 100_000_000
"""The most items that one expression may visit in all rows together."""


def check_lists(plan: Plan, schema: GraphSchema) -> None:
    """Check the sizes of lists in a plan whose names have been checked; raise InvalidInputError if one is too large."""
    _checked(plan, schema, "")


def _checked(plan: Plan, schema: GraphSchema, path: str) -> None:
    table = TableEstimate(schema)
    for number, step in enumerate(plan.steps):
        place = f"{path}steps.{number}"
        if isinstance(step, Union):
            for index, part in enumerate(step.plans):
                _checked(part, schema, f"{place}.plans.{index}.")
        seen = table.matched(step) if isinstance(step, Match) else table
        for value in _expressions(step):
            _check_visits(value, visits_of(value, seen.shapes(), schema), seen.rows, place)
        table = table.after(step)
        for name, one in table.variables.items():
            _check_shape(name, one.shape, place)


def _expressions(step: Step) -> Iterator[Expression]:
    match step:
        case Match(where=condition) if condition is not None:
            yield condition
        case Filter():
            yield step.condition
        case Project():
            yield from (one.value for one in step.columns)
        case Group():
            yield from (one.value for one in step.keys)
            yield from (one.value for one in step.aggregates if one.value is not None)
        case Order():
            yield from (one.value for one in step.keys)
        case Unnest():
            yield step.items


def _check_visits(value: Expression, visits: float, rows: float, place: str) -> None:
    if visits > MAX_ITEMS:
        raise InvalidInputError(
            f"{place}: loops over lists would visit about {_shown(visits)} items for each row, more than "
            f"{MAX_ITEMS:,}; collect fewer values, or use fewer loops within each other"
        )
    # A long constant list is no loop: a store looks up what it contains.
    if visits * rows > MAX_VISITS and any(isinstance(part, Loop) for part in walk(value)):
        raise InvalidInputError(
            f"{place}: loops over lists would visit about {_shown(visits)} items for each of about {_shown(rows)} "
            f"rows, more than {MAX_VISITS:,} together; start from fewer rows, or collect fewer values"
        )


def _check_shape(name: str, shape: Shape, place: str) -> None:
    if len(shape) > 1 and math.prod(shape) > MAX_ITEMS:
        sizes = " times ".join(map(_shown, shape))
        raise InvalidInputError(
            f"{place}: the lists in {name!r} would hold about {sizes} items, more than {MAX_ITEMS:,}; collect fewer "
            "values, or no lists within lists"
        )


def _shown(number: float) -> str:
    return f"{min(number, 1e30):,.0f}"
