"""Evaluate query plans over a property graph in memory, as `docs/reference/query-plans.md` defines them.

Tests compare the database compilers with this evaluator. It shares no code with them and optimises nothing, so that
each rule can be checked against the document.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from graph.plan import algebra
from graph.plan.algebra import AggregateFunction, Function
from graph.plan.functions import DIFFERENCES, DURATION_PARTS, EPOCHS, SHIFTS, STARTS_OF_DATES, STARTS_OF_TIMES
from graph.plan.values import MapValue, ValueType, type_of
from ingestion.property_graph import Node as Node
from ingestion.property_graph import PropertyGraph as PropertyGraph
from ingestion.property_graph import Relationship as Relationship
from tests.support.reference_durations import (
    as_moment,
    difference,
    duration_length,
    duration_parts,
    extreme_duration,
    moved,
    start_of,
)
from tests.support.reference_paths import shortest_paths

Row = dict[str, Any]

# Java's Character.isWhitespace: it leaves out the no-break spaces U+00A0, U+2007, and U+202F.
_WHITE_SPACE = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a"
    "\u2028\u2029\u205f\u3000"
)
_DECIMAL_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ISO_DATETIME = re.compile(
    r"(?P<day>[0-9-]{10})([ T](?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})"
    r"(:(?P<second>[0-9]{2})(\.(?P<fraction>[0-9]{1,9}))?)?"
    r"( ?(Z|UTC|(?P<sign>[+-])(?P<hours>[0-9]{2})(:?(?P<minutes>[0-9]{2}))?))?)?"
)


@dataclass(frozen=True)
class Result:
    """The rows of a plan; nodes and relationships appear as such, lists as tuples, and missing values as None."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


@dataclass(frozen=True)
class _Table:
    """Rows between two steps; the columns are in the order in which the variables were bound."""

    columns: tuple[str, ...]
    rows: list[Row]
    ordered: bool = False

    def in_order(self) -> list[Row]:
        """Return the rows in their order or, if they have none, sorted by all columns."""
        return self.rows if self.ordered else self.sorted_by_all_columns()

    def sorted_by_all_columns(self) -> list[Row]:
        return sorted(self.rows, key=lambda row: _keys(row, self.columns))


def evaluate(plan: algebra.Plan, graph: PropertyGraph) -> Result:
    """Evaluate a plan; raise OverflowError for a number that 64 bits or a finite float cannot hold."""
    table = _run(plan, graph)
    rows = [tuple(_rounded(row[column]) for column in table.columns) for row in table.in_order()]
    return Result(table.columns, rows)


# Equality and order


def _key(value: Any) -> tuple[Any, ...]:
    """Return a key that sorts values and is the same for equal values: `1` and `1.0`, but not `True`."""
    match type_of(value):
        case ValueType.LIST:
            return (0, 2, tuple(map(_key, value)))
        case ValueType.DATETIME:
            return (0, 3, value)
        case ValueType.DATE:
            return (0, 4, value)
        case ValueType.STRING:
            return (0, 5, value)
        case ValueType.BOOLEAN:
            return (0, 6, value)
        case ValueType.INTEGER | ValueType.FLOAT:
            return (0, 7, value)
    match value:
        case MapValue():
            names, values = [name for name, _ in value.fields], [one for _, one in value.fields]
            return (0, -1, len(names), tuple(names), tuple(map(_key, values)))
        case Node():
            return (0, 0, value.id)
        case Relationship():
            return (0, 1, value.id)
        case None:
            return (1,)
    raise TypeError(f"not a value: {value!r}")


def _keys(row: Row, columns: Iterable[str]) -> tuple[Any, ...]:
    return tuple(_key(row[column]) for column in columns)


def _distinct_rows(rows: Iterable[Row], columns: tuple[str, ...]) -> list[Row]:
    first: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        first.setdefault(_keys(row, columns), row)
    return list(first.values())


# Steps


def _run(plan: algebra.Plan, graph: PropertyGraph) -> _Table:
    table = _Table((), [{}])
    for position, step in enumerate(plan.steps):
        if isinstance(step, algebra.Union) and position > 0:
            raise ValueError("a union can only be the first step")
        table = _after(step, table, graph)
    return table


def _after(step: algebra.Step, table: _Table, graph: PropertyGraph) -> _Table:
    match step:
        case algebra.Match():
            return _matched(step, table, graph)
        case algebra.Filter():
            rows = [row for row in table.rows if _condition(step.condition, row, graph) is True]
            return _Table(table.columns, rows, table.ordered)
        case algebra.Project():
            return _projected(step, table, graph)
        case algebra.Group():
            return _grouped(step, table, graph)
        case algebra.Order():
            return _ordered(step, table, graph)
        case algebra.Slice():
            return _sliced(step, table)
        case algebra.Unnest():
            return _unnested(step, table, graph)
        case algebra.Union():
            return _union(step, graph)
        case algebra.ShortestPaths():
            return _connected(step, table, graph)


def _matched(step: algebra.Match, table: _Table, graph: PropertyGraph) -> _Table:
    variables = [node.variable for node in step.nodes]
    variables += [pattern.variable for pattern in step.relationships if pattern.variable is not None]
    missing: Row = dict.fromkeys(variables)
    rows: list[Row] = []
    for row in table.rows:
        matches = list(_matches(step, row, graph))
        rows += matches or ([{**missing, **row}] if step.optional else [])
    return _Table(tuple(dict.fromkeys((*table.columns, *variables))), rows)


def _matches(match: algebra.Match, row: Row, graph: PropertyGraph) -> Iterator[Row]:
    """Yield the row extended by each match of the pattern, whether or not the match is optional."""
    known = {*row, *(node.variable for node in match.nodes)}
    if unbound := {end for pattern in match.relationships for end in (pattern.source, pattern.target)} - known:
        raise ValueError(f"ends of relationships without a node: {sorted(unbound)}")
    partial: list[tuple[Row, frozenset[int]]] = [(row, frozenset())]
    for pattern in match.relationships:
        partial = [
            (extended, used | {relationship.id})
            for bound, used in partial
            for relationship in graph.relationships
            if relationship.id not in used
            for extended in _placements(pattern, relationship, bound, graph)
        ]
    rows = [bound for bound, _ in partial]
    for node_pattern in match.nodes:
        nodes = [node for node in graph.nodes if _fits(node_pattern, node)]
        rows = [
            extended
            for bound in rows
            for node in nodes
            if (extended := _bind(bound, node_pattern.variable, node)) is not None
        ]
    for bound in rows:
        if match.where is None or _condition(match.where, bound, graph) is True:
            yield bound


def _placements(
    pattern: algebra.RelationshipPattern, relationship: Relationship, row: Row, graph: PropertyGraph
) -> Iterator[Row]:
    """Yield the row with the relationship and its ends bound, in each direction that the pattern allows."""
    if pattern.types and relationship.type not in pattern.types:
        return
    directions = {(relationship.source, relationship.target)}
    if pattern.direction == "both":
        # A set, because a relationship from a node to itself matches once.
        directions.add((relationship.target, relationship.source))
    for source, target in directions:
        bound = _bind(row, pattern.variable, relationship)
        for variable, identifier in ((pattern.source, source), (pattern.target, target)):
            bound = None if bound is None else _bind(bound, variable, _node(identifier, graph))
        if bound is not None:
            yield bound


def _bind(row: Row, variable: str | None, element: Node | Relationship) -> Row | None:
    """Bind a variable, unless the row has another element for it, or a missing one."""
    if variable is None:
        return row
    if variable in row:
        return row if row[variable] == element else None
    return {**row, variable: element}


def _node(identifier: int, graph: PropertyGraph) -> Node:
    return next(node for node in graph.nodes if node.id == identifier)


def _fits(pattern: algebra.NodePattern, node: Node) -> bool:
    return node.kinds.issuperset(pattern.kinds) and (pattern.ids is None or str(node.id) in pattern.ids)


def _projected(step: algebra.Project, table: _Table, graph: PropertyGraph) -> _Table:
    columns = tuple(column.name for column in step.columns)
    rows = [_columns(step.columns, row, graph) for row in table.rows]
    if step.distinct:
        return _Table(columns, _distinct_rows(rows, columns))
    return _Table(columns, rows, table.ordered)


def _columns(columns: Iterable[algebra.Column], row: Row, graph: PropertyGraph) -> Row:
    return {column.name: _value(column.value, row, graph) for column in columns}


def _grouped(step: algebra.Group, table: _Table, graph: PropertyGraph) -> _Table:
    names = tuple(column.name for column in step.keys)
    groups: dict[tuple[Any, ...], tuple[Row, list[Row]]] = {}
    if not names:
        groups[()] = ({}, [])
    for row in table.in_order():
        keys = _columns(step.keys, row, graph)
        groups.setdefault(_keys(keys, names), (keys, []))[1].append(row)
    rows = [
        keys | {aggregate.name: _aggregate(aggregate, members, graph) for aggregate in step.aggregates}
        for keys, members in groups.values()
    ]
    return _Table((*names, *(aggregate.name for aggregate in step.aggregates)), rows)


def _ordered(step: algebra.Order, table: _Table, graph: PropertyGraph) -> _Table:
    rows = table.sorted_by_all_columns()
    # Sorting is stable, so the most significant key comes last.
    for key in reversed(step.keys):
        rows.sort(key=lambda row: _key(_value(key.value, row, graph)), reverse=key.descending)
        rows.sort(key=lambda row: (_value(key.value, row, graph) is None) != key.missing_first)
    return _Table(table.columns, rows, ordered=True)


def _sliced(step: algebra.Slice, table: _Table) -> _Table:
    positions: dict[tuple[Any, ...], int] = {}
    rows: list[Row] = []
    for row in table.in_order():
        group = _keys(row, step.per)
        position = positions.get(group, 0)
        positions[group] = position + 1
        if step.offset <= position < step.offset + step.limit:
            rows.append(row)
    return _Table(table.columns, rows, ordered=True)


def _unnested(step: algebra.Unnest, table: _Table, graph: PropertyGraph) -> _Table:
    rows: list[Row] = []
    for row in table.rows:
        items = _value(step.items, row, graph)
        if isinstance(items, tuple):
            rows += [{**row, step.name: item} for item in items]
    return _Table(tuple(dict.fromkeys((*table.columns, step.name))), rows)


def _union(step: algebra.Union, graph: PropertyGraph) -> _Table:
    tables = [_run(plan, graph) for plan in step.plans]
    columns = tables[0].columns
    if any(set(table.columns) != set(columns) for table in tables):
        raise ValueError("the plans of a union have different columns")
    rows = [row for table in tables for row in table.rows]
    return _Table(columns, _distinct_rows(rows, columns) if step.distinct else rows)


def _connected(step: algebra.ShortestPaths, table: _Table, graph: PropertyGraph) -> _Table:
    def meets(condition: algebra.Expression, node: Node) -> bool:
        return _condition(condition, {step.node: node}, graph) is True

    links = {one.id: one for one in graph.relationships}
    rows: list[Row] = []
    for row in table.rows:
        source, target = row[step.source], row[step.target]
        found = [] if None in (source, target) else shortest_paths(step, (source.id, target.id), graph, meets)
        for rank, path in enumerate(found, 1):
            nodes, types = (
                tuple(_node(one, graph) for one in path.nodes),
                tuple(links[one] for one in path.relationships),
            )
            rows.append({**row, **dict(zip(step.columns, (rank, nodes, types, path.degrees), strict=True))})
    return _Table((*table.columns, *step.columns), rows)


# Aggregates


def _aggregate(aggregate: algebra.Aggregate, rows: list[Row], graph: PropertyGraph) -> Any:
    if aggregate.value is None:
        if aggregate.function is not AggregateFunction.COUNT:
            raise ValueError(f"{aggregate.function} needs a value")
        return len(rows)
    values = [value for row in rows if (value := _value(aggregate.value, row, graph)) is not None]
    if aggregate.distinct:
        values = [row["value"] for row in _distinct_rows(({"value": value} for value in values), ("value",))]
    numbers = list(filter(_is_number, values))
    match aggregate.function:
        case AggregateFunction.COUNT:
            return len(values)
        case AggregateFunction.SUM:
            return _sum(numbers)
        case AggregateFunction.AVERAGE:
            return float(sum(map(Fraction, numbers)) / len(numbers)) if numbers else None
        case AggregateFunction.MIN:
            return min(values, key=_key, default=None)
        case AggregateFunction.MAX:
            return max(values, key=_key, default=None)
        case AggregateFunction.SHORTEST | AggregateFunction.LONGEST:
            texts = [value for value in values if isinstance(value, str)]
            return extreme_duration(texts, 1 if aggregate.function is AggregateFunction.SHORTEST else -1)
        case AggregateFunction.COLLECT:
            return tuple(values)


def _sum(numbers: list[int | float]) -> int | float:
    total = sum(map(Fraction, numbers), Fraction())
    return _checked(int(total) if all(isinstance(number, int) for number in numbers) else float(total))


# Expressions


def _value(expression: algebra.Expression, row: Row, graph: PropertyGraph) -> Any:
    def of(part: algebra.Expression) -> Any:
        return _value(part, row, graph)

    match expression:
        case algebra.Variable():
            return row[expression.name]
        case algebra.Constant():
            return _read(expression.value)
        case algebra.Property():
            element = row[expression.variable]
            return _read(element.properties.get(expression.key)) if isinstance(element, Node | Relationship) else None
        case algebra.HasKind():
            element = row[expression.variable]
            return expression.kind in element.kinds if isinstance(element, Node) else None
        case algebra.RelationshipType():
            element = row[expression.variable]
            return element.type if isinstance(element, Relationship) else None
        case algebra.Call():
            return _call(expression.function, [of(argument) for argument in expression.arguments])
        case algebra.Arithmetic():
            return _arithmetic(expression.operator, of(expression.left), of(expression.right))
        case algebra.Comparison():
            return _comparison(expression.operator, of(expression.left), of(expression.right), expression.ignore_case)
        case algebra.IsMissing():
            return of(expression.value) is None
        case algebra.Not():
            return _not(_condition(expression.condition, row, graph))
        case algebra.And():
            return _and([_condition(condition, row, graph) for condition in expression.conditions])
        case algebra.Or():
            return _not(_and([_not(_condition(condition, row, graph)) for condition in expression.conditions]))
        case algebra.Case():
            for branch in expression.branches:
                if _condition(branch.condition, row, graph) is True:
                    return of(branch.value)
            return None if expression.otherwise is None else of(expression.otherwise)
        case algebra.ListOf():
            return tuple(of(item) for item in expression.items)
        case algebra.MapOf():
            return MapValue(tuple(sorted((one.name, of(one.value)) for one in expression.fields)))
        case algebra.FieldOf():
            found = of(expression.map)
            return dict(found.fields).get(expression.key) if isinstance(found, MapValue) else None
        case algebra.Comprehension():
            return _comprehended(expression, row, graph)
        case algebra.Quantifier():
            return _quantified(expression, row, graph)
        case algebra.Exists():
            return any(True for _ in _matches(expression.match, row, graph))
        case algebra.CollectMatches():
            values = [_value(expression.value, match, graph) for match in _matches(expression.match, row, graph)]
            return tuple(sorted(values, key=_key))
        case algebra.CountMatches():
            return sum(1 for _ in _matches(expression.match, row, graph))


def _rows_of_items(loop: algebra.Loop, row: Row, graph: PropertyGraph) -> list[Row] | None:
    """Return the row with each item of a list; None if there is no list."""
    items = _value(loop.items, row, graph)
    return [{**row, loop.name: item} for item in items] if isinstance(items, tuple) else None


def _comprehended(loop: algebra.Comprehension, row: Row, graph: PropertyGraph) -> tuple[Any, ...] | None:
    rows = _rows_of_items(loop, row, graph)
    if rows is None:
        return None
    kept = [one for one in rows if loop.condition is None or _condition(loop.condition, one, graph) is True]
    return tuple(one[loop.name] if loop.value is None else _value(loop.value, one, graph) for one in kept)


def _quantified(loop: algebra.Quantifier, row: Row, graph: PropertyGraph) -> bool | None:
    rows = _rows_of_items(loop, row, graph)
    if rows is None:
        return None
    found = [_condition(loop.condition, one, graph) for one in rows]
    match loop.quantifier:
        case "all":
            return _and(found)
        case "any":
            return _not(_and(list(map(_not, found))))
        case "none":
            return _and(list(map(_not, found)))
    if found.count(True) > 1:
        return False
    return None if None in found else True in found


def _equal(left: Any, right: Any) -> bool | None:
    """Return whether values are equal; unknown if one is missing, also as the only difference of two lists."""
    if left is None or right is None:
        return None
    if not isinstance(left, tuple) or not isinstance(right, tuple):
        return _key(left) == _key(right)
    return _and([_equal(*pair) for pair in zip(left, right, strict=True)]) if len(left) == len(right) else False


def _condition(expression: algebra.Expression, row: Row, graph: PropertyGraph) -> bool | None:
    value = _value(expression, row, graph)
    return value if isinstance(value, bool) else None


def _not(condition: bool | None) -> bool | None:
    return None if condition is None else not condition


def _and(conditions: list[bool | None]) -> bool | None:
    if False in conditions:
        return False
    return None if None in conditions else True


def _read(value: Any) -> Any:
    """Return a constant or a stored value with lists as tuples, and datetimes in UTC."""
    if isinstance(value, list | tuple):
        return tuple(map(_read, value))
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC).replace(tzinfo=None)
    return value


def _is_number(value: Any) -> bool:
    return type_of(value) in (ValueType.INTEGER, ValueType.FLOAT)


def _checked(number: int | float) -> int | float:
    if not (-(2**63) <= number < 2**63 if isinstance(number, int) else math.isfinite(number)):
        raise OverflowError(f"no integer of 64 bits or finite float: {number}")
    return number


def _arithmetic(operator: str, left: Any, right: Any) -> Any:
    if operator == "+" and isinstance(left, str) and isinstance(right, str):
        return left + right
    if not (_is_number(left) and _is_number(right)):
        return None
    if operator in ("/", "%") and right == 0:
        return None
    integers = isinstance(left, int) and isinstance(right, int)
    match operator:
        case "+":
            return _checked(left + right)
        case "-":
            return _checked(left - right)
        case "*":
            return _checked(left * right)
        case "/":
            return _checked(math.trunc(Fraction(left, right)) if integers else left / right)
        case "%":
            return left - right * math.trunc(Fraction(left, right)) if integers else math.fmod(left, right)
    raise ValueError(f"unknown operator: {operator}")


def _comparison(operator: str, left: Any, right: Any, ignore_case: bool) -> bool | None:
    strings = isinstance(left, str) and isinstance(right, str)
    if ignore_case and strings and operator in ("=", "!=", "contains", "starts_with", "ends_with"):
        left, right = left.lower(), right.lower()
    match operator:
        case "=" | "!=":
            return _equal(left, right) if operator == "=" else _not(_equal(left, right))
        case "<" | "<=" | ">" | ">=":
            return _inequality(operator, left, right)
        case "in":
            if not isinstance(right, tuple):
                return None
            return _not(_and([_not(_equal(left, item)) for item in right]))
        case "contains":
            return right in left if strings else None
        case "starts_with":
            return left.startswith(right) if strings else None
        case "ends_with":
            return left.endswith(right) if strings else None
        case "matches":
            return _matches_pattern(left, right) if strings else None
    raise ValueError(f"unknown operator: {operator}")


def _matches_pattern(text: str, pattern: str) -> bool:
    """Match with Python's syntax, which is that of plans except for what a dot leaves out."""
    is_single = pattern.startswith(("(?s)", "(?is)", "(?si)"))
    parts = re.findall(r"\\.|\[\^?(?:\\.|[^\]\\])*\]|.", pattern, re.DOTALL)
    dot = r"[\s\S]" if is_single else r"[^\n\r\u0085\u2028\u2029]"
    return re.fullmatch("".join(dot if part == "." else part for part in parts), text, re.ASCII) is not None


def _inequality(operator: str, left: Any, right: Any) -> bool | None:
    scalars = (ValueType.STRING, ValueType.BOOLEAN, ValueType.DATE, ValueType.DATETIME)
    same_scalar = type_of(left) == type_of(right) and type_of(left) in scalars
    if not (same_scalar or (_is_number(left) and _is_number(right))):
        return None
    results = {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}
    return bool(results[operator])


# Functions


def _call(function: Function, arguments: list[Any]) -> Any:
    if function is Function.COALESCE:
        return next((argument for argument in arguments if argument is not None), None)
    first = arguments[0]
    match function, *map(type_of, arguments):
        case Function.LOWER, ValueType.STRING:
            return first.lower()
        case Function.UPPER, ValueType.STRING:
            return first.upper()
        case Function.TRIM, ValueType.STRING:
            return first.strip(_WHITE_SPACE)
        case (Function.LEFT, ValueType.STRING, ValueType.INTEGER) | (Function.TAKE, ValueType.LIST, ValueType.INTEGER):
            return first[: max(arguments[1], 0)]
        case Function.DROP, ValueType.STRING, ValueType.INTEGER:
            return first[max(arguments[1], 0) :]
        case Function.REPLACE, ValueType.STRING, ValueType.STRING, ValueType.STRING:
            return first.replace(*arguments[1:])
        case Function.SPLIT, ValueType.STRING, ValueType.STRING:
            return tuple(first.split(arguments[1]))
        case Function.ITEM, ValueType.LIST, ValueType.INTEGER:
            return first[arguments[1]] if -len(first) <= arguments[1] < len(first) else None
        case Function.SIZE, ValueType.STRING | ValueType.LIST:
            return len(first)
        case Function.ABS, ValueType.INTEGER | ValueType.FLOAT:
            return _checked(abs(first))
        case Function.ROUND, ValueType.INTEGER | ValueType.FLOAT:
            # An exact sum: a float just below 0.5, plus 0.5, would be 1.0.
            return float(math.floor(Fraction(first) + Fraction(1, 2)))
        case Function.FLOOR, ValueType.INTEGER | ValueType.FLOAT:
            return float(math.floor(first))
        case Function.CEIL, ValueType.INTEGER | ValueType.FLOAT:
            return float(math.ceil(first))
        case Function.TO_INTEGER, ValueType.INTEGER | ValueType.FLOAT | ValueType.BOOLEAN:
            return _checked(int(first))
        case Function.TO_INTEGER, ValueType.STRING:
            return _parsed(first, _integer)
        case Function.TO_FLOAT, ValueType.INTEGER | ValueType.FLOAT:
            return _checked(float(first))
        case Function.TO_FLOAT, ValueType.STRING:
            return _parsed(first, float)
        case Function.TO_STRING, ValueType.INTEGER | ValueType.STRING | ValueType.DATE:
            return str(first)
        case Function.TO_STRING, ValueType.BOOLEAN:
            return "true" if first else "false"
        case Function.TO_BOOLEAN, ValueType.BOOLEAN:
            return first
        case Function.TO_BOOLEAN, ValueType.STRING:
            return {"true": True, "false": False}.get(first.lower())
        case Function.TO_DATE, ValueType.DATE | ValueType.DATETIME:
            return date(first.year, first.month, first.day)
        case Function.TO_DATE, ValueType.STRING:
            return _date(first)
        case Function.TO_DATETIME, ValueType.DATETIME:
            return first
        case Function.TO_DATETIME, ValueType.DATE:
            return datetime(first.year, first.month, first.day)
        case Function.TO_DATETIME, ValueType.STRING:
            return _datetime(first)
        case ((Function.YEAR | Function.MONTH | Function.DAY), ValueType.DATE | ValueType.DATETIME):
            return getattr(first, function.value)
        case Function.QUARTER, ValueType.DATE | ValueType.DATETIME:
            return 1 + (first.month > 3) + (first.month > 6) + (first.month > 9)
        case Function.WEEK, ValueType.DATE | ValueType.DATETIME:
            return int(first.strftime("%V"))
        case Function.WEEKDAY, ValueType.DATE | ValueType.DATETIME:
            return int(first.strftime("%u"))
        case Function.HOUR | Function.MINUTE | Function.SECOND, ValueType.DATETIME:
            return getattr(first, function.value)
        case _, ValueType.DATE | ValueType.DATETIME if function in STARTS_OF_DATES:
            return start_of(function.removeprefix("start_of_"), first)
        case _, ValueType.DATETIME if function in STARTS_OF_TIMES:
            return start_of(function.removeprefix("start_of_"), first)
        case (_, ValueType.DATE | ValueType.DATETIME, ValueType.DATE | ValueType.DATETIME) if function in DIFFERENCES:
            return difference(function, as_moment(first), as_moment(arguments[1]))
        case _, ValueType.DATE | ValueType.DATETIME, ValueType.STRING if function in SHIFTS:
            return moved(first, arguments[1], 1 if function is Function.ADD_DURATION else -1)
        case Function.DURATION_LENGTH, ValueType.STRING:
            return duration_length(first)
        case _, ValueType.INTEGER if function in EPOCHS:
            return _since_1970(first * (1_000_000 if function is Function.FROM_EPOCH_SECONDS else 1_000))
        case _, ValueType.STRING if function in DURATION_PARTS:
            found = duration_parts(first)
            return found[function.removeprefix("duration_")] if found else None
        case Function.FIRST, ValueType.LIST:
            return first[0] if first else None
        case Function.LAST, ValueType.LIST:
            return first[-1] if first else None
        case Function.DISTANCE, *types if set(types) <= {ValueType.INTEGER, ValueType.FLOAT}:
            return _distance(*arguments)
    return None


def _since_1970(microseconds: int) -> datetime | None:
    try:
        return datetime.fromtimestamp(0, UTC).replace(tzinfo=None) + timedelta(microseconds=microseconds)
    except OverflowError:
        return None


def _distance(latitude: float, longitude: float, other_latitude: float, other_longitude: float) -> float | None:
    """Return the distance in metres of two points on a sphere of this diameter."""
    if max(abs(latitude), abs(other_latitude)) > 90 or max(abs(longitude), abs(other_longitude)) > 180:
        return None
    north, other_north, east, other_east = map(math.radians, (latitude, other_latitude, longitude, other_longitude))
    squares = [math.sin(difference / 2) ** 2 for difference in (other_north - north, other_east - east)]
    return 12_756_280 * math.asin(math.sqrt(min(1, squares[0] + math.cos(north) * math.cos(other_north) * squares[1])))


def _parsed(text: str, read: Callable[[str], int | float]) -> int | float | None:
    try:
        return _checked(read(text)) if _DECIMAL_NUMBER.fullmatch(text) else None
    except (OverflowError, InvalidOperation):
        return None


def _integer(text: str) -> int:
    number = Decimal(text)
    # Before the conversion, which would write out all digits of 1e999999999.
    if not -(2**63) - 1 < number < 2**63:
        raise OverflowError(f"no integer of 64 bits: {text}")
    return int(number)


def _date(text: str) -> date | None:
    if not _ISO_DATE.match(text):
        return None
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def _datetime(text: str) -> datetime | None:
    parts = _ISO_DATETIME.fullmatch(text)
    day = _date(text)
    if parts is None or day is None:
        return None
    hours, minutes = int(parts["hours"] or 0), int(parts["minutes"] or 0)
    if minutes > 59 or hours * 60 + minutes > 18 * 60:
        return None
    offset = timedelta(hours=hours, minutes=minutes) * (-1 if parts["sign"] == "-" else 1)
    microsecond = int((parts["fraction"] or "")[:6].ljust(6, "0"))
    hour, minute, second = (int(parts[name] or 0) for name in ("hour", "minute", "second"))
    try:
        return datetime(day.year, day.month, day.day, hour, minute, second, microsecond) - offset
    except (ValueError, OverflowError):
        return None


def _rounded(value: Any) -> Any:
    match value:
        case float():
            return float(f"{value:.12g}")
        case tuple():
            return tuple(map(_rounded, value))
        case MapValue():
            return MapValue(tuple((name, _rounded(one)) for name, one in value.fields))
    return value
