"""Translate SQL expressions over the columns of a pattern: values, aggregates, and simple conditions."""

from typing import Literal, cast

from sqlglot import expressions as sql

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    And,
    Arithmetic,
    Call,
    Comparison,
    Constant,
    Expression,
    Function,
    IsMissing,
    Not,
    Or,
    Variable,
)
from graph.plan.scope import NUMBERS
from graph.plan.values import ValueType
from question_sets.spider.parsing import Tree, UnsupportedSqlError
from question_sets.spider.patterns import NodeKey, Pattern
from question_sets.spider.schema import converted
from question_sets.spider.variables import Names

Operator = Literal["=", "!=", "<", "<=", ">", ">=", "in", "contains", "starts_with", "ends_with"]
_OPERATORS: dict[type, Operator] = {
    sql.EQ: "=",
    sql.NEQ: "!=",
    sql.LT: "<",
    sql.LTE: "<=",
    sql.GT: ">",
    sql.GTE: ">=",
}
_AGGREGATES: dict[type, AggregateFunction] = {
    sql.Count: AggregateFunction.COUNT,
    sql.Sum: AggregateFunction.SUM,
    sql.Avg: AggregateFunction.AVERAGE,
    sql.Min: AggregateFunction.MIN,
    sql.Max: AggregateFunction.MAX,
}
_ARITHMETIC: dict[type, Literal["+", "-", "*", "/"]] = {sql.Add: "+", sql.Sub: "-", sql.Mul: "*", sql.Div: "/"}
_WILDCARDS = "%_"


class ExpressionReader:
    """Read the expressions of one SELECT; subclasses read its subqueries.

    An aggregate becomes a variable; `aggregates` says which one.
    """

    def __init__(self, names: Names) -> None:
        self.names = names
        self.pattern = Pattern(names)
        self.aggregates: dict[Aggregate, str] = {}
        """The variables of the aggregates, which have no names here."""

    # Values

    def value(self, tree: Tree, name: str = "") -> Expression:
        """Read an expression; `name` is the variable of an aggregate, by default a new one."""
        match tree:
            case sql.Alias() | sql.Paren():
                return self.value(tree.this, name)
            case sql.Column():
                return self.pattern.value(tree)
            case sql.Literal():
                return Constant(str(tree.this) if tree.is_string else _number(str(tree.this)))
            case sql.Neg(this=sql.Literal(is_string=False)):
                return Constant(-_number(str(tree.this.this)))
            case sql.AggFunc():
                return self._aggregate(tree, name)
            case sql.Subquery():
                return self.scalar(tree.this)
        if type(tree) in _ARITHMETIC:
            left, right = (self._numeric(self.value(side)) for side in (tree.left, tree.right))  # type: ignore[attr-defined]
            return Arithmetic(_ARITHMETIC[type(tree)], left, right)
        raise UnsupportedSqlError(f"{tree.key} as a value")

    def scalar(self, tree: Tree) -> Expression:
        """Read a subquery with one value."""
        raise NotImplementedError

    def _numeric(self, value: Expression) -> Expression:
        described = self.names.described(value)
        if described is not None and described.content not in NUMBERS:
            raise UnsupportedSqlError("arithmetic with texts or dates")
        return value

    def _aggregate(self, tree: sql.AggFunc, name: str) -> Variable:
        aggregate = self._read_aggregate(tree)
        if aggregate not in self.aggregates:
            key = getattr(aggregate.value, "key", "") or getattr(aggregate.value, "name", "")
            self.aggregates[aggregate] = name or self.names.fresh(
                f"{aggregate.function}_{key}" if key else str(aggregate.function)
            )
        return Variable(self.aggregates[aggregate])

    def _read_aggregate(self, tree: sql.AggFunc) -> Aggregate:
        function = _AGGREGATES.get(type(tree))
        if function is None:
            raise UnsupportedSqlError(f"{tree.key} as an aggregate")
        inner, is_distinct = tree.this, isinstance(tree.this, sql.Distinct)
        if is_distinct:
            if len(inner.expressions) != 1:
                raise UnsupportedSqlError("an aggregate of several columns")
            [inner] = inner.expressions
        if function is AggregateFunction.COUNT:
            if not is_distinct:
                # Columns have values in all rows, so this counts rows.
                return Aggregate("", function)
            if isinstance(inner, sql.Column) and (key := self.pattern.key(inner)):
                return Aggregate("", function, Variable(self.names.find(key.node)), distinct=True)
        value = self.value(inner)
        if function in (AggregateFunction.SUM, AggregateFunction.AVERAGE):
            self._numeric(value)
        return Aggregate("", function, self.names.settled(value), is_distinct)

    # Conditions

    def add_conjuncts(self, tree: Tree) -> None:
        """Add a condition to the pattern; the equality of two keys unifies their nodes."""
        match tree:
            case sql.Paren():
                self.add_conjuncts(tree.this)
            case sql.And():
                self.add_conjuncts(tree.left)
                self.add_conjuncts(tree.right)
            case sql.Boolean(this=True):
                pass  # sqlglot's condition of a JOIN without ON
            case sql.EQ(this=sql.Column(), expression=sql.Column()) if self.pattern.equate(tree.this, tree.expression):
                pass
            case sql.EQ() | sql.In() if self.add_bound(tree):
                pass
            case _:
                self.pattern.conditions.append(self.condition(tree))

    def add_bound(self, tree: Tree) -> bool:
        """Bind a node to the results of a subquery that has to run first; return whether the condition needs that."""
        raise NotImplementedError

    def condition(self, tree: Tree) -> Expression:
        """Read a condition."""
        match tree:
            case sql.Paren():
                return self.condition(tree.this)
            case sql.And():
                return And(_flat(And, self.condition(tree.left), self.condition(tree.right)))
            case sql.Or():
                return Or(_flat(Or, self.condition(tree.left), self.condition(tree.right)))
            case sql.Not():
                return _negated(self.condition(tree.this))
            case sql.Between():
                value = self.value(tree.this)
                low, high = (self._operand(value, tree.args[side]) for side in ("low", "high"))
                return And((Comparison(">=", value, low), Comparison("<=", value, high)))
            case sql.In():
                return self._membership(tree)
            case sql.Exists():
                raise UnsupportedSqlError("EXISTS")
            case sql.Like():
                found = self._like(tree)
                return Not(found) if tree.args.get("negate") else found
            case sql.Is(expression=sql.Null()):
                return IsMissing(self.value(tree.this))
        operator = _OPERATORS.get(type(tree))
        if operator is None:
            raise UnsupportedSqlError(f"{tree.key} as a condition")
        return self._comparison(operator, cast(sql.Binary, tree))

    def membership(self, items: list[Tree], query: Tree) -> Expression:
        """Read a test whether a subquery has a row with these values."""
        raise NotImplementedError

    def _membership(self, tree: sql.In) -> Expression:
        query = tree.args.get("query")
        if query is not None:
            return self.membership([tree.this], query)
        value = self.value(tree.this)
        items = [self._operand(value, item) for item in tree.expressions]
        if not all(isinstance(item, Constant) for item in items):
            raise UnsupportedSqlError("membership in a list of expressions")
        return Comparison("in", value, Constant(tuple(item.value for item in items if isinstance(item, Constant))))

    def _comparison(self, operator: Operator, tree: sql.Binary) -> Expression:
        left, right = tree.left, tree.right
        if isinstance(right, sql.Subquery) and operator in ("=", "!=") and _is_row_test(right.this):
            found = self.membership([left], right.this)
            return found if operator == "=" else _negated(found)
        if isinstance(left, sql.Column) and isinstance(right, sql.Column) and operator in ("=", "!="):
            first, second = self.pattern.key(left), self.pattern.key(right)
            if first and second and self._are_alike(first, second):
                return Comparison(operator, Variable(first.node), Variable(second.node))
        value = self.value(left)
        return Comparison(operator, value, self._operand(value, right))

    def _are_alike(self, first: NodeKey, second: NodeKey) -> bool:
        tables = self.names.tables
        return tables[first.node] == tables[second.node] and first.value.key == second.value.key

    def _operand(self, left: Expression, tree: Tree) -> Expression:
        """Read what a value is compared with; a literal takes the type of the property."""
        right = self.value(tree)
        described = self.names.described(left)
        if not isinstance(right, Constant) or described is None:
            return right
        try:
            return Constant(converted(str(right.value), described.content))
        except ValueError as error:
            raise UnsupportedSqlError("a literal of another type") from error

    def _like(self, tree: sql.Like) -> Expression:
        value, pattern = self.value(tree.this), tree.expression
        if not isinstance(pattern, sql.Literal):
            raise UnsupportedSqlError("LIKE with a computed pattern")
        text = str(pattern.this)
        described = self.names.described(value)
        if described is None or described.content in (ValueType.FLOAT, ValueType.DATE, ValueType.DATETIME):
            raise UnsupportedSqlError("LIKE with numbers or dates")
        if described.content is ValueType.INTEGER:
            value = Call(Function.TO_STRING, (value,))
        inner = text.strip("%")
        if any(one in inner for one in _WILDCARDS) or not inner:
            raise UnsupportedSqlError("LIKE with wildcards inside")
        operators: dict[tuple[bool, bool], Operator] = {
            (True, True): "contains",
            (True, False): "ends_with",
            (False, True): "starts_with",
            (False, False): "=",
        }
        operator = operators[text.startswith("%"), text.endswith("%")]
        return Comparison(operator, value, Constant(inner), ignore_case=True)


def _number(text: str) -> int | float:
    return int(text) if text.isdigit() else float(text)


def _flat(operator: type[And] | type[Or], left: Expression, right: Expression) -> tuple[Expression, ...]:
    first = left.conditions if isinstance(left, operator) else (left,)
    return (*first, *(right.conditions if isinstance(right, operator) else (right,)))


def _negated(condition: Expression) -> Expression:
    return condition.condition if isinstance(condition, Not) else Not(condition)


def _is_row_test(tree: Tree) -> bool:
    """Return whether `= (SELECT ...)` asks for rows that a condition describes, and not for a number or an extreme."""
    return (
        isinstance(tree, sql.Select)
        and len(tree.expressions) == 1
        and not tree.expressions[0].find(sql.AggFunc)
        and not any(tree.args.get(part) for part in ("group", "order", "limit", "distinct"))
    )
