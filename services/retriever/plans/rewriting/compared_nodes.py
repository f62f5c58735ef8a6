"""Answer with the nodes that a question compares with a named one, and not with that one."""

from collections.abc import Iterator

from graph.plan.algebra import Comparison, Plan, Project, Property, Variable
from graph.plan.traversal import rename, walk
from services.retriever.plans.names.asked_question import AskedQuestion
from services.retriever.plans.names.named_nodes import named_nodes

_ORDERS = ("<", "<=", ">", ">=")


def comparisons(plan: Plan) -> Iterator[tuple[Property, str, Property]]:
    """Yield the comparisons of a property of a node with the same one of a node, with the operator between them."""
    for part in walk(plan):
        match part:
            case Comparison(left=Property() as left, right=Property() as right) if part.operator in _ORDERS:
                if left.key == right.key:
                    yield left, part.operator, right


def as_compared(plan: Plan, asked: AskedQuestion) -> Plan:
    """Return a plan that gives the other node of a comparison if its first column is the named node.

    `Which branches opened after Harbour Road?` asks for no branch that the question names.
    """
    *before, last = plan.steps
    first = last.columns[0].value if isinstance(last, Project) and last.columns else None
    named = named_nodes(plan, asked.values)
    if not isinstance(first, Variable) or first.name not in named:
        return plan
    others = {other for other in _compared_with(plan, first.name) if other not in named}
    if len(others) != 1:
        return plan
    return Plan((*before, rename(last, {first.name: others.pop()})))


def _compared_with(plan: Plan, name: str) -> set[str]:
    """Return the nodes of which a property is compared with the same one of a node."""
    pairs = [{left.variable, right.variable} for left, _, right in comparisons(plan)]
    return {other for pair in pairs if name in pair for other in pair - {name}}
