"""Compile loops over lists to subqueries with one row for each item."""

from dataclasses import replace
from typing import TYPE_CHECKING

from graph.plan.algebra import Comprehension, Loop, Quantifier, Variable
from graph.plan.scope import Types
from graph.plan.values import ValueType
from graph.sqlite.plan_context import blob_literal
from graph.sqlite.values import EMPTY_LIST

if TYPE_CHECKING:
    from graph.sqlite.plan_expressions import ExpressionCompiler

_UNKNOWN = "WHEN count(*) > count(met) THEN NULL"
# Aggregates over the conditions of all items, which are 1, 0, or NULL.
_QUANTIFIERS = {
    "any": f"CASE WHEN max(met) = 1 THEN 1 {_UNKNOWN} ELSE 0 END",
    "all": f"CASE WHEN min(met) = 0 THEN 0 {_UNKNOWN} ELSE 1 END",
    "none": f"CASE WHEN max(met) = 1 THEN 0 {_UNKNOWN} ELSE 1 END",
    "single": f"CASE WHEN sum(met) > 1 THEN 0 {_UNKNOWN} ELSE coalesce(sum(met), 0) END",
}


def quantified(loop: Quantifier, compiler: "ExpressionCompiler") -> str:
    """Compile a quantifier to 1, 0, or NULL."""
    inner, items, places = _over_items(loop, compiler)
    tested = f"SELECT {inner.condition(loop.condition)} AS met FROM {items}"
    return _if_list(f"SELECT {_QUANTIFIERS[loop.quantifier]} FROM ({tested})", places, loop, compiler)


def comprehended(loop: Comprehension, compiler: "ExpressionCompiler") -> str:
    """Compile a comprehension to a stored list."""
    inner, items, places = _over_items(loop, compiler)
    value = inner.list_item(loop.value if loop.value is not None else Variable(loop.name), grouped=False)
    kept = f" WHERE {inner.condition(loop.condition)}" if loop.condition is not None else ""
    built = f"SELECT coalesce(k_gather({value}, place), {blob_literal(EMPTY_LIST)}) FROM {items}{kept}"
    return _if_list(built, places, loop, compiler)


def element_columns(item: str, types: Types) -> tuple[str, ...]:
    """Return the columns of an item of a list, which may be a node or a relationship."""
    if types.names and types.only(ValueType.RELATIONSHIP):
        return (f"k_row({item})", f"k_relation({item})")
    return (f"k_row({item})",) if types.names and types.only(ValueType.NODE) else (item,)


def _over_items(loop: Loop, compiler: "ExpressionCompiler") -> tuple["ExpressionCompiler", str, str]:
    """Return a compiler for expressions over an item, the table of items, and the name of the column they come from."""
    packed, item = (compiler.context.new_name(prefix) for prefix in ("l", "i"))
    scope = compiler.scope.inside(loop)
    columns = {**compiler.columns, loop.name: element_columns(item, scope.variables[loop.name])}
    items = f"(SELECT k_unpacked(value) AS {item}, key AS place FROM json_each({packed}))"
    return replace(compiler, scope=scope, columns=columns), items, packed


def _if_list(query: str, packed: str, loop: Loop, compiler: "ExpressionCompiler") -> str:
    """Run a query over the items of a list, which is evaluated once; NULL for other values."""
    values = f"SELECT k_packed({compiler.value(loop.items)}) AS {packed}"
    return f"(SELECT CASE WHEN {packed} IS NOT NULL THEN ({query}) END FROM ({values}))"
