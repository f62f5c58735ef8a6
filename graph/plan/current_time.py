"""Replace the current time in a plan by the time of the request."""

from typing import Any

from graph.plan.algebra import Call, Constant, Function, Plan
from graph.plan.traversal import rewrite
from shared.request_context import request_time


def with_current_time(plan: Plan) -> Plan:
    """Replace `now` and `today` by constants, so that all queries of a request use the same time."""
    moment = request_time()

    def constant(part: Any) -> Constant | None:
        match part:
            case Call(function=Function.NOW, arguments=()):
                return Constant(moment)
            case Call(function=Function.TODAY, arguments=()):
                return Constant(moment.date())
        return None

    return rewrite(plan, constant)
