from contracts.ask import AskResponse
from contracts.examples import ASK_EXAMPLE, PLAN_EXAMPLE
from contracts.plans import PlanRequest, QueryPlan


def test_the_examples_of_the_openapi_documents_are_valid() -> None:
    reply = AskResponse.model_validate(ASK_EXAMPLE)
    assert isinstance(reply.plan, QueryPlan)
    for steps in (PLAN_EXAMPLE["steps"], reply.plan.steps):
        assert PlanRequest.model_validate({"plan": {"steps": steps}}).plan.steps
