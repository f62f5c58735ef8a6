"""Compile the expressions of a query plan to SQL; `plan_patterns.py` adds the patterns that some of them contain."""

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    And,
    Arithmetic,
    Call,
    Case,
    CollectMatches,
    Comparison,
    Comprehension,
    Constant,
    CountMatches,
    Exists,
    Expression,
    FieldOf,
    Function,
    HasKind,
    IsMissing,
    ListOf,
    MapOf,
    Match,
    Not,
    Or,
    Property,
    Quantifier,
    RelationshipType,
    Variable,
)
from graph.plan.scope import ELEMENTS, Scope, Types
from graph.plan.values import ValueType
from graph.sqlite.plan_context import Columns, PropertyColumns, QueryContext, blob_literal, is_native
from graph.sqlite.plan_loops import comprehended, element_columns, quantified
from graph.sqlite.plan_text_tests import TextTest
from graph.sqlite.values import EMPTY_LIST, FALSE, LIST, TRUE, encode

_FUNCTIONS = {
    "<": "k_lt",
    "<=": "k_le",
    ">": "k_gt",
    ">=": "k_ge",
    "in": "k_in",
    "contains": "k_contains",
    "starts_with": "k_starts",
    "ends_with": "k_ends",
    "matches": "k_matches",
    "+": "k_add",
    "-": "k_subtract",
    "*": "k_multiply",
    "/": "k_divide",
    "%": "k_remainder",
}
_MAX_ITEMS = 50


@dataclass(frozen=True, slots=True)
class ExpressionCompiler(ABC):
    """Compile expressions over the rows of a table, some of whose columns may hold properties of nodes.

    A sign before a column removes its affinity, which would convert numbers to strings.
    """

    context: QueryContext
    scope: Scope
    columns: Columns
    properties: PropertyColumns

    @abstractmethod
    def matches(self, match: Match, selected: str) -> list[str]:
        """Return queries over the matches of a pattern, one per combination of directions."""

    @abstractmethod
    def values_of(self, match: Match, value: Expression) -> list[str]:
        """Return queries over the matches of a pattern, whose column `v` is the value as an item of a list."""

    def columns_of(self, expression: Expression, grouped: bool) -> tuple[str, ...]:
        """Return the columns that hold a value, a node, or a relationship; `grouped` makes equal values identical."""
        match expression:
            case Variable():
                columns = self.columns[expression.name]
            case Call(function=Function.FIRST | Function.LAST | Function.ITEM):
                columns = element_columns(self._call(expression), self.scope.types(expression))
            case FieldOf():
                field = f"k_field({self.value(expression.map)}, {self.context.parameter(expression.key)})"
                columns = element_columns(field, self.scope.types(expression))
            case Call(function=Function.COALESCE) if self._is_element(expression):
                arguments = [self.columns_of(one, grouped) for one in expression.arguments if self._is_element(one)]
                columns = tuple(f"k_coalesce({', '.join(column)})" for column in zip(*arguments, strict=True))
            case Case() if self._is_element(expression):
                columns = self._chosen(expression, grouped)
            case _:
                columns = (self.value(expression),)
        if grouped and self.scope.types(expression).may_be(ValueType.LIST):
            return (f"k_grouped({columns[0]})",)
        return columns

    def argument(self, aggregate: Aggregate) -> str:
        """Return the argument of an aggregate; lists hold nodes in their stored form."""
        if aggregate.value is None:
            return "1"
        if aggregate.function is AggregateFunction.COLLECT:
            return self.list_item(aggregate.value, grouped=aggregate.distinct)
        return self.columns_of(aggregate.value, grouped=aggregate.distinct)[0]

    def value(self, expression: Expression) -> str:
        """Compile an expression to its stored value."""
        match expression:
            case Variable():
                return self.columns[expression.name][0]
            case Constant():
                return self.context.parameter(encode(expression.value))
            case Property():
                return self._property(expression)
            case RelationshipType():
                relation = self.columns[expression.variable][1]
                return f"(SELECT +name FROM relations WHERE id = {relation})"
            case Call() if self._is_element(expression):
                return self.columns_of(expression, grouped=False)[0]
            case Case():
                return self._chosen(expression, grouped=False)[0]
            case Call():
                return self._call(expression)
            case Arithmetic():
                return (
                    f"{_FUNCTIONS[expression.operator]}({self.value(expression.left)}, {self.value(expression.right)})"
                )
            case ListOf():
                return f"k_list({', '.join(self.list_item(item, grouped=False) for item in expression.items)})"
            case MapOf():
                fields = (
                    f"{self.context.parameter(one.name)}, {self.list_item(one.value, grouped=False)}"
                    for one in expression.fields
                )
                return f"k_map({', '.join(fields)})"
            case FieldOf():
                return self.columns_of(expression, grouped=False)[0]
            case Comprehension():
                return comprehended(expression, self)
            case CollectMatches():
                values = " UNION ALL ".join(self.values_of(expression.match, expression.value))
                types = self.scope.types(expression)
                order = "v" if is_native(Types(types.items)) else "k_rank(v), k_sort(v)"
                numbered = f"SELECT v, row_number() OVER (ORDER BY v IS NULL, {order}) AS n FROM ({values})"
                return f"(SELECT coalesce(k_gather(v, n), {blob_literal(EMPTY_LIST)}) FROM ({numbered}))"
            case CountMatches():
                counts = " UNION ALL ".join(self.matches(expression.match, "count(*) AS n"))
                return f"(SELECT sum(n) FROM ({counts}))"
        return (
            f"CASE {self.condition(expression)} WHEN 1 THEN {blob_literal(TRUE)} WHEN 0 THEN {blob_literal(FALSE)} END"
        )

    def condition(self, expression: Expression) -> str:
        """Compile an expression to 1, 0, or NULL."""
        match expression:
            case Comparison():
                return self._comparison(expression)
            case IsMissing():
                return f"({self.value(expression.value)} IS NULL)"
            case Not():
                return f"(NOT {self.condition(expression.condition)})"
            case And():
                return f"({' AND '.join(map(self.condition, expression.conditions))})"
            case Or():
                return f"({' OR '.join(map(self.condition, expression.conditions))})"
            case HasKind():
                return self._has_kind(expression)
            case Quantifier():
                return quantified(expression, self)
            case Exists():
                return f"({' OR '.join(f'EXISTS ({query})' for query in self.matches(expression.match, '1'))})"
        return f"CASE {self.value(expression)} WHEN {blob_literal(TRUE)} THEN 1 WHEN {blob_literal(FALSE)} THEN 0 END"

    def _is_element(self, expression: Expression) -> bool:
        types = self.scope.types(expression)
        return bool(types.names) and types.only(*ELEMENTS)

    def list_item(self, expression: Expression, grouped: bool) -> str:
        """Compile an item of a list, in which nodes and relationships have a stored form."""
        columns = ", ".join(self.columns_of(expression, grouped))
        types = self.scope.types(expression)
        if types.names and types.only(ValueType.NODE):
            return f"k_node({columns})"
        return f"k_relationship({columns})" if types.names and types.only(ValueType.RELATIONSHIP) else columns

    def _property(self, expression: Property) -> str:
        if found := self.properties.get((expression.variable, expression.key)):
            return found
        element = self.columns[expression.variable][0]
        is_relationship = self.scope.variables[expression.variable].only(ValueType.RELATIONSHIP)
        if self.context.catalogue.is_entity_name(expression.key) and not is_relationship:
            return f"(SELECT +name FROM entities WHERE id = {element})"
        key = self.context.catalogue.keys.get(expression.key, -1)
        table, owner = ("relationship_properties", "triple") if is_relationship else ("node_properties", "entity")
        return f"(SELECT value FROM {table} WHERE {owner} = {element} AND key = {key})"

    def _has_kind(self, expression: HasKind) -> str:
        node, kind = self.columns[expression.variable][0], self.context.catalogue.kinds.get(expression.kind, -1)
        exists = f"EXISTS (SELECT 1 FROM node_labels WHERE label = {kind} AND entity = {node})"
        return f"CASE WHEN {node} IS NOT NULL THEN {exists} END"

    def _chosen(self, case: Case, grouped: bool) -> tuple[str, ...]:
        """Compile the columns of a value that one of several expressions gives; some may be missing nodes."""
        conditions = [self.condition(branch.condition) for branch in case.branches]
        elements = self._is_element(case)
        found = [
            self.columns_of(value, grouped) if not elements or self._is_element(value) else () for value in case.values
        ]
        columns = []
        for place in range(max(map(len, found))):
            results = [one[place] if one else "NULL" for one in found]
            when = " ".join(f"WHEN {test} THEN {result}" for test, result in zip(conditions, results, strict=False))
            columns.append(f"CASE {when} ELSE {results[-1] if case.otherwise is not None else 'NULL'} END")
        return tuple(columns)

    def _call(self, call: Call) -> str:
        arguments = ", ".join(map(self.value, call.arguments))
        match call.function:
            case Function.FIRST:
                return f"k_item({arguments}, 0)"
            case Function.LAST:
                return f"k_item({arguments}, -1)"
        return f"k_{call.function}({arguments})"

    def _comparison(self, expression: Comparison) -> str:
        if native := self._text_test(expression) or self._membership(expression):
            return native
        left, right = self.value(expression.left), self.value(expression.right)
        types = self.scope.types(expression.left), self.scope.types(expression.right)
        operator = expression.operator
        if operator == "in":
            left = self.list_item(expression.left, grouped=False)
        if expression.ignore_case:
            left, right = _lower(left, types[0]), _lower(right, types[1])
        if operator in {"=", "!="}:
            if any(one.may_be(ValueType.LIST) for one in types):
                return f"(k_eq({left}, {right}) = {int(operator == '=')})"
            return f"({left} {operator} {right})"
        if operator in {"<", "<=", ">", ">="} and is_native(*types):
            return f"({left} {operator} {right})"
        return f"{_FUNCTIONS[operator]}({left}, {right})"

    def _text_test(self, comparison: Comparison) -> str | None:
        """Compile a test of a node's property that is a string in all nodes, and of a constant."""
        test = TextTest.of(comparison)
        if test is None or not isinstance(test.value, Property):
            return None
        types, variable = self.scope.types(test.value), test.value.variable
        if not types.names or not types.only(ValueType.STRING):
            return None
        if not self.scope.variables[variable].only(ValueType.NODE):
            return None
        return test.sql(self.context, self.value(test.value), self.columns[variable][0], test.value.key)

    def _membership(self, comparison: Comparison) -> str | None:
        """Compile a test whether a constant list has an item, unless items have to be compared as lists."""
        if comparison.operator != "in" or not isinstance(comparison.right, Constant):
            return None
        items, types = comparison.right.value, self.scope.types(comparison.left)
        if not isinstance(items, tuple) or not items or types.may_be(ValueType.LIST, *ELEMENTS):
            return None
        stored = list(map(encode, items))
        if any(item is None or (isinstance(item, bytes) and item[:1] == LIST) for item in stored):
            return None
        value = self.value(comparison.left)
        if all(isinstance(item, int) or (isinstance(item, str) and "\0" not in item) for item in stored):
            # One parameter, because SQLite takes quadratic time to read many of them.
            return f"({value} IN (SELECT value FROM json_each({self.context.parameter(json.dumps(stored))})))"
        if len(stored) > _MAX_ITEMS:
            return None
        return f"({value} IN ({', '.join(map(self.context.parameter, stored))}))"


def _lower(value: str, types: Types) -> str:
    return f"k_lower({value})" if types.only(ValueType.STRING) else f"coalesce(k_lower({value}), {value})"
