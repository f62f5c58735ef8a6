"""Run the plans that answer questions, so that no row of the answer is lost."""

from collections.abc import Set
from dataclasses import dataclass, replace

from graph.plan.algebra import Order, Plan, Project, Slice
from graph.plan.result import PlanResult
from graph.store import GraphStore
from services.retriever.plans.rewriting.owners import has_several_owners, with_owners
from services.retriever.plans.rewriting.ties import with_ties

MAX_ROWS = 2_000  # longer lists are cut


@dataclass(frozen=True, slots=True)
class AnswerPlan:
    """Hold a plan with its result.

    Attributes:
        plan: The plan, without the limit on its rows.
        result: What it gives; with all rows that tie for the first place, if it takes only one.
        tied: The plan that gives the rows that tie; None if none do.
    """

    plan: Plan
    result: PlanResult
    tied: Plan | None = None


async def run_for_answers(store: GraphStore, plan: Plan, names: Set[str] | None = None) -> AnswerPlan:
    """Run a plan for the answers to a question.

    Args:
        store: The graph.
        plan: The plan.
        names: The properties that name nodes; without them, the rows of listed properties do not get their owners.

    Raises:
        KGQAError: As `GraphStore.run`.
    """
    owned = None if names is None else with_owners(plan, names)
    if owned is not None:
        result = await store.run(cut(owned), MAX_ROWS)
        if has_several_owners(result) and len(result.rows) < MAX_ROWS:
            return AnswerPlan(owned, result)
    plan = distinct_rows(plan)
    return await with_all_ties(store, plan, await store.run(cut(plan), MAX_ROWS))


async def with_all_ties(store: GraphStore, plan: Plan, result: PlanResult) -> AnswerPlan:
    """Return a plan that ran, with the rows that tie with the one row that it takes.

    Raises:
        KGQAError: As `GraphStore.run`.
    """
    tied = await with_ties(store, plan) if result.rows else None
    if tied is not None:
        whole = await store.run(cut(tied), MAX_ROWS)
        if len(whole.rows) > len(result.rows):
            return AnswerPlan(plan, whole, tied)
    return AnswerPlan(plan, result)


def cut(plan: Plan) -> Plan:
    """Return a plan that gives each row once, and at most `MAX_ROWS` rows."""
    return Plan((*distinct_rows(plan).steps, Slice(MAX_ROWS)))


def distinct_rows(plan: Plan) -> Plan:
    """Return a plan that gives each row once."""
    *before, last = plan.steps
    if isinstance(last, Project) and not any(isinstance(step, Order | Slice) for step in before):
        last = replace(last, distinct=True)
    return Plan((*before, last))
