"""Write a plan as a Cypher query, as a person would write it, for a language model to learn."""

from collections.abc import Sequence
from itertools import starmap

from graph.cypher.unsupported import UnsupportedCypherError
from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Column,
    Expression,
    Filter,
    Group,
    IsMissing,
    Match,
    Not,
    Order,
    Plan,
    Project,
    Property,
    Slice,
    Step,
)
from graph.plan.required_properties import needed_properties
from graph.plan.schema import GraphSchema
from graph.plan.traversal import walk
from services.retriever.strategies.pruned_schema import identifier
from training.cypher.expressions import ExpressionWriter, uses_of

_AGGREGATES = {AggregateFunction.AVERAGE: "avg"}


def write_cypher(plan: Plan, schema: GraphSchema) -> str:
    """Write a plan as one line of Cypher; `graph.cypher.reader.read_cypher` reads it back as an equivalent plan.

    Where a result is sorted by a property that some nodes lack, the query leaves these out, since Cypher would put them
    first or last, and plans put them last.

    Args:
        plan: The plan, with the names of the schema.
        schema: The schema, which tells how values are stored.

    Raises:
        UnsupportedCypherError: The plan has a step or an expression that the writer does not know.
    """
    return " ".join(_QueryWriter(schema, plan).clauses(plan.steps))


class _QueryWriter:
    """Turn steps into clauses; a projection waits for what sorts and cuts it."""

    def __init__(self, schema: GraphSchema, plan: Plan) -> None:
        self._expressions = ExpressionWriter(schema, uses_of(list(walk(plan))))
        self._clauses: list[str] = []
        self._columns = ""
        """The columns of the projection that waits, with DISTINCT."""
        self._end = ""
        """ORDER BY and LIMIT after the projection that waits or comes."""
        self._variables: list[str] = []

    def clauses(self, steps: Sequence[Step]) -> list[str]:
        for place, step in enumerate(steps):
            match step:
                case Match():
                    self._flush()
                    self._clauses.append(self._expressions.match(step))
                    self._variables += [node.variable for node in step.nodes if node.variable not in self._variables]
                    self._variables += [link.variable for link in step.relationships if link.variable]
                case Project() | Group():
                    self._project(step)
                case Filter():
                    self._filter(step.condition)
                case Order():
                    self._order(step, is_cut=any(isinstance(one, Slice) for one in steps[place + 1 : place + 2]))
                case Slice(per=()):
                    skip = f" SKIP {step.offset}" if step.offset else ""
                    self._end += f"{skip} LIMIT {step.limit}"
                case _:
                    raise UnsupportedCypherError(f"{type(step).__name__} is not written as Cypher")
        return [*self._clauses, f"RETURN {self._columns or self._all_variables()}{self._end}"]

    def _all_variables(self) -> str:
        return ", ".join(identifier(name) for name in self._variables if name in self._expressions.named)

    def _flush(self) -> None:
        """Write the projection that waits, or the order and the limit that come before one."""
        if self._columns or self._end:
            self._clauses.append(f"WITH {self._columns or self._all_variables()}{self._end}")
        self._columns = self._end = ""

    def _project(self, step: Project | Group) -> None:
        if isinstance(step, Group) or step.distinct or self._columns:
            self._flush()
        columns = step.columns if isinstance(step, Project) else step.keys
        aggregates: tuple[Aggregate, ...] = step.aggregates if isinstance(step, Group) else ()
        written = [self._column(one) for one in columns] + [self._aggregate(one) for one in aggregates]
        distinct = (isinstance(step, Project) and step.distinct) or (not aggregates and isinstance(step, Group))
        self._columns = ("DISTINCT " if distinct else "") + ", ".join(written)
        self._variables = [*(one.name for one in columns), *(one.name for one in aggregates)]
        self._expressions.named |= set(self._variables)

    def _column(self, column: Column) -> str:
        value = self._expressions.value(column.value)
        return value if value == identifier(column.name) else f"{value} AS {identifier(column.name)}"

    def _aggregate(self, one: Aggregate) -> str:
        if one.function in (AggregateFunction.SHORTEST, AggregateFunction.LONGEST):
            raise UnsupportedCypherError("aggregates of durations are not written as Cypher")
        value = "*" if one.value is None else self._expressions.value(one.value)
        name = _AGGREGATES.get(one.function, one.function.value)
        return f"{name}({'DISTINCT ' if one.distinct else ''}{value}) AS {identifier(one.name)}"

    def _filter(self, condition: Expression) -> None:
        text = self._expressions.value(condition)
        if self._columns or self._end:
            self._flush()
            self._clauses[-1] += f" WHERE {text}"
        elif self._clauses[-1].startswith("MATCH") and " OR " not in self._clauses[-1]:
            self._clauses[-1] += f"{' AND' if ' WHERE ' in self._clauses[-1] else ' WHERE'} {text}"
        else:
            self._clauses.append(f"WITH {self._all_variables()} WHERE {text}")

    def _order(self, order: Order, is_cut: bool) -> None:
        if self._end:
            self._flush()
        if is_cut and not self._columns:
            needed = sorted(set().union(*(needed_properties(key.value) for key in order.keys)))
            lacking = [one for one in starmap(Property, needed) if self._expressions.is_optional(one)]
            for one in lacking:
                self._filter(Not(IsMissing(one)))
        keys = [f"{self._expressions.value(key.value)}{' DESC' if key.descending else ''}" for key in order.keys]
        self._end = f" ORDER BY {', '.join(keys)}"
