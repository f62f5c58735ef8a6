"""State why a plan finds nothing."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from graph.plan.algebra import And, Expression, Filter, Match, NodePattern, Plan, RelationshipPattern, Slice, Step
from graph.plan.schema import GraphSchema
from services.retriever.execution.absence import absence_sentence
from services.retriever.execution.readable import readable_expression
from services.retriever.execution.stages import Stage

Run = Callable[[Plan], Awaitable[Sequence[Any]]]
_NOTHING = "Nothing in the graph meets all conditions of the plan."


async def empty_result_sentence(run: Run, plan_stages: Sequence[Stage], schema: GraphSchema) -> str:
    """State why a plan has no rows: what the first of its steps that find nothing look for."""
    for stage in plan_stages:
        if (found := await emptiness_sentence(run, stage, schema)) is not None:
            return found
        for number, step in enumerate(stage.after, 1):
            if isinstance(step, Filter) and not await run(Plan((*stage.closed, *stage.after[:number], Slice(1)))):
                return f"No row meets the condition {readable_expression(step.condition)}."
    return _NOTHING


async def emptiness_sentence(run: Run, stage: Stage, schema: GraphSchema) -> str | None:
    """State that the steps of a stage find nothing; None if they do.

    The first steps that find nothing are stated as one pattern. It has at least their conditions, so it is absent too.
    """
    for number in range(1, len(stage.steps) + 1):
        steps = stage.steps[:number]
        if not await run(Plan((*stage.before, *steps, Slice(1)))):
            pattern = None if stage.before else _merged(steps)
            return (absence_sentence(pattern, {}, schema) if pattern else None) or _NOTHING
    return None if stage.steps else _NOTHING


def _merged(steps: Sequence[Step]) -> Match | None:
    """Return one pattern with all nodes, relationships, and conditions of some steps; None if this is impossible."""
    nodes: dict[str, NodePattern] = {}
    links, conditions = list[RelationshipPattern](), list[Expression]()
    for step in steps:
        if isinstance(step, Match) and not step.optional:
            for node in step.nodes:
                known = nodes.get(node.variable, NodePattern(node.variable))
                kinds = tuple(dict.fromkeys((*known.kinds, *node.kinds)))
                nodes[node.variable] = replace(known, kinds=kinds, ids=known.ids if node.ids is None else node.ids)
            links += step.relationships
            conditions += [step.where] if step.where is not None else []
        elif isinstance(step, Filter):
            conditions.append(step.condition)
        else:
            return None
    return Match(tuple(nodes.values()), tuple(links), And(tuple(conditions)) if conditions else None) if nodes else None
