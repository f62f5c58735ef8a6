"""Translate one SELECT with its subqueries."""

from dataclasses import dataclass, field

from sqlglot import expressions as sql

from graph.plan.algebra import (
    And,
    Comparison,
    Constant,
    CountMatches,
    Exists,
    Expression,
    Match,
    Not,
    Or,
    Property,
    Step,
    Variable,
)
from graph.plan.content_types import words_of
from graph.plan.traversal import conjunction, rewrite, walk
from graph.plan.values import Value
from question_sets.spider.expressions import ExpressionReader
from question_sets.spider.parsing import Tree, UnsupportedSqlError
from question_sets.spider.rows import rows_of
from question_sets.spider.schema import NAME_WORDS
from question_sets.spider.variables import Names


@dataclass
class Stages:
    """Collect the steps that have to run before the main query, and the variables that they return."""

    steps: list[Step] = field(default_factory=list)
    variables: set[str] = field(default_factory=set)


class SelectReader(ExpressionReader):
    """Read the FROM and WHERE clauses of a SELECT, and its subqueries."""

    def __init__(self, tree: sql.Select, names: Names, stages: Stages) -> None:
        super().__init__(names)
        self.tree = tree
        self.stages = stages
        from_ = tree.args.get("from_")
        if from_ is None:
            raise UnsupportedSqlError("a SELECT without FROM")
        joins = tree.args.get("joins") or []
        for table in (from_.this, *(join.this for join in joins)):
            if not isinstance(table, sql.Table):
                raise UnsupportedSqlError("a subquery as a table")
            self.pattern.add_table(table)
        for join in joins:
            if join.side or join.args.get("using"):
                raise UnsupportedSqlError("an outer join")
            if join.args.get("on") is not None:
                self.add_conjuncts(join.args["on"])
        if tree.args.get("where") is not None:
            self.add_conjuncts(tree.args["where"].this)

    def steps(self, names: list[str] | None = None) -> list[Step]:
        """Return the steps of the query; `names` are the names of its columns."""
        rows = rows_of(self, names)  # which may add the nodes that foreign keys refer to
        return [*self.matches(), *rows]

    def matches(self) -> list[Step]:
        """Return the pattern, as two steps if two parts of it may match the same relationship."""
        match = self.pattern.match()
        if not self.pattern.may_repeat_links():
            return [match]
        *first, last = match.relationships
        ends = {end for link in first for end in (link.source, link.target)}
        early = tuple(node for node in match.nodes if node.variable in ends)
        late = tuple(node for node in match.nodes if node not in early or node.variable in (last.source, last.target))
        return [Match(early, tuple(first)), Match(late, (last,), match.where)]

    # Subqueries that run first

    def scalar(self, tree: Tree) -> Expression:
        """Read a subquery with one value: `(SELECT avg(price) FROM product)`."""
        if not isinstance(tree, sql.Select) or len(tree.expressions) != 1:
            raise UnsupportedSqlError("a comparison with a set operation")
        reader = SelectReader(tree, self.names, self.stages)
        name = self.names.fresh("value")
        self._add_stage(reader.steps([name]), name)
        return Variable(name)

    def add_bound(self, tree: Tree) -> bool:
        """Read `key = (SELECT key ... ORDER BY ... LIMIT 1)` and `key IN (SELECT key ... GROUP BY ... HAVING ...)`."""
        query = tree.args.get("query") or tree.args.get("expression")
        inner = query.this if isinstance(query, sql.Subquery) else None
        if not isinstance(tree.this, sql.Column) or not isinstance(inner, sql.Select) or len(inner.expressions) != 1:
            return False
        item = inner.expressions[0].unalias()
        is_limited = inner.args.get("limit") is not None
        if not isinstance(item, sql.Column) or not (is_limited or _has_other_having(inner)):
            return False
        reader = SelectReader(inner, self.names, self.stages)
        left, right = self.pattern.key(tree.this), reader.pattern.key(item)
        if left and right and self._are_alike(left, right):
            name = self.names.find(right.node)
            self._add_stage(reader.steps([name]), name)
            self.names.unify(name, left.node)
        else:
            name = self.names.fresh("value")
            self._add_stage(reader.steps([name]), name)
            self.pattern.conditions.append(Comparison("=", self.value(tree.this), Variable(name)))
        return True

    def _add_stage(self, steps: list[Step], name: str) -> None:
        self.stages.steps += steps
        self.stages.variables.add(name)

    # Membership

    def membership(self, items: list[Tree], query: Tree) -> Expression:
        """Read `(items) IN (query)`; INTERSECT and EXCEPT come here, too."""
        match query:
            case sql.Subquery():
                return self.membership(items, query.this)
            case sql.SetOperation():
                first, second = (self.membership(items, side) for side in (query.left, query.right))
                if isinstance(query, sql.Union):
                    return Or((first, second))
                return And((first, Not(second) if isinstance(query, sql.Except) else second))
            case sql.Select() if len(query.expressions) == len(items):
                return self._row_exists(items, query)
        raise UnsupportedSqlError("a set operation on different numbers of columns")

    def _row_exists(self, items: list[Tree], query: sql.Select) -> Expression:
        if query.args.get("limit") or _has_other_having(query):
            raise UnsupportedSqlError("membership in a limited or aggregated query")
        inner = SelectReader(query, self.names, self.stages)
        having = query.args.get("having")
        condition = inner.condition(having.this) if having is not None else None
        if condition is not None and not self._groups_by_items(inner):
            raise UnsupportedSqlError("membership in a query that groups by other columns")
        conditions = self._equalities(items, inner)
        if not conditions and self._is_shared(inner):
            found = conjunction(inner.pattern.conditions)
            if condition is not None or found is None:
                raise UnsupportedSqlError("a membership that is always or never true")
            return found
        inner.pattern.conditions += conditions
        if inner.pattern.may_repeat_links():
            raise UnsupportedSqlError("a subquery that follows one relationship twice")
        match = inner.pattern.match()
        return _counted(match, condition) if condition is not None else Exists(match)

    def _is_shared(self, inner: "SelectReader") -> bool:
        """Return whether a subquery is only about a node of this query, so that its conditions apply here."""
        first = inner.pattern.match().nodes[0].variable
        return inner.pattern.is_only(first) and first in {node.variable for node in self.pattern.match().nodes}

    def _groups_by_items(self, inner: "SelectReader") -> bool:
        """Return whether the columns of a subquery determine its groups."""
        group = inner.tree.args.get("group")
        columns = [one for one in inner.tree.expressions if isinstance(one, sql.Column)]
        found = {inner.pattern.key(one) or inner.value(one) for one in columns}
        return group is not None and {inner.pattern.key(one) or inner.value(one) for one in group.expressions} <= found

    def _equalities(self, items: list[Tree], inner: "SelectReader") -> list[Expression]:
        """Unify the nodes that the columns of both queries identify, and return the conditions on other columns."""
        pairs = list(zip(items, (one.unalias() for one in inner.tree.expressions), strict=True))
        for left, right in pairs:
            if isinstance(left, sql.Column) and isinstance(right, sql.Column):
                first, second = self.pattern.key(left), inner.pattern.key(right)
                if first and second and self._are_alike(first, second):
                    self.names.unify(first.node, second.node)
        settled = self.names.settled
        values = [(settled(self.value(left)), settled(inner.value(right))) for left, right in pairs]
        values = [(left, right) for left, right in values if left != right]
        owners = {self._same_property(left, right) for left, right in values}
        if len(owners) == 1 and (nodes := owners.pop()) and any(self._is_identifying(left) for left, _ in values):
            self.names.unify(*nodes)
            return []
        return [Comparison("=", right, left) for left, right in values]

    def _same_property(self, left: Expression, right: Expression) -> tuple[str, str] | None:
        """Return the nodes of two values if both are the same property of nodes of one kind."""
        if not isinstance(left, Property) or not isinstance(right, Property) or left.key != right.key:
            return None
        tables = self.names.tables
        is_same = left.variable in tables and tables[left.variable] == tables.get(right.variable)
        return (left.variable, right.variable) if is_same else None

    def _is_identifying(self, value: Expression) -> bool:
        """Return whether a property names a node, as the name of a person does."""
        return self.names.is_name(value) or (
            isinstance(value, Property) and bool(NAME_WORDS & set(words_of(value.key)))
        )


def _has_other_having(tree: sql.Select) -> bool:
    """Return whether HAVING has aggregates that no subpattern can count."""
    having = tree.args.get("having")
    calls = list(having.find_all(sql.AggFunc)) if having is not None else []
    return any(not isinstance(call, sql.Count) or isinstance(call.this, sql.Distinct) for call in calls)


def _counted(match: Match, condition: Expression) -> Expression:
    """Test the number of matches instead of the size of a group."""
    counted = rewrite(condition, lambda part: CountMatches(match) if isinstance(part, Variable) else None)
    comparisons = [part for part in walk(condition) if isinstance(part, Comparison)]
    is_positive = all(
        one.operator in (">", ">=", "=")
        and isinstance(one.right, Constant)
        and _at_least_one(one.operator, one.right.value)
        for one in comparisons
    )
    # A group has at least one row.
    return counted if is_positive and isinstance(condition, Comparison) else And((Exists(match), counted))


def _at_least_one(operator: str, value: Value) -> bool:
    return isinstance(value, int | float) and value >= (0 if operator == ">" else 1)
