"""Translate a SQL query over a relational schema to a query plan over the graph that the schema becomes.

The translation assumes what the published databases mostly keep: columns have values, foreign keys refer to existing
rows, and the name of a thing identifies it. With these, plan and query return the same rows.
"""

from dataclasses import replace
from typing import cast

from sqlglot import expressions as sql

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Column,
    Group,
    Match,
    NodePattern,
    Not,
    Order,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    RelationshipType,
    Slice,
    SortKey,
    Step,
    Union,
    Variable,
)
from graph.plan.schema import GraphSchema
from graph.plan.traversal import rewrite, walk
from question_sets.spider.parsing import Tree, UnsupportedSqlError, parse_sql
from question_sets.spider.rows import rows_of
from question_sets.spider.selects import SelectReader, Stages
from question_sets.spider.tables import Database
from question_sets.spider.variables import Names


def read_sql(query: str, database: Database, schema: GraphSchema) -> Plan:
    """Translate a query.

    Args:
        query: The query, in SQLite's dialect.
        database: The tables that the query reads.
        schema: The schema of their graph.

    Raises:
        UnsupportedSqlError: Plans or this translation do not cover the query.
    """
    return _plan(parse_sql(query), Names(database, schema))


def _plan(tree: Tree, names: Names) -> Plan:
    if isinstance(tree, sql.Union):
        return Plan(tuple(_union(tree, names)))
    stages = Stages()
    steps = _steps(tree, names, stages)
    steps = [names.settled(step) for step in (*stages.steps, *steps)]
    wanted = _column_names(Plan(tuple(steps)))
    steps = _with_carried(steps, {names.find(one) for one in stages.variables})
    if _column_names(Plan(tuple(steps))) != wanted:
        steps.append(Project(tuple(Column(name, Variable(name)) for name in wanted)))
    return Plan(tuple(_without_unused_links(steps)))


def _steps(tree: Tree, names: Names, stages: Stages) -> list[Step]:
    match tree:
        case sql.Subquery():
            return _steps(tree.this, names, stages)
        case sql.Except() | sql.Intersect():
            return _set_operation(tree, names, stages)
        case sql.Select() if isinstance((tree.args.get("from_") or tree).this, sql.Subquery):
            return _count_of_rows(tree, names, stages)
        case sql.Select():
            return SelectReader(tree, names, stages).steps()
    raise UnsupportedSqlError(f"{tree.key} as a query")


def _set_operation(tree: sql.SetOperation, names: Names, stages: Stages) -> list[Step]:
    """Keep the rows of the left query that the right query has, or has not."""
    if tree.args.get("order") or tree.args.get("limit") or not isinstance(tree.left, sql.Select):
        raise UnsupportedSqlError("a nested or sorted set operation")
    left, right = tree.left, cast(Tree, tree.right)
    if (
        isinstance(tree, sql.Intersect)
        and isinstance(right, sql.Select)
        and right.args.get("having")
        and not left.args.get("having")
    ):
        left, right = right, left
    select = SelectReader(left, names, stages)
    items = [item.unalias() for item in left.expressions]
    found = select.membership(items, right)
    condition = Not(found) if isinstance(tree, sql.Except) else found
    if left.args.get("group") is not None:
        rows = rows_of(select, condition=names.settled(condition))
        return [*select.matches(), *rows]
    select.pattern.conditions.append(condition)
    steps = select.steps()
    last = steps[-1]
    if isinstance(last, Project) and not _is_unique(select, items):
        steps[-1] = replace(last, distinct=True)
    return steps


def _is_unique(select: SelectReader, items: list[Tree]) -> bool:
    """Return whether the rows are distinct anyway: one for each node, with its key or its name."""
    nodes = select.pattern.match().nodes
    keys = [select.pattern.key(item) for item in items if isinstance(item, sql.Column)]
    return select.pattern.is_only(nodes[0].variable) and (
        any(key is not None for key in keys) or any(select.names.is_name(select.value(item)) for item in items)
    )


def _count_of_rows(tree: sql.Select, names: Names, stages: Stages) -> list[Step]:
    """Translate `SELECT count(*) FROM (SELECT ...)`."""
    item = tree.expressions[0].unalias()
    others = [part for part in ("joins", "where", "group", "order", "limit") if tree.args.get(part)]
    if len(tree.expressions) != 1 or not isinstance(item, sql.Count) or isinstance(item.this, sql.Distinct) or others:
        raise UnsupportedSqlError("a subquery as a table")
    inner = tree.args["from_"].this.this
    if isinstance(inner, sql.Union):
        return [*_union(inner, names), Group((), (Aggregate("count", AggregateFunction.COUNT),))]
    return [*_steps(inner, names, stages), Group((), (Aggregate("count", AggregateFunction.COUNT),))]


def _union(tree: sql.Union, names: Names) -> list[Step]:
    sides = [_plan(cast(Tree, side), names) for side in (tree.left, tree.right)]
    columns = [_column_names(plan) for plan in sides]
    if len(columns[0]) != len(columns[1]):
        raise UnsupportedSqlError("a union of different numbers of columns")
    sides[1] = _renamed(sides[1], columns[0])
    steps: list[Step] = [Union(tuple(sides), distinct=bool(tree.args.get("distinct")))]
    order, limit = tree.args.get("order"), tree.args.get("limit")
    if order is not None:
        keys = []
        for one in order.expressions:
            if not isinstance(one.this, sql.Column) or one.this.name not in columns[0]:
                raise UnsupportedSqlError("a union sorted by an expression")
            keys.append(SortKey(Variable(one.this.name), bool(one.args.get("desc"))))
        steps.append(Order(tuple(keys)))
    if limit is not None:
        steps.append(Slice(int(limit.expression.this)))
    return steps


def _column_names(plan: Plan) -> list[str]:
    for step in reversed(plan.steps):
        match step:
            case Union():
                return _column_names(step.plans[0])
            case Project():
                return [column.name for column in step.columns]
            case Group():
                return [*(one.name for one in step.keys), *(one.name for one in step.aggregates)]
    raise UnsupportedSqlError("a union with another end")


def _renamed(plan: Plan, names: list[str]) -> Plan:
    old = _column_names(plan)
    if old == names:
        return plan
    last = plan.steps[-1]
    if isinstance(last, Project):
        columns = tuple(replace(column, name=name) for column, name in zip(last.columns, names, strict=True))
        return Plan((*plan.steps[:-1], replace(last, columns=columns)))
    renaming = Project(tuple(Column(new, Variable(name)) for name, new in zip(old, names, strict=True)))
    return Plan((*plan.steps, renaming))


def _with_carried(steps: list[Step], carried: set[str]) -> list[Step]:
    """Keep the results of earlier stages as columns for as long as later steps use them."""
    known: set[str] = set()
    found: list[Step] = []
    for place, step in enumerate(steps):
        kept = sorted(name for name in known & carried if _uses(steps[place + 1 :], name))
        columns = tuple(Column(name, Variable(name)) for name in kept)
        match step:
            case Project():
                own = {column.name for column in step.columns}
                step = replace(step, columns=(*step.columns, *(one for one in columns if one.name not in own)))
                known = {column.name for column in step.columns}
            case Group():
                own = {column.name for column in step.keys}
                step = replace(step, keys=(*(one for one in columns if one.name not in own), *step.keys))
                known = {*(one.name for one in step.keys), *(one.name for one in step.aggregates)}
            case Match():
                known |= {node.variable for node in step.nodes}
        found.append(step)
    return found


def _uses(steps: list[Step], name: str) -> bool:
    for part in walk(tuple(steps)):
        match part:
            case Variable(name=used) | NodePattern(variable=used) | Property(variable=used) if used == name:
                return True
    return False


def _without_unused_links(steps: list[Step]) -> list[Step]:
    """Leave relationships anonymous that no expression reads."""
    used = {part.variable for part in walk(tuple(steps)) if isinstance(part, Property | RelationshipType)}

    def replacement(part: object) -> object:
        if isinstance(part, RelationshipPattern) and part.variable not in used:
            return replace(part, variable=None)
        return None

    return [rewrite(step, replacement) for step in steps]
