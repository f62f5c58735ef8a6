"""Parse SQL, and find what the queries of a database say about its columns."""

from collections.abc import Iterator, Mapping

import sqlglot
from sqlglot import expressions as sql

from question_sets.spider.keys import Place
from shared.errors import KGQAError

Tree = sql.Expr
"""Any part of a query."""

_COMPARISONS = (sql.EQ, sql.NEQ, sql.LT, sql.LTE, sql.GT, sql.GTE, sql.Like, sql.In, sql.Between)


class UnsupportedSqlError(KGQAError):
    """Raised for a SQL construct that the translation does not cover; the message names the construct."""


def parse_sql(query: str) -> Tree:
    """Parse a query in SQLite's dialect. A text in double quotes is a literal, as Spider uses them."""
    try:
        tree = sqlglot.parse_one(query, read="sqlite")
    except sqlglot.errors.SqlglotError as error:
        raise UnsupportedSqlError("unreadable SQL") from error

    def literal(part: Tree) -> Tree:
        if isinstance(part, sql.Column) and part.this.args.get("quoted") and not part.table:
            return sql.Literal.string(part.name)
        return part

    return tree.transform(literal)


class QueryColumns:
    """Resolve the columns of a query without translating it."""

    def __init__(self, tree: Tree, columns: Mapping[str, set[str]]) -> None:
        """`columns` holds the columns of each table, in lower case."""
        self._tree = tree
        self._columns = columns

    def literals(self) -> Iterator[tuple[Place, str]]:
        """Yield each literal that the query compares with a column; `LIKE` patterns keep their percent signs."""
        for part in self._tree.find_all(*_COMPARISONS):
            sides = [side for side in part.iter_expressions() if not isinstance(side, sql.Subquery)]
            places = [place for side in sides if isinstance(side, sql.Column) and (place := self._place(side))]
            for side in sides:
                value = side.this if isinstance(side, sql.Neg) else side
                if isinstance(value, sql.Literal) and len(places) == 1:
                    yield places[0], f"{'-' * isinstance(side, sql.Neg)}{value.this}"

    def measures(self) -> Iterator[Place]:
        """Yield the columns that the query sums or averages, which hold numbers whatever their published type is."""
        for call in self._tree.find_all(sql.Sum, sql.Avg):
            for column in call.find_all(sql.Column):
                if place := self._place(column):
                    yield place

    def joins(self) -> Iterator[tuple[Place, Place]]:
        """Yield each pair of columns that the query compares for equality, or that a subquery has to contain."""
        for part in self._tree.find_all(sql.EQ, sql.In):
            query = part.args.get("query") or part.args.get("expression")
            right = query
            if isinstance(query, sql.Subquery) and isinstance(query.this, sql.Select):
                right = query.this.expressions[0].unalias()
            if isinstance(part.this, sql.Column) and isinstance(right, sql.Column):
                places = self._place(part.this), self._place(right)
                if places[0] and places[1]:
                    yield places[0], places[1]

    def _place(self, column: sql.Column) -> Place | None:
        select = column.find_ancestor(sql.Select)
        while select is not None:
            from_ = select.args.get("from_")
            sources = [from_, *(select.args.get("joins") or ())]
            for table in (one.this for one in sources if one is not None):
                name = column.name.lower()
                if not isinstance(table, sql.Table) or name not in self._columns.get(table.name.lower(), ()):
                    continue
                if not column.table or column.table.lower() == table.alias_or_name.lower():
                    return table.name.lower(), name
            select = select.find_ancestor(sql.Select)
        return None
