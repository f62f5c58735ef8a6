"""Describe what a property graph contains: kinds, properties with their types, and relationship types."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from graph.plan.reading_detection import Unread
from graph.plan.text_readings import TextReading
from graph.plan.values import Value, ValueType


class EpochUnit(StrEnum):
    """Units of the numbers that count the time since 1970."""

    SECONDS = "epoch_seconds"
    MILLISECONDS = "epoch_milliseconds"


_ALL_OMITTED = "the properties are too large"


@dataclass(frozen=True, slots=True)
class Meaning:
    """Say what an element of a graph means, as its owner wrote it down.

    Attributes:
        names: Further names, as people say them. The first one is shown in place of the stored name.
        inverse_names: Names of a relationship that is read from its target: `manages` for `rpts_to`.
        description: What it is, in a sentence.
        unit: The unit of a property whose name does not say it.
        examples: Values or facts that show what it holds.
        is_hidden: Whether the element does not exist for questions.
    """

    names: tuple[str, ...] = ()
    inverse_names: tuple[str, ...] = ()
    description: str = ""
    unit: str = ""
    examples: tuple[str, ...] = ()
    is_hidden: bool = False

    def completed(self, general: "Meaning") -> "Meaning":
        """Return this meaning with what a more general one says where this one says nothing."""
        return Meaning(
            self.names or general.names,
            self.inverse_names or general.inverse_names,
            self.description or general.description,
            self.unit or general.unit,
            self.examples or general.examples,
            self.is_hidden or general.is_hidden,
        )


@dataclass(frozen=True, slots=True)
class PropertySchema:
    """Describe one property of a kind or of a relationship type.

    Attributes:
        stored: The types in which the values are stored. A property may have several, because graphs do not fix types.
        content: The type that the values' content has, such as a float for the string `"32.38"`; equal to the stored
            type in most cases. None if the values do not share one type.
        count: The number of nodes or relationships that have the property.
        distinct: The number of different values, divided by `count`.
        samples: Some distinct values, for linking and for display.
        holds_durations: Whether the store keeps durations, which plans read as strings.
        epoch: The unit of numbers that count the time since 1970, which plans read as datetimes.
        mixes_durations: Whether other values beside durations are stored, so that the values have no common order.
        reading: How texts are read as numbers or dates, which they are not written as plans write them.
        unread: Why texts that look like numbers or dates stay texts, which plans neither sort nor compare by size.
        meaning: What its owner says of it.
    """

    stored: frozenset[ValueType]
    content: ValueType | None
    count: int = 0
    distinct: float = 1.0
    samples: tuple[Value, ...] = ()
    holds_durations: bool = False
    epoch: EpochUnit | None = None
    mixes_durations: bool = False
    reading: TextReading | None = None
    unread: Unread | None = None
    meaning: Meaning | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Return its further names."""
        return self.meaning.names if self.meaning else ()

    @property
    def are_durations(self) -> bool:
        """Return whether all values are durations."""
        return self.holds_durations and not self.mixes_durations


@dataclass(frozen=True, slots=True)
class KindSchema:
    """Describe the nodes of one kind.

    `name_property` is the property that names them, if there is one; `synonyms` are other nouns for them, in words. The
    graph does not have the kind itself if it `is_inferred`. `meaning` is what its owner says of it.
    """

    count: int
    properties: Mapping[str, PropertySchema]
    name_property: str | None = None
    synonyms: tuple[str, ...] = ()
    is_inferred: bool = False
    meaning: Meaning | None = None

    @property
    def nouns(self) -> tuple[str, ...]:
        """Return its further names, and then its synonyms, each of them once."""
        return tuple(dict.fromkeys((*(self.meaning.names if self.meaning else ()), *self.synonyms)))


@dataclass(frozen=True, slots=True)
class RelationshipSchema:
    """Describe the relationships of one type; `ends` are the pairs of source and target kinds that they connect.

    `meaning` is what their owner says of them.
    """

    count: int
    ends: frozenset[tuple[str, str]]
    properties: Mapping[str, PropertySchema] = field(default_factory=dict)
    meaning: Meaning | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Return their further names, and then those of their inverse."""
        return (*self.meaning.names, *self.meaning.inverse_names) if self.meaning else ()


@dataclass(frozen=True, slots=True)
class LeftOutValues:
    """Count the values of a property that plans read as missing, because no property can hold them.

    `owner` is a kind, `""` for nodes without one, or a relationship type. `count` of `total` values are missing; both
    are 0 if the numbers are unknown.
    """

    owner: str
    key: str
    count: int
    total: int

    def __str__(self) -> str:
        number = f"{self.count:,} of {self.total:,}" if self.count else "Some"
        return f"{number} values of {f'{self.owner}.' if self.owner else ''}{self.key}"


@dataclass(frozen=True)
class GraphSchema:
    """Describe a graph, by kind and by relationship type.

    The kind `""` stands for nodes without a kind. `omitted` names properties that are left out, with the reason, and
    `left_out` counts missing values of properties that plans can use. `hidden` holds the labels or relationship types,
    or `""` for all, and the keys of hidden properties; it is for compilers, and never shown. All names and texts have
    Unicode's composed form if the graph `is_composed`. `meanings` holds what the owner says, by address; see
    `graph.plan.meaning`.
    """

    kinds: Mapping[str, KindSchema]
    relationships: Mapping[str, RelationshipSchema]
    omitted: tuple[str, ...] = ()
    hidden: frozenset[tuple[str, str]] = field(default=frozenset(), repr=False)
    left_out: tuple[LeftOutValues, ...] = ()
    is_composed: bool = False
    meanings: Mapping[tuple[str, ...], Meaning] = field(default_factory=dict, repr=False)

    # Plans are checked by the thousand for one question, and a schema may have thousands of properties.
    @cached_property
    def node_keys(self) -> frozenset[str]:
        """Return the keys of the properties of all nodes."""
        return frozenset(key for kind in self.kinds.values() for key in kind.properties)

    @cached_property
    def relationship_keys(self) -> frozenset[str]:
        """Return the keys of the properties of all relationships."""
        return frozenset(key for one in self.relationships.values() for key in one.properties)

    @cached_property
    def duration_keys(self) -> frozenset[str]:
        """Return the keys of the properties that hold durations."""
        owners: tuple[KindSchema | RelationshipSchema, ...] = (*self.kinds.values(), *self.relationships.values())
        return frozenset(key for owner in owners for key, one in owner.properties.items() if one.holds_durations)

    @property
    def holds_durations(self) -> bool:
        """Return whether any property holds durations."""
        return bool(self.duration_keys)

    @cached_property
    def text_keys(self) -> frozenset[str]:
        """Return the keys of properties whose texts have a reading, or lack one."""
        owners: tuple[KindSchema | RelationshipSchema, ...] = (*self.kinds.values(), *self.relationships.values())
        found = ((key, one) for owner in owners for key, one in owner.properties.items())
        return frozenset(key for key, one in found if one.reading is not None or one.unread is not None)

    def names_of(self, name: str) -> tuple[str, ...]:
        """Return the further names of the relationship types and properties with a name."""
        types = self.relationships[name].names if name in self.relationships else ()
        owners: tuple[KindSchema | RelationshipSchema, ...] = (*self.kinds.values(), *self.relationships.values())
        found = (owner.properties[name].names for owner in owners if name in owner.properties)
        return tuple(dict.fromkeys((*types, *(one for names in found for one in names))))

    def withholds(self, key: str) -> bool:
        """Return whether the graph may have a property that the schema lacks: it is hidden, or left out."""
        names = {key, key.split(".")[0]}  # a part of a point
        if any(name in names for _, name in self.hidden) or any(_ALL_OMITTED in text for text in self.omitted):
            return True
        return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in names for text in self.omitted)
