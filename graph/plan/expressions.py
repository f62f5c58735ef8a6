"""Define the expressions of query plans: each has one value per row.

An expression may match a pattern, as a step does, so `Match` is defined here too.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from graph.plan.functions import Function
from graph.plan.patterns import STRICT, Flag, Name, NodePattern, RelationshipPattern
from graph.plan.values import Value


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
class Column:
    """Name the value of an expression."""

    __pydantic_config__ = STRICT
    name: Name
    value: "Expression"


@dataclass(frozen=True, slots=True)
class MapOf:
    """Build a map, such as `{name: ..., rank: ...}`, to return it, to collect it, or to read its fields."""

    __pydantic_config__ = STRICT
    fields: Annotated[tuple[Column, ...], Field(min_length=1)]
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
class Match:
    """Extend each row by every match of a pattern (SPARQL: join with a basic graph pattern; KoPL: Find and Relate).

    All relationships of one pattern are distinct, as in a Cypher `MATCH`. Node variables that the row has already keep
    their nodes. With `optional`, a row without a match is kept, with missing values (SPARQL: OPTIONAL).
    """

    __pydantic_config__ = STRICT
    nodes: Annotated[tuple[NodePattern, ...], Field(min_length=1)]
    relationships: tuple[RelationshipPattern, ...] = ()
    where: "Expression | None" = None
    optional: Flag = False
    op: Literal["match"] = "match"


@dataclass(frozen=True, slots=True)
class Exists:
    """Test whether a pattern matches at least once, given the variables of the row."""

    __pydantic_config__ = STRICT
    match: Match
    op: Literal["exists"] = "exists"


@dataclass(frozen=True, slots=True)
class CountMatches:
    """Count the matches of a pattern, given the variables of the row."""

    __pydantic_config__ = STRICT
    match: Match
    op: Literal["count_matches"] = "count_matches"


@dataclass(frozen=True, slots=True)
class CollectMatches:
    """List the values of an expression for the matches of a pattern, given the variables of the row, in their order."""

    __pydantic_config__ = STRICT
    match: Match
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
