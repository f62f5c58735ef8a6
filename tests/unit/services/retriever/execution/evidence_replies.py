"""Run plans that tests write as JSON, and read the texts of their evidence."""

from typing import Any

from contracts.plans import PlanRequest, PlanResponse
from graph.plan.checks import read_plan
from graph.store import GraphStore
from services.retriever.execution.plans import run_plan
from tests.support.plan_json import Json


async def reply_to(store: GraphStore, *steps: Json, **more: Any) -> PlanResponse:
    """Run a plan of these steps; `more` holds further fields of the request."""
    return await run_plan(store, PlanRequest(plan=read_plan({"steps": list(steps)}), **more))


def texts_of_rows(reply: PlanResponse) -> list[str]:
    """Return the evidence of each row as one text."""
    return [" ".join(reply.evidence[index].text for index in of_row) for of_row in reply.row_evidence]
