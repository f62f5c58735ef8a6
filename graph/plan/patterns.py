"""Define the nodes and relationships of the patterns that query plans match."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

STRICT = ConfigDict(extra="forbid")
"""Refuses unknown fields in the JSON of a plan."""
Name = Annotated[str, Field(min_length=1)]
Flag = Annotated[bool, Field(strict=True)]
"""Refuses strings such as "yes", which pydantic otherwise accepts as a boolean."""


@dataclass(frozen=True, slots=True)
class NodePattern:
    """Match a node that has all `kinds` (Neo4j: labels), and bind it to `variable`.

    With `ids`, only the nodes with these store ids match, as for linked topic entities.
    """

    __pydantic_config__ = STRICT
    variable: Name
    kinds: tuple[str, ...] = ()
    ids: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class RelationshipPattern:
    """Match a relationship between two node variables, and bind it to `variable`.

    `types` are alternatives; an empty tuple allows any type. With direction `both`, either end may be the source.
    """

    __pydantic_config__ = STRICT
    source: str
    target: str
    types: tuple[str, ...] = ()
    direction: Literal["out", "both"] = "out"
    variable: Name | None = None
