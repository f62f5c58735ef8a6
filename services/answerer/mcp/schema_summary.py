"""Summarise a graph's schema for readers with little room."""

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import TypeVar

from services.answerer.mcp.messages import KindSummary, PropertySummary, RelationshipSummary, SchemaResult
from shared.errors import InvalidInputError
from shared.graph_contracts import KindDescription, PropertyDescription, RelationshipDescription, SchemaResponse

_MAX_KINDS, _MAX_TYPES, _MAX_ENDS = 40, 60, 10
_MAX_SAMPLES, _MAX_SAMPLE_CHARACTERS = 3, 60
_FEW_PROPERTIES, _MANY_PROPERTIES = 15, 200

_Described = TypeVar("_Described", KindDescription, RelationshipDescription, PropertyDescription)


def summarised(schema: SchemaResponse, kinds: Collection[str] = ()) -> SchemaResult:
    """Return the most frequent parts of a schema, or all that concerns some kinds.

    Raises:
        InvalidInputError: The graph does not have one of the kinds.
    """
    for unknown in [kind for kind in kinds if kind not in schema.kinds]:
        near = get_close_matches(unknown, schema.kinds, cutoff=0.5) or sorted(schema.kinds)[:_MAX_SAMPLES]
        raise InvalidInputError(f"the graph has no kind {unknown!r}; it has {', '.join(map(repr, near))}")
    wanted = {name: schema.kinds[name] for name in kinds} or schema.kinds
    types = {
        name: one
        for name, one in schema.relationships.items()
        if not kinds or any({*ends} & {*kinds} for ends in one.ends)
    }
    limit = _MANY_PROPERTIES if kinds else _FEW_PROPERTIES
    listed_kinds, listed_types = _most_frequent(wanted, _MAX_KINDS), _most_frequent(types, _MAX_TYPES)
    return SchemaResult(
        kinds={name: _kind(one, limit) for name, one in listed_kinds.items()},
        relationships={name: _relationship(one, limit) for name, one in listed_types.items()},
        kinds_left_out=len(wanted) - len(listed_kinds),
        relationships_left_out=len(types) - len(listed_types),
    )


def _most_frequent(described: Mapping[str, _Described], limit: int) -> dict[str, _Described]:
    names = sorted(described, key=lambda name: -described[name].count)[:limit]
    return {name: described[name] for name in sorted(names)}


def _kind(kind: KindDescription, limit: int) -> KindSummary:
    return KindSummary(count=kind.count, named_by=kind.name_property, properties=_properties(kind.properties, limit))


def _relationship(one: RelationshipDescription, limit: int) -> RelationshipSummary:
    return RelationshipSummary(
        count=one.count, connects=one.ends[:_MAX_ENDS], properties=_properties(one.properties, limit)
    )


def _properties(described: Mapping[str, PropertyDescription], limit: int) -> dict[str, PropertySummary]:
    return {
        key: PropertySummary(
            type=one.content or " or ".join(one.stored), count=one.count, samples=_samples(one.samples)
        )
        for key, one in _most_frequent(described, limit).items()
    }


def _samples(values: list[object]) -> list[object]:
    return [
        f"{value[: _MAX_SAMPLE_CHARACTERS - 1]}…"
        if isinstance(value, str) and len(value) > _MAX_SAMPLE_CHARACTERS
        else value
        for value in values[:_MAX_SAMPLES]
    ]
