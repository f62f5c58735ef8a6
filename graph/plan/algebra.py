"""Define query plans: a typed algebra over the rows that graph patterns match.

A plan is a sequence of steps. Each step takes a table of rows and returns a table; the first step takes one empty row.
A row maps variables to nodes, relationships, and values. The vocabulary follows SPARQL 1.1 (section 18) where SPARQL
has the operator, and KoPL otherwise. `docs/reference/query-plans.md` has the grammar and the meaning of each operator.

This module has the steps, and is where all classes of plans are imported from; those of expressions are in
`expressions.py`, and those of patterns in `patterns.py`.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from graph.plan.expressions import And as And
from graph.plan.expressions import Arithmetic as Arithmetic
from graph.plan.expressions import Branch as Branch
from graph.plan.expressions import Call as Call
from graph.plan.expressions import Case as Case
from graph.plan.expressions import CollectMatches as CollectMatches
from graph.plan.expressions import Column as Column
from graph.plan.expressions import Comparison as Comparison
from graph.plan.expressions import Comprehension as Comprehension
from graph.plan.expressions import Constant as Constant
from graph.plan.expressions import CountMatches as CountMatches
from graph.plan.expressions import Exists as Exists
from graph.plan.expressions import Expression as Expression
from graph.plan.expressions import FieldOf as FieldOf
from graph.plan.expressions import HasKind as HasKind
from graph.plan.expressions import IsMissing as IsMissing
from graph.plan.expressions import ListOf as ListOf
from graph.plan.expressions import Loop as Loop
from graph.plan.expressions import MapOf as MapOf
from graph.plan.expressions import Match as Match
from graph.plan.expressions import Not as Not
from graph.plan.expressions import Or as Or
from graph.plan.expressions import Property as Property
from graph.plan.expressions import Quantifier as Quantifier
from graph.plan.expressions import RelationshipType as RelationshipType
from graph.plan.expressions import Subquery as Subquery
from graph.plan.expressions import Variable as Variable
from graph.plan.functions import AggregateFunction as AggregateFunction
from graph.plan.functions import Function as Function
from graph.plan.patterns import STRICT, Flag, Name
from graph.plan.patterns import NodePattern as NodePattern
from graph.plan.patterns import RelationshipPattern as RelationshipPattern

# By default, pydantic also accepts true as a number.
Number = Annotated[int, Field(ge=0, strict=True)]


@dataclass(frozen=True, slots=True)
class Filter:
    """Keep the rows for which a condition is true (SPARQL: Filter)."""

    __pydantic_config__ = STRICT
    condition: Expression
    op: Literal["filter"] = "filter"


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


@dataclass(frozen=True, slots=True)
class ShortestPaths:
    """Extend each row by the shortest paths between two of its nodes, in either direction of each relationship.

    A row whose nodes no path connects is dropped, and so is one whose two nodes are the same. Of the paths with the
    least length, those through nodes with few relationships come first; at most `limit` of them are kept. Paths differ
    in their nodes: of several relationships between the same two nodes, a path has the first one of the graph.

    Attributes:
        source, target: The variables of the two nodes.
        types: Relationship types, as alternatives; an empty tuple allows any type.
        kinds: Kinds, of which each node between the ends has at least one; an empty tuple allows any node.
        node, where: A condition that each node between the ends meets; `node` is its variable, and the only one in it.
        max_length: The most relationships of a path.
        limit: The most paths of a row.
        rank: The variable of the place of a path among those of its row: 1, 2, ...
        nodes, relationships: The variables of the lists of what a path consists of, from `source` to `target`.
        degrees: The variable of the list of how many relationships of `types` each node between the ends has. With
            `where`, those with nodes that do not meet it do not count.
    """

    __pydantic_config__ = STRICT
    source: str
    target: str
    types: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    node: Name = "node"
    where: Expression | None = None
    max_length: Number = 4
    limit: Number = 3
    rank: Name = "rank"
    nodes: Name = "nodes"
    relationships: Name = "relationships"
    degrees: Name = "degrees"
    op: Literal["path"] = "path"

    @property
    def columns(self) -> tuple[str, str, str, str]:
        """Return the variables that the step adds to a row, in order."""
        return (self.rank, self.nodes, self.relationships, self.degrees)

    @property
    def admitted(self) -> Expression | None:
        """Return the condition that each node between the ends meets, with that on kinds; None if all do."""
        kinds = tuple(HasKind(self.node, kind) for kind in self.kinds)
        conditions = [one for one in (Or(kinds) if kinds else None, self.where) if one is not None]
        return And(tuple(conditions)) if len(conditions) > 1 else next(iter(conditions), None)


Step = Annotated[
    Match | Filter | Project | Group | Order | Slice | Unnest | Union | ShortestPaths, Field(discriminator="op")
]


@dataclass(frozen=True, slots=True)
class Plan:
    """A query plan; the columns of the last `Project` or `Group` are the columns of the result."""

    __pydantic_config__ = STRICT
    steps: Annotated[tuple[Step, ...], Field(min_length=1)]
