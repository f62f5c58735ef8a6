"""Translate what a SELECT does with the rows of its pattern: groups, sorts, limits, and columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import expressions as sql

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Column,
    Expression,
    Filter,
    Group,
    NodePattern,
    Order,
    Project,
    Property,
    Slice,
    SortKey,
    Step,
    Variable,
)
from graph.plan.content_types import words_of
from graph.plan.traversal import rewrite, walk
from question_sets.spider.parsing import Tree, UnsupportedSqlError

if TYPE_CHECKING:
    from question_sets.spider.selects import SelectReader

_IDENTIFYING = {"id", "name", "title"}
_EXTREMES = {AggregateFunction.MIN: False, AggregateFunction.MAX: True}


def rows_of(
    select: SelectReader, names: Sequence[str] | None = None, condition: Expression | None = None
) -> list[Step]:
    """Return the steps that follow the pattern.

    Args:
        select: The SELECT.
        names: The names of its columns; by default, they are named after what they hold.
        condition: A further condition on groups.
    """
    rows = _Rows(select, names or [])
    if rows.groups or rows.having is not None:
        return rows.grouped(condition)
    if select.aggregates:
        return rows.extreme() if rows.has_plain_columns() else rows.grouped(condition)
    return rows.plain()


@dataclass(frozen=True, slots=True)
class _Item:
    name: str
    value: Expression


class _Rows:
    def __init__(self, select: SelectReader, names: Sequence[str]) -> None:
        self._select, self._names = select, select.names
        tree = select.tree
        self._is_distinct = tree.args.get("distinct") is not None
        group = tree.args.get("group")
        self._aliases = {one.alias.lower(): one.this for one in tree.expressions if isinstance(one, sql.Alias)}
        self.groups = [self._key(one) for one in group.expressions] if group is not None else []
        self._items = self._read_items(tree, names)
        having = tree.args.get("having")
        self.having = self._settled(select.condition(having.this)) if having is not None else None
        order = tree.args.get("order")
        self._order = [self._sort_key(one) for one in order.expressions] if order is not None else []

    def _settled(self, value: Expression) -> Expression:
        return self._names.settled(value)

    def _key(self, tree: Tree) -> Expression:
        if isinstance(tree, sql.Column):
            key = self._select.pattern.key(tree)
            return Variable(self._names.find(key.node)) if key else self._settled(self._select.value(tree))
        raise UnsupportedSqlError("a group by an expression")

    def _read_items(self, tree: sql.Select, names: Sequence[str]) -> list[_Item]:
        found: list[_Item] = []
        for place, item in enumerate(tree.expressions):
            inner = item.unalias()
            if isinstance(inner, sql.Star) or (isinstance(inner, sql.Column) and isinstance(inner.this, sql.Star)):
                values = self._whole_rows(inner.table.lower() if isinstance(inner, sql.Column) else "")
                found += [_Item(self._name(value, item, found), value) for value in values]
                continue
            given = names[place] if place < len(names) else ""
            if given in self._names.tables:  # the caller wants the node that the column identifies
                found.append(_Item(given, self._key(inner)))
                continue
            value = self._settled(self._select.value(inner, given))
            found.append(_Item(given or self._name(value, item, found), value))
        return found

    def _whole_rows(self, alias: str) -> list[Expression]:
        if self.groups:
            return list(self.groups)
        rows = self._select.pattern.whole_rows(alias)
        return [Variable(self._names.find(one)) if isinstance(one, str) else one for one in rows]

    def _name(self, value: Expression, item: Tree, before: Sequence[_Item]) -> str:
        base = item.alias if isinstance(item, sql.Alias) else ""
        if isinstance(value, Variable):
            base = base if value.name in self._names.tables and base else value.name
        elif isinstance(value, Property):
            base = base or value.key
        base, used = base or "value", {one.name for one in before}
        return next(name for n in range(1, 99) if (name := base if n == 1 else f"{base}_{n}") not in used)

    def _sort_key(self, tree: sql.Ordered) -> SortKey:
        inner = tree.this.this if isinstance(tree.this, sql.Paren) else tree.this
        is_descending = bool(tree.args.get("desc"))
        if isinstance(inner, sql.Literal) and not inner.is_string:
            return SortKey(self._items[int(inner.this) - 1].value, is_descending)
        if isinstance(inner, sql.Column) and not inner.table and inner.name.lower() in self._aliases:
            inner = self._aliases[inner.name.lower()]
        return SortKey(self._settled(self._select.value(inner)), is_descending)

    # Rows without groups

    def plain(self) -> list[Step]:
        columns = tuple(Column(one.name, one.value) for one in self._items)
        if not self._is_distinct:
            return [*self._sorted(self._order), *self._slice(), Project(columns)]
        return self._distinct(columns, self._order)

    def _distinct(self, columns: tuple[Column, ...], order: Sequence[SortKey]) -> list[Step]:
        """Sort after the rows are distinct; a sort key that the result does not have is the extreme of its rows."""
        names = {column.value: column.name for column in reversed(columns)}
        extremes: dict[str, Aggregate] = {}
        for key in order:
            if key.value not in names:
                function = AggregateFunction.MAX if key.descending else AggregateFunction.MIN
                name = names[key.value] = self._names.fresh(f"{function}_{getattr(key.value, 'key', 'value')}")
                extremes[name] = Aggregate(name, function, key.value)
        steps: list[Step] = [
            Group(columns, tuple(extremes.values())) if extremes else Project(columns, distinct=True),
            *self._sorted([replace(key, value=Variable(names[key.value])) for key in order]),
            *self._slice(),
        ]
        if extremes:
            steps.append(Project(tuple(Column(one.name, Variable(one.name)) for one in columns)))
        return steps

    def _sorted(self, keys: Sequence[SortKey]) -> list[Step]:
        return [Order(tuple(keys))] if keys else []

    def _slice(self) -> list[Step]:
        limit, offset = (self._select.tree.args.get(part) for part in ("limit", "offset"))
        if limit is None:
            return []
        return [Slice(int(limit.expression.this), int(offset.expression.this) if offset is not None else 0)]

    # Groups

    def has_plain_columns(self) -> bool:
        results = {Variable(name) for name in self._select.aggregates.values()}
        return any(one.value not in results for one in self._items)

    def extreme(self) -> list[Step]:
        """Return the row with the extreme: in SQLite, `SELECT name, max(age)` returns the name of the oldest."""
        [(aggregate, name), *others] = self._select.aggregates.items()
        if others or aggregate.function not in _EXTREMES or aggregate.value is None or self._order:
            raise UnsupportedSqlError("columns beside an aggregate of all rows")
        value = aggregate.value
        columns = tuple(Column(one.name, value if one.value == Variable(name) else one.value) for one in self._items)
        return [Order((SortKey(value, _EXTREMES[aggregate.function]),)), Slice(1), Project(columns)]

    def grouped(self, condition: Expression | None) -> list[Step]:
        having = [one for one in (self.having, condition) if one is not None]
        if not (self._select.aggregates or having or self._order) and self._are_distinct_rows():
            return self._distinct(tuple(Column(one.name, one.value) for one in self._items), [])
        read = [*(one.value for one in self._items), *having, *(key.value for key in self._order)]
        keys = self._keys(read)
        results = {name: one for one, name in self._select.aggregates.items()}
        group = Group(
            tuple(Column(name, value) for value, name in keys.items()),
            tuple(replace(one, name=name) for name, one in results.items()),
        )
        steps: list[Step] = [group]
        steps += [Filter(_after(one, keys)) for one in having]
        order = [replace(key, value=_after(key.value, keys)) for key in self._order]
        columns = tuple(Column(one.name, _after(one.value, keys)) for one in self._items)
        if self._is_distinct and not set(keys.values()) <= {
            part.name for part in walk(columns) if isinstance(part, Variable)
        }:
            return [*steps, *self._distinct(columns, order)]
        steps += [*self._sorted(order), *self._slice()]
        returned = [*keys.values(), *results]
        if [one.name for one in columns] == returned and all(one.value == Variable(one.name) for one in columns):
            return steps
        return [*steps, Project(columns)]

    def _are_distinct_rows(self) -> bool:
        """Return whether the groups are the distinct rows of the result."""
        values = {one.value for one in self._items}
        identified = {
            Variable(value.variable) for value in values if isinstance(value, Property) and self._names.is_name(value)
        }
        return set(self.groups) <= values | identified and values - set(self.groups) <= {
            value for value in values if isinstance(value, Property) and Variable(value.variable) in self.groups
        }

    def _keys(self, read: Sequence[Expression]) -> dict[Expression, str]:
        """Return the keys of the groups with their names.

        Every column of the result has to follow from a key. SQLite accepts others, which have arbitrary values, except
        where queries group by the name of something and mean the thing itself.
        """
        keys = list(dict.fromkeys(self.groups))
        for value in _outside(read, keys, self._select.stages.variables | set(self._select.aggregates.values())):
            owner = Variable(value.variable) if isinstance(value, Property) else value
            if value in keys or owner in keys:
                continue
            nodes = [key.name for key in keys if isinstance(key, Variable)]
            if any(owner.name in self._select.pattern.nodes_given(node) for node in nodes):
                keys.append(owner)
                continue
            named = [key for key in keys if isinstance(key, Property) and key.variable == owner.name]
            if not any(_IDENTIFYING & set(words_of(key.key)) or self._names.is_name(key) for key in named):
                raise UnsupportedSqlError("columns that the groups do not determine")
            keys[keys.index(named[0])] = owner
        owners = {key.name for key in keys if isinstance(key, Variable)}
        keys = [key for key in keys if not (isinstance(key, Property) and key.variable in owners)]
        return {key: key.name if isinstance(key, Variable) else self._names.fresh(key.key) for key in keys}  # type: ignore[union-attr]


def _outside(read: Sequence[Expression], keys: Sequence[Expression], known: set[str]) -> list[Property | Variable]:
    """Return the properties and nodes that expressions read, except keys and the variables of results."""
    found: list[Property | Variable] = []
    for expression in read:
        if expression in keys:
            continue
        local = known | {part.variable for part in walk(expression) if isinstance(part, NodePattern)}
        for part in walk(expression):
            name = part.variable if isinstance(part, Property) else part.name if isinstance(part, Variable) else None
            if name is not None and name not in local:
                found.append(part)
    return found


def _after(expression: Expression, keys: dict[Expression, str]) -> Expression:
    """Replace keys by the columns that hold them."""
    return rewrite(
        expression,
        lambda part: Variable(keys[part]) if isinstance(part, Property | Variable) and part in keys else None,
    )
