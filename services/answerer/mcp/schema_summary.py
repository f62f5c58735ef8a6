"""Summarise a graph's schema for readers with little room."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TypeVar

from contracts.graphs import (
    KindDescription,
    MeaningDescription,
    PropertyDescription,
    RelationshipDescription,
    SchemaResponse,
)
from graph.plan.meaning import meaning_text
from graph.plan.schema import Meaning
from services.answerer.mcp.messages import KindSummary, PropertySummary, RelationshipSummary, SchemaResult
from shared.errors import InvalidInputError

_MAX_CHARACTERS = 30_000
"""Length of an overview; agents refuse to read much more."""
_MAX_ENDS, _MAX_SAMPLE_CHARACTERS = 10, 60


@dataclass(frozen=True, slots=True)
class _Detail:
    """The maximum numbers of kinds, relationship types, properties of each, and samples of each property."""

    kinds: int
    types: int
    properties: int
    samples: int


_WHOLE = _Detail(50, 100, 200, 3)
_OVERVIEWS = (_Detail(40, 60, 15, 3), _Detail(40, 60, 8, 1), _Detail(40, 60, 4, 0), _Detail(20, 30, 3, 0))
"""Details of an overview, of which the first that is short enough is taken."""

_Described = TypeVar("_Described", KindDescription, RelationshipDescription, PropertyDescription)


def summarised(schema: SchemaResponse, kinds: Collection[str] = ()) -> SchemaResult:
    """Return an overview of the most frequent parts of a schema, or all that concerns some kinds.

    Raises:
        InvalidInputError: The graph does not have one of the kinds.
    """
    for unknown in [kind for kind in kinds if kind not in schema.kinds]:
        near = get_close_matches(unknown, schema.kinds, cutoff=0.5) or sorted(schema.kinds)[:3]
        raise InvalidInputError(f"the graph has no kind {unknown!r}; it has {', '.join(map(repr, near))}")
    wanted = {name: schema.kinds[name] for name in kinds} or schema.kinds
    types = {
        name: one
        for name, one in schema.relationships.items()
        if not kinds or any({*ends} & {*kinds} for ends in one.ends)
    }
    for detail in (_WHOLE,) if kinds else _OVERVIEWS:
        summary = _summary(wanted, types, detail)
        if len(summary.model_dump_json()) <= _MAX_CHARACTERS:
            break
    return summary


def _summary(
    kinds: Mapping[str, KindDescription], types: Mapping[str, RelationshipDescription], detail: _Detail
) -> SchemaResult:
    listed_kinds, listed_types = _most_frequent(kinds, detail.kinds), _most_frequent(types, detail.types)
    return SchemaResult(
        kinds={name: _kind(one, detail) for name, one in listed_kinds.items()},
        relationships={name: _relationship(one, detail) for name, one in listed_types.items()},
        kinds_left_out=len(kinds) - len(listed_kinds),
        relationships_left_out=len(types) - len(listed_types),
    )


def _most_frequent(described: Mapping[str, _Described], limit: int) -> dict[str, _Described]:
    names = sorted(described, key=lambda name: -described[name].count)[:limit]
    return {name: described[name] for name in sorted(names)}


def _kind(kind: KindDescription, detail: _Detail) -> KindSummary:
    return KindSummary(
        count=kind.count,
        named_by=kind.name_property,
        properties=_properties(kind.properties, detail),
        means=_means(kind.meaning),
    )


def _relationship(one: RelationshipDescription, detail: _Detail) -> RelationshipSummary:
    return RelationshipSummary(
        count=one.count,
        connects=one.ends[:_MAX_ENDS],
        properties=_properties(one.properties, detail),
        means=_means(one.meaning),
    )


def _means(said: MeaningDescription | None) -> str:
    return meaning_text(Meaning(**said.model_dump())) if said else ""


def _properties(described: Mapping[str, PropertyDescription], detail: _Detail) -> dict[str, PropertySummary]:
    return {
        key: PropertySummary(
            type=one.content or " or ".join(one.stored),
            count=one.count,
            samples=list(map(_sample, one.samples[: detail.samples])),
            means=_means(one.meaning),
        )
        for key, one in _most_frequent(described, detail.properties).items()
    }


def _sample(value: object) -> object:
    is_long = isinstance(value, str) and len(value) > _MAX_SAMPLE_CHARACTERS
    return f"{str(value)[: _MAX_SAMPLE_CHARACTERS - 1]}…" if is_long else value
