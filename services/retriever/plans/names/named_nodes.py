"""Find the nodes of a plan that a question names."""

from collections.abc import Sequence

from graph.plan.algebra import Comparison, Constant, Match, Plan, Property
from graph.plan.traversal import walk
from language.values import QuestionValue


def named_nodes(part: Plan | Match, values: Sequence[QuestionValue]) -> dict[str, int]:
    """Map the nodes that have a value of the question to where the question has it."""
    places = {text: value.start for value in reversed(values) for text in (value.value, *value.stored.values())}
    wheres = [match.where for match in walk(part) if isinstance(match, Match) and match.where is not None]
    named = [
        (one.left.variable, one.right.value)
        for where in wheres
        for one in walk(where)
        if isinstance(one, Comparison) and one.operator == "=" and isinstance(one.left, Property)
        if isinstance(one.right, Constant)
    ]
    return {variable: places[value] for variable, value in named if value in places}
