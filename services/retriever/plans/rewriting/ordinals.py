"""Read ordinals: `the third largest` is one row, and not the first three."""

from dataclasses import replace

from graph.plan.algebra import Order, Plan, Slice
from services.retriever.plans.names.asked_question import AskedQuestion
from services.retriever.plans.names.ordinals import ordinal_of


def as_ranked(plan: Plan, asked: AskedQuestion) -> Plan:
    """Return a plan that gives the one row that an ordinal asks for, if it orders rows and takes the first ones."""
    ordinal = ordinal_of(asked.question, asked.values)
    orders = [place for place, step in enumerate(plan.steps) if isinstance(step, Order)]
    cuts = [place for place, step in enumerate(plan.steps) if isinstance(step, Slice)]
    if ordinal is None or len(orders) != 1 or len(cuts) != 1:
        return plan
    [cut], number = cuts, ordinal[2]
    step = plan.steps[cut]
    if not isinstance(step, Slice) or step.per or step.limit not in (1, number):
        return plan
    return Plan((*plan.steps[:cut], replace(step, limit=1, offset=number - 1), *plan.steps[cut + 1 :]))
