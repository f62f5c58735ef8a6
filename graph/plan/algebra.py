"""Define query plans: a typed algebra over the rows that graph patterns match.

A plan is a sequence of steps. Each step takes a table of rows and returns a table; the first step takes one empty row.
A row maps variables to nodes, relationships, and values. The vocabulary follows SPARQL 1.1 (section 18) where SPARQL
has the operator, and KoPL otherwise. `docs/reference/query-plans.md` has the grammar and the meaning of each operator.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from graph.plan.functions import AggregateFunction as AggregateFunction
from graph.plan.functions import Function as Function
from graph.plan.patterns import STRICT, Name
from graph.plan.patterns import NodePattern as NodePattern
from graph.plan.patterns import RelationshipPattern as RelationshipPattern
from graph.plan.values import Value

# By default, pydantic also accepts the string "yes" as a boolean, and true as a number.
Flag = Annotated[bool, Field(strict=True)]
Number = Annotated[int, Field(ge=0, strict=True)]


# Expressions: each has one value per row.


@dataclass(frozen=True, slots=True)
class Variable:
    """Refer to a node, a relationship, or a column of the row."""

    __pydantic_config__ = STRICT
    name: str
    op: Literal["variable"] = "variable"


@dataclass(frozen=True, slots=True)
class Constant:
    """Hold a value that is the same in all rows; compilers always pass it as a parameter."""

    __pydantic_config__ = STRICT
    value: Value
    op: Literal["constant"] = "constant"


@dataclass(frozen=True, slots=True)
class Property:
    """Read a property of the node or relationship in `variable`; a missing value if there is no such property.

    The value has the type of the property's content; with `as_stored`, it has its storage type, so that `"9.50"` stays
    a string although its content is a number.
    """

    __pydantic_config__ = STRICT
    variable: str
    key: str
    as_stored: Flag = False
    op: Literal["property"] = "property"


@dataclass(frozen=True, slots=True)
class HasKind:
    """Test whether the node in `variable` has a kind."""

    __pydantic_config__ = STRICT
    variable: str
    kind: str
    op: Literal["has_kind"] = "has_kind"


@dataclass(frozen=True, slots=True)
class RelationshipType:
    """Read the type of the relationship in `variable`."""

    __pydantic_config__ = STRICT
    variable: str
    op: Literal["relationship_type"] = "relationship_type"


@dataclass(frozen=True, slots=True)
class Call:
    """Apply a function to values."""

    __pydantic_config__ = STRICT
    function: Function
    arguments: tuple["Expression", ...]
    op: Literal["call"] = "call"


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Combine two numbers, or concatenate two strings with `+`.

    Integer operands give an integer, and division truncates toward zero. Division by zero gives a missing value.
    """

    __pydantic_config__ = STRICT
    operator: Literal["+", "-", "*", "/", "%"]
    left: "Expression"
    right: "Expression"
    op: Literal["arithmetic"] = "arithmetic"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Compare two values; unknown if one is missing or, except for `=` and `!=`, if their types differ.

    `in` tests membership in a list, and `matches` whether a constant regular expression matches the whole string. With
    `ignore_case`, strings are compared in lower case.
    """

    __pydantic_config__ = STRICT
    operator: Literal["=", "!=", "<", "<=", ">", ">=", "in", "contains", "starts_with", "ends_with", "matches"]
    left: "Expression"
    right: "Expression"
    ignore_case: Flag = False
    op: Literal["comparison"] = "comparison"


@dataclass(frozen=True, slots=True)
class IsMissing:
    """Test whether a value is missing."""

    __pydantic_config__ = STRICT
    value: "Expression"
    op: Literal["is_missing"] = "is_missing"


@dataclass(frozen=True, slots=True)
class Not:
    """Negate a condition; unknown stays unknown."""

    __pydantic_config__ = STRICT
    condition: "Expression"
    op: Literal["not"] = "not"


@dataclass(frozen=True, slots=True)
class And:
    """Require all conditions, in three-valued logic."""

    __pydantic_config__ = STRICT
    conditions: Annotated[tuple["Expression", ...], Field(min_length=1)]
    op: Literal["and"] = "and"


@dataclass(frozen=True, slots=True)
class Or:
    """Require at least one condition, in three-valued logic."""

    __pydantic_config__ = STRICT
    conditions: Annotated[tuple["Expression", ...], Field(min_length=1)]
    op: Literal["or"] = "or"


@dataclass(frozen=True, slots=True)
class Branch:
    """Give a value if a condition is true; a part of a `Case`."""

    __pydantic_config__ = STRICT
    condition: "Expression"
    value: "Expression"


@dataclass(frozen=True, slots=True)
class Case:
    """Choose the value of the first branch whose condition is true; else `otherwise`, or a missing value."""

    __pydantic_config__ = STRICT
    branches: Annotated[tuple[Branch, ...], Field(min_length=1)]
    otherwise: "Expression | None" = None
    op: Literal["case"] = "case"

    @property
    def values(self) -> tuple["Expression", ...]:
        """Return the expressions of which one gives the value."""
        values = tuple(branch.value for branch in self.branches)
        return values if self.otherwise is None else (*values, self.otherwise)


@dataclass(frozen=True, slots=True)
class ListOf:
    """Build a list from values, of which some may be missing."""

    __pydantic_config__ = STRICT
    items: tuple["Expression", ...]
    op: Literal["list"] = "list"


@dataclass(frozen=True, slots=True)
class MapOf:
    """Build a map, such as `{name: ..., rank: ...}`, to return it, to collect it, or to read its fields."""

    __pydantic_config__ = STRICT
    fields: Annotated[tuple["Column", ...], Field(min_length=1)]
    op: Literal["map"] = "map"


@dataclass(frozen=True, slots=True)
class FieldOf:
    """Read a field of a map; missing if it has no such field."""

    __pydantic_config__ = STRICT
    map: "Expression"
    key: Name
    op: Literal["field"] = "field"


@dataclass(frozen=True, slots=True)
class Comprehension:
    """Build a list from the items of a list for which a condition is true; `name` is bound to each item in turn.

    Without `value`, the items themselves are the items of the new list.
    """

    __pydantic_config__ = STRICT
    name: Name
    items: "Expression"
    condition: "Expression | None" = None
    value: "Expression | None" = None
    op: Literal["comprehension"] = "comprehension"


@dataclass(frozen=True, slots=True)
class Quantifier:
    """Test whether a condition is true for any, all, none, or exactly one of the items of a list.

    The result is unknown where it depends on an item for which the condition is unknown.
    """

    __pydantic_config__ = STRICT
    quantifier: Literal["any", "all", "none", "single"]
    name: Name
    items: "Expression"
    condition: "Expression"
    op: Literal["quantifier"] = "quantifier"


Loop = Comprehension | Quantifier
"""Expressions that bind a variable to each item of a list."""


@dataclass(frozen=True, slots=True)
class Exists:
    """Test whether a pattern matches at least once, given the variables of the row."""

    __pydantic_config__ = STRICT
    match: "Match"
    op: Literal["exists"] = "exists"


@dataclass(frozen=True, slots=True)
class CountMatches:
    """Count the matches of a pattern, given the variables of the row."""

    __pydantic_config__ = STRICT
    match: "Match"
    op: Literal["count_matches"] = "count_matches"


@dataclass(frozen=True, slots=True)
class CollectMatches:
    """List the values of an expression for the matches of a pattern, given the variables of the row, in their order."""

    __pydantic_config__ = STRICT
    match: "Match"
    value: "Expression"
    op: Literal["collect_matches"] = "collect_matches"


Subquery = Exists | CountMatches | CollectMatches
"""Expressions that match a pattern."""

Expression = Annotated[
    Variable
    | Constant
    | Property
    | HasKind
    | RelationshipType
    | Call
    | Arithmetic
    | Comparison
    | IsMissing
    | Not
    | And
    | Or
    | Case
    | ListOf
    | MapOf
    | FieldOf
    | Comprehension
    | Quantifier
    | Exists
    | CountMatches
    | CollectMatches,
    Field(discriminator="op"),
]


# Steps: each turns a table into a table.


@dataclass(frozen=True, slots=True)
class Match:
    """Extend each row by every match of a pattern (SPARQL: join with a basic graph pattern; KoPL: Find and Relate).

    All relationships of one pattern are distinct, as in a Cypher `MATCH`. Node variables that the row has already keep
    their nodes. With `optional`, a row without a match is kept, with missing values (SPARQL: OPTIONAL).
    """

    __pydantic_config__ = STRICT
    nodes: Annotated[tuple[NodePattern, ...], Field(min_length=1)]
    relationships: tuple[RelationshipPattern, ...] = ()
    where: Expression | None = None
    optional: Flag = False
    op: Literal["match"] = "match"


@dataclass(frozen=True, slots=True)
class Filter:
    """Keep the rows for which a condition is true (SPARQL: Filter)."""

    __pydantic_config__ = STRICT
    condition: Expression
    op: Literal["filter"] = "filter"


@dataclass(frozen=True, slots=True)
class Column:
    """Name the value of an expression."""

    __pydantic_config__ = STRICT
    name: Name
    value: Expression


@dataclass(frozen=True, slots=True)
class Project:
    """Replace each row by the given columns (SPARQL: Project and Extend); with `distinct`, drop repeated rows."""

    __pydantic_config__ = STRICT
    columns: Annotated[tuple[Column, ...], Field(min_length=1)]
    distinct: Flag = False
    op: Literal["project"] = "project"


@dataclass(frozen=True, slots=True)
class Aggregate:
    """Aggregate the values of a group under a column name; without `value`, count the rows."""

    __pydantic_config__ = STRICT
    name: Name
    function: AggregateFunction
    value: Expression | None = None
    distinct: Flag = False


@dataclass(frozen=True, slots=True)
class Group:
    """Replace the rows that have equal keys by one row of keys and aggregates (SPARQL: Group and Aggregation).

    Without keys, all rows form one group, even if there are none.
    """

    __pydantic_config__ = STRICT
    keys: tuple[Column, ...]
    aggregates: tuple[Aggregate, ...]
    op: Literal["group"] = "group"


@dataclass(frozen=True, slots=True)
class SortKey:
    """Sort by a value; missing values come last unless `missing_first`."""

    __pydantic_config__ = STRICT
    value: Expression
    descending: Flag = False
    missing_first: Flag = False


@dataclass(frozen=True, slots=True)
class Order:
    """Sort the rows (SPARQL: OrderBy). Rows with equal keys follow in an order that both stores share."""

    __pydantic_config__ = STRICT
    keys: Annotated[tuple[SortKey, ...], Field(min_length=1)]
    op: Literal["order"] = "order"


@dataclass(frozen=True, slots=True)
class Slice:
    """Keep `limit` rows after `offset` (SPARQL: Slice); with `per`, in each group of rows with equal variables."""

    __pydantic_config__ = STRICT
    limit: Number
    offset: Number = 0
    per: tuple[str, ...] = ()
    op: Literal["slice"] = "slice"


@dataclass(frozen=True, slots=True)
class Unnest:
    """Replace each row by one row per item of a list; a row with an empty or missing list is dropped."""

    __pydantic_config__ = STRICT
    name: Name
    items: Expression
    op: Literal["unnest"] = "unnest"


@dataclass(frozen=True, slots=True)
class Union:
    """Concatenate the rows of several plans with the same columns (SPARQL: Union); only as the first step."""

    __pydantic_config__ = STRICT
    plans: Annotated[tuple["Plan", ...], Field(min_length=2)]
    distinct: Flag = True
    op: Literal["union"] = "union"


Step = Annotated[Match | Filter | Project | Group | Order | Slice | Unnest | Union, Field(discriminator="op")]


@dataclass(frozen=True, slots=True)
class Plan:
    """A query plan; the columns of the last `Project` or `Group` are the columns of the result."""

    __pydantic_config__ = STRICT
    steps: Annotated[tuple[Step, ...], Field(min_length=1)]
