"""Collect the evidence for the rows of a plan's result."""

import logging
from dataclasses import dataclass

from contracts.answers import Evidence, ReplyWarning
from graph.plan.algebra import Plan
from graph.plan.result import PlanResult
from graph.plan.text_order import showing_stored_texts
from graph.store import GraphStore
from services.retriever.execution.namesakes import namesake_labels
from services.retriever.execution.path_evidence import has_paths, path_evidence
from services.retriever.execution.stages import stages
from services.retriever.execution.support import Support
from services.retriever.execution.tracing import Tracer
from shared.errors import InvalidInputError, RefusedError

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CollectedEvidence:
    """Hold the evidence for a result.

    Attributes:
        items: The evidence. If there are no rows, the only item states why.
        of_rows: For each row, the indexes of its items; empty for rows beyond the limit.
        warnings: What the reader of the result should know, such as ties at a limit.
    """

    items: list[Evidence]
    of_rows: list[list[int]]
    warnings: list[ReplyWarning]


async def collect_evidence(store: GraphStore, plan: Plan, result: PlanResult, max_items: int) -> CollectedEvidence:
    """Find the facts behind the first `max_items` rows of a result, and state them as text.

    The evidence of a row lists the matches that the row follows from, the properties that the plan reads, what was
    counted, the patterns that must not match, and the runner-up of a sort with a limit.

    Raises:
        DependencyError: The graph store does not respond.
    """
    if max_items and has_paths(plan):
        return await _of_paths(store, plan, result, max_items)
    schema = await store.schema()
    rows = [dict(zip(result.columns, row, strict=True)) for row in result.rows[:max_items]]
    plan = showing_stored_texts(plan, schema)  # the rows are found again by the values that they show
    tracer = Tracer(store, schema, [Support() for _ in rows])
    items: list[Evidence] = []
    try:
        if max_items and not result.rows:
            items.append(Evidence(triples=[], text=await tracer.emptiness(stages(plan))))
        if max_items:
            await tracer.trace(stages(plan), [(row, {place}) for place, row in enumerate(rows)])
    except (InvalidInputError, RefusedError) as error:
        tracer.warnings.append(_incomplete(error))
    labels = await namesake_labels(store, [node for support in tracer.supports for node in support.nodes])
    of_rows: list[list[int]] = [[] for _ in result.rows]
    for place, support in enumerate(tracer.supports):
        if (item := support.item(labels)) is not None:
            of_rows[place].append(len(items))
            items.append(item)
    return CollectedEvidence(items, of_rows, tracer.warnings)


async def _of_paths(store: GraphStore, plan: Plan, result: PlanResult, max_items: int) -> CollectedEvidence:
    try:
        return CollectedEvidence(*await path_evidence(store, plan, result, max_items), [])
    except (InvalidInputError, RefusedError) as error:
        return CollectedEvidence([], [[] for _ in result.rows], [_incomplete(error)])


def _incomplete(error: InvalidInputError | RefusedError) -> ReplyWarning:
    """Warn that the evidence takes too much time, or too large a plan."""
    log.info("the evidence is incomplete: %s", error.detail)
    text = "Some of the evidence is missing, because it would take too long to find."
    return ReplyWarning(kind="incomplete_evidence", text=text)
