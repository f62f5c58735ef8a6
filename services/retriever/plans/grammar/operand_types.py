"""State which types operators can compare, and which values of a question fit a type."""

from dataclasses import dataclass

from graph.plan.values import ValueType
from services.retriever.plans.grammar.actions import Op
from services.retriever.plans.schema.value_types import DATES, NUMBERS, SIZED

_ORDERED = NUMBERS | DATES | {ValueType.STRING}
COMPARED = {
    Op.LESS: _ORDERED, Op.AT_MOST: _ORDERED, Op.GREATER: _ORDERED, Op.AT_LEAST: _ORDERED, Op.BETWEEN: _ORDERED,
    Op.WITHIN: _ORDERED,
    Op.EQUAL: _ORDERED | {ValueType.LIST}, Op.UNEQUAL: _ORDERED | {ValueType.LIST}, Op.ONE_OF: _ORDERED,
    Op.CONTAINS: SIZED,
    Op.STARTS_WITH: frozenset((ValueType.STRING,)), Op.ENDS_WITH: frozenset((ValueType.STRING,)),
}  # fmt: skip
"""The types that each operator can compare."""

AGGREGATE_TYPES = {
    Op.COUNT_ROWS: ValueType.INTEGER, Op.COUNT: ValueType.INTEGER, Op.COUNT_DISTINCT: ValueType.INTEGER,
    Op.SUM: ValueType.FLOAT, Op.AVERAGE: ValueType.FLOAT, Op.COLLECT: ValueType.LIST,
}  # fmt: skip
"""The types of the aggregates whose type does not depend on what they read."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """Say which values of the question may follow: those that can be compared with a type, or the periods."""

    type: ValueType | None
    periods: bool = False

    def accepts(self, types: frozenset[ValueType], is_period: bool) -> bool:
        """Return whether a value may follow."""
        if self.periods:
            return is_period
        return self.type in types if self.type is not None else not is_period
