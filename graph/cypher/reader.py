"""Read a Cypher query as a query plan.

The reader covers the read-only subset that plans express; `UnsupportedCypherError` names everything else. Properties
keep their storage types, as in Cypher, so that a plan gives what the query gives.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

from lark import Lark, Token, Tree, UnexpectedInput

from graph.cypher.durations import is_duration
from graph.cypher.exactness import exact_plan
from graph.cypher.expressions import AggregateCall, ExpressionReader
from graph.cypher.labels import name_of
from graph.cypher.lengths import concatenated
from graph.cypher.projection import Projection
from graph.cypher.unsupported import UnsupportedCypherError
from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Call,
    Column,
    Constant,
    Expression,
    Filter,
    Function,
    Group,
    Order,
    Plan,
    Project,
    Property,
    Slice,
    SortKey,
    Step,
    Union,
    Unnest,
    Variable,
)
from graph.plan.scope import Scope
from graph.plan.traversal import walk
from shared.errors import InvalidInputError

# Functions that may return nodes and relationships.
_OF_ANY = {Function.COALESCE, Function.FIRST, Function.LAST, Function.TAKE}
_GRAMMAR = Path(__file__).with_name("grammar.lark")


def read_cypher(query: str) -> Plan:
    """Translate a Cypher query to a plan.

    Raises:
        UnsupportedCypherError: The query uses a construct that plans do not express.
        InvalidInputError: The query is not valid Cypher, or a clause that writes.

    Example:
        >>> read_cypher("MATCH (m:Movie) RETURN count(m) AS movies").steps[-1].aggregates[0].name
        'movies'
    """
    try:
        tree = _parser().parse(query)
    except UnexpectedInput as error:
        place = f"line {error.line}, column {error.column}" if error.line > 0 else "its end"
        raise InvalidInputError(f"cannot read the Cypher query at {place}; expected a query that only reads") from error
    plan = Plan(_united(query, tree.children, set()))
    if _has_aggregate(plan):
        raise UnsupportedCypherError("aggregates within aggregates, or outside of WITH and RETURN, are not supported")
    return exact_plan(plan)


def _united(text: str, parts: Sequence[Any], durations: set[str]) -> tuple[Step, ...]:
    """Read one query, or several with UNION between them; add the names of the columns that hold durations."""
    plans = []
    for part in parts:
        if isinstance(part, Tree):
            reader = _QueryReader(text)
            plans.append(reader.read(part))
            durations |= reader.durations
    if len(plans) == 1:
        return plans[0].steps
    unions = {str(part).upper().split()[-1] for part in parts if isinstance(part, Token)}
    if len(unions) > 1:
        raise UnsupportedCypherError("UNION and UNION ALL in one query are not supported")
    return (Union(tuple(plans), distinct=unions == {"UNION"}),)


@cache
def _parser() -> Lark:
    return Lark(_GRAMMAR.read_text(encoding="utf-8"), parser="lalr", maybe_placeholders=True, propagate_positions=True)


@dataclass(frozen=True, slots=True)
class _Rest:
    """Hold the ORDER BY, SKIP, LIMIT, and WHERE that follow the columns of a WITH or RETURN clause."""

    keys: list[tuple[Any, bool]]
    slices: list[Slice]
    where: Expression | None


class _QueryReader:
    """Turn the clauses of one query into steps."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._expressions = ExpressionReader(text)
        self._steps: list[Step] = []

    @property
    def durations(self) -> set[str]:
        """Return the names of the columns that hold durations."""
        return self._expressions.durations

    def read(self, query: Tree[Token]) -> Plan:
        clauses = cast(list[Tree[Token]], query.children)
        if "return" in {clause.data for clause in clauses[:-1]}:
            raise InvalidInputError("the Cypher query has a clause after RETURN; write WITH in its place")
        for clause in clauses:
            getattr(self, f"_{clause.data}")(clause.children)
        if clauses[-1].data != "return":
            raise InvalidInputError("the Cypher query does not end with RETURN")
        return Plan(tuple(self._steps))

    def _match(self, children: list[Any]) -> None:
        optional, *patterns, where = children
        self._steps = concatenated(self._steps, self._expressions.matches(patterns, where, optional is not None))

    def _unwind(self, children: list[Any]) -> None:
        name, items = name_of(children[1]), self._expressions.expression(children[0])
        self._expressions.durations.discard(name)
        self._steps.append(Unnest(name, items))

    def _call_clause(self, children: list[Any]) -> None:
        opening, *parts = children
        if self._steps:
            raise UnsupportedCypherError("CALL subqueries after other clauses are not supported")
        if "".join(opening[len("CALL") : -1].split()) not in {"", "()"} or _imports(parts):
            raise UnsupportedCypherError("CALL subqueries that begin with WITH or list variables are not supported")
        self._steps += _united(self._text, parts, self._expressions.durations)

    def _with(self, children: list[Any]) -> None:
        self._project(children)

    def _return(self, children: list[Any]) -> None:
        self._project([*children, None])

    def _project(self, children: list[Any]) -> None:
        distinct, items, order, skip, limit, where = children
        columns = [self._item(item) for item in items.children if isinstance(item, Tree)]
        if len(columns) < len(items.children):
            raise UnsupportedCypherError("RETURN * and WITH * are not supported")
        self._expressions.computed = {name for name, value in columns if self._is_computed(value)}
        durations = {name for name, value in columns if is_duration(value, self._expressions.durations)}
        self._expressions.durations = durations | self._expressions.durations.difference(name for name, _ in columns)
        keys = [self._sort_key(key) for key in order.children] if order is not None else []
        condition = self._expressions.expression(where.children[0]) if where is not None else None
        self._expressions.durations = durations
        rest = _Rest(keys, self._slice(skip, limit), condition)
        if any(_has_aggregate(value) for _, value in columns):
            self._group(columns)
            self._finish(Projection(columns), rest)
        elif distinct is not None:
            self._steps.append(Project(_as_tuple(columns), distinct=True))
            self._finish(Projection(columns), rest)
        else:
            self._project_rows(columns, rest)

    def _finish(self, projection: Projection, rest: "_Rest") -> None:
        """Sort, cut, and filter the columns."""
        self._order([(projection.after(value), down) for value, down in rest.keys])
        self._steps += rest.slices
        if rest.where is not None:
            self._filter(projection.after(rest.where))

    def _project_rows(self, columns: Sequence[tuple[str, Any]], rest: "_Rest") -> None:
        """Sort and cut the rows, and project them; if a clause needs old and new names, both are columns at first."""
        projection = Projection(columns)
        known = Scope(None).after_all(Plan(tuple(self._steps))).variables
        where = projection.after(rest.where) if rest.where is not None else None
        before = [(projection.before(value), down) for value, down in rest.keys]
        if not projection.old_names(where, known) and all(value is not None for value, _ in before):
            self._order(before)
            self._steps += [*rest.slices, Project(_as_tuple(columns))]
            if where is not None:
                self._filter(where)
            return
        used = (*(projection.after(value) for value, _ in rest.keys), where)
        hidden = [(name, Variable(name)) for name in projection.old_names(used, known)]
        self._steps.append(Project(_as_tuple([*columns, *hidden])))
        self._finish(projection, rest)
        if hidden:
            self._steps.append(Project(_as_tuple([(name, Variable(name)) for name, _ in columns])))

    def _filter(self, condition: Expression) -> None:
        if _has_aggregate(condition):
            raise UnsupportedCypherError("WHERE with an aggregate that is not returned is not supported")
        self._steps.append(Filter(condition))

    def _item(self, item: Tree[Token]) -> tuple[str, Any]:
        expression, alias = cast(tuple[Tree[Token], Tree[Token] | Token | None], tuple(item.children))
        meta = expression.meta
        name = name_of(alias) if isinstance(alias, Tree) else self._text[meta.start_pos : meta.end_pos]
        return name, self._expressions.expression(expression)

    def _is_computed(self, value: Any) -> bool:
        """Return whether a column holds a value of which Cypher may read a part."""
        if isinstance(value, AggregateCall):
            return value.function in (AggregateFunction.MIN, AggregateFunction.MAX)
        if isinstance(value, Variable):
            return value.name in self._expressions.computed
        return isinstance(value, Property | Constant) or (isinstance(value, Call) and value.function not in _OF_ANY)

    def _sort_key(self, key: Tree[Token]) -> tuple[Any, bool]:
        value, direction = key.children
        found = self._expressions.expression(value)
        if is_duration(found, self._expressions.durations):
            found = Call(Function.DURATION_LENGTH, (found,))
        return found, isinstance(direction, Token) and direction.type == "DESCENDING"

    def _group(self, columns: Sequence[tuple[str, Any]]) -> None:
        """Group by the columns without aggregates, and compute expressions over aggregates afterward."""
        aggregates: dict[str, tuple[AggregateCall, str]] = {}
        keys = [(name, value) for name, value in columns if not _has_aggregate(value)]
        for name, value in columns:
            if isinstance(value, AggregateCall):
                aggregates.setdefault(repr(value), (value, name))
        for _, value in columns:
            for part in walk(value):
                if isinstance(part, AggregateCall):
                    aggregates.setdefault(repr(part), (part, self._expressions.new_name("aggregate")))
        found = list(aggregates.values())
        calls = tuple(Aggregate(name, call.function, call.value, call.distinct) for call, name in found)
        self._steps.append(Group(_as_tuple(keys), calls))
        grouped = [*keys, *((name, call) for call, name in found)]
        if [name for name, _ in columns] != [name for name, _ in grouped]:
            projection = Projection(grouped)
            results = [(name, projection.over_aggregates(value)) for name, value in columns]
            self._steps.append(Project(_as_tuple(results)))

    def _order(self, keys: Sequence[tuple[Expression, bool]]) -> None:
        if any(_has_aggregate(value) for value, _ in keys):
            raise UnsupportedCypherError("ORDER BY an aggregate that is not returned is not supported")
        if keys:
            # In Cypher, missing values are the largest ones.
            self._steps.append(Order(tuple(SortKey(value, down, missing_first=down) for value, down in keys)))

    def _slice(self, skip: Any, limit: Any) -> list[Slice]:
        counts = [self._expressions.expression(one.children[0]) if one is not None else None for one in (skip, limit)]
        if any(one is not None and not (isinstance(one, Constant) and type(one.value) is int) for one in counts):
            raise UnsupportedCypherError("SKIP and LIMIT support only numbers")
        if any(one is not None and one.value < 0 for one in counts):
            raise InvalidInputError("SKIP and LIMIT must not be negative")
        if limit is None and skip is not None:
            raise UnsupportedCypherError("SKIP without LIMIT is not supported")
        offset, number = (one.value if one is not None else 0 for one in counts)
        return [Slice(number, offset)] if limit is not None else []


def _imports(parts: Sequence[Any]) -> bool:
    """Return whether a part of a subquery begins with a WITH clause, which may import variables."""
    return any(isinstance(part, Tree) and part.children[0].data == "with" for part in parts)


def _as_tuple(columns: Sequence[tuple[str, Expression]]) -> tuple[Column, ...]:
    return tuple(Column(name, value) for name, value in columns)


def _has_aggregate(value: Any) -> bool:
    return any(isinstance(part, AggregateCall) for part in walk(value))
