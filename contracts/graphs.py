"""Define the JSON messages that describe a graph: its schema, and what surrounds an entity."""

from typing import Annotated, Any

from pydantic import Field, model_validator

from contracts.base import Contract, EntityName, GraphName, GraphScope, NodeId, Strategy

DEFAULT_MAX_NEIGHBOURS, MAX_MAX_NEIGHBOURS = 50, 500


class MeaningDescription(Contract):
    """The meaning of an element, as the owner of the graph wrote it down.

    Attributes:
        names: Further names, as people say them. The first one is shown in place of the stored name.
        inverse_names: Names of a relationship that is read from its target.
        description: What it is.
        unit: The unit of a property.
        examples: Values or facts that show what it holds.
    """

    names: list[str] = Field(default=[])
    inverse_names: list[str] = Field(default=[])
    description: str = ""
    unit: str = ""
    examples: list[str] = Field(default=[])


class PropertyDescription(Contract):
    """A property of a kind or of a relationship type.

    Attributes:
        stored: The types in which the values are stored.
        content: The type that the values' content has, as which plans read them; null if they do not share one.
        count: The number of nodes or relationships that have the property.
        distinct: The number of different values, divided by `count`; null if it is unknown.
        samples: Some distinct values.
        holds_durations: Whether the values are durations, which plans read as strings.
        epoch: The unit of numbers that count the time since 1970, which plans read as datetimes; else null.
        mixes_durations: Whether other values are stored beside durations; plans cannot sort such a property.
        reading: How plans read texts as numbers or dates, such as `day_first`; null if they need not.
        unread: Why texts that look like numbers or dates stay texts, which plans cannot sort; else null.
        meaning: What the owner of the graph says of it; null if nothing.
    """

    stored: list[str]
    content: str | None
    count: int
    distinct: float | None
    samples: list[Any]
    holds_durations: bool
    epoch: str | None = None
    mixes_durations: bool = False
    reading: str | None = None
    unread: str | None = None
    meaning: MeaningDescription | None = None


class KindDescription(Contract):
    """The nodes of one kind.

    Attributes:
        name_property: The property that names them; null if there is none.
        synonyms: Other nouns for them.
        is_inferred: Whether the graph itself does not have the kind.
        meaning: What the owner of the graph says of them; null if nothing.
    """

    count: int
    properties: dict[str, PropertyDescription]
    name_property: str | None
    synonyms: list[str]
    is_inferred: bool
    meaning: MeaningDescription | None = None


class RelationshipDescription(Contract):
    """The relationships of one type.

    Attributes:
        ends: The pairs of source and target kinds that they connect.
        meaning: What the owner of the graph says of them; null if nothing.
    """

    count: int
    ends: list[tuple[str, str]]
    properties: dict[str, PropertyDescription]
    meaning: MeaningDescription | None = None


class LeftOutDescription(Contract):
    """Values of a property that plans read as missing: `count` of `total`, or 0 of 0 if the numbers are unknown."""

    owner: str
    key: str
    count: int
    total: int


SCOPED_STRATEGIES = frozenset({Strategy.PLAN, Strategy.NEIGHBOURHOOD, Strategy.AUTO})
"""The strategies that see only what is visible within a scope."""


class ServedGraphDescription(Contract):
    """A graph that can be asked, and the strategies that are available for it."""

    name: str
    strategies: list[Strategy]


class GraphsResponse(Contract):
    """The graphs that can be asked, the default one first."""

    graphs: list[ServedGraphDescription]


class SchemaRequest(Contract):
    """Request for the contents of a graph, within a scope; by default, of the first one that the retriever serves."""

    graph: GraphName | None = None
    scope: GraphScope = ()


class SchemaResponse(Contract):
    """The contents of a graph, by kind and by relationship type; the kind `""` stands for nodes without a kind.

    Attributes:
        omitted: Properties that are left out, with the reason.
        left_out: Properties that lack some values.
        is_composed: Whether all names and texts have Unicode's composed form.
    """

    kinds: dict[str, KindDescription]
    relationships: dict[str, RelationshipDescription]
    omitted: list[str]
    left_out: list[LeftOutDescription]
    is_composed: bool
    graph_version: str


class NeighboursRequest(Contract):
    """Request for the properties and the neighbours of one entity, which `entity` (its name) or `id` identifies.

    Attributes:
        relations: The relationship types to follow; by default, all.
        max_neighbours: The maximum number of neighbours in each direction.
    """

    entity: EntityName | None = None
    id: NodeId | None = None
    relations: Annotated[tuple[EntityName, ...], Field(max_length=50)] = ()
    max_neighbours: Annotated[int, Field(ge=1, le=MAX_MAX_NEIGHBOURS, strict=True)] = DEFAULT_MAX_NEIGHBOURS
    graph: GraphName | None = None

    @model_validator(mode="after")
    def _identifies_one_entity(self) -> "NeighboursRequest":
        if (self.entity is None) == (self.id is None):
            raise ValueError("give either `entity`, a name, or `id`")
        return self


class ScopedNeighboursRequest(NeighboursRequest):
    """Request for what surrounds an entity within a scope; between services only."""

    scope: GraphScope = ()


class Node(Contract):
    """A node: the store's id, its name exactly as the graph spells it, and its kinds."""

    id: str
    name: str
    kinds: list[str]


class Neighbour(Contract):
    """A node that a relationship connects with the entity; the entity is the source unless it `is_incoming`."""

    relation: str
    is_incoming: bool
    node: Node


class NeighboursResponse(Contract):
    """An entity, its properties, and its neighbours.

    Attributes:
        namesakes: Further entities with the requested name; ask for one by its `id`.
        properties: The values of the entity's properties; a date is `{"date": "1996-08-01"}`.
        truncated: Whether the entity has more neighbours than are listed.
    """

    entity: Node
    namesakes: list[Node]
    properties: dict[str, Any]
    neighbours: list[Neighbour]
    truncated: bool
    graph_version: str
