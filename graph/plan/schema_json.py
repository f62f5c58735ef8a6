"""Write a graph's schema as JSON, and read it."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter

from graph.plan.schema import GraphSchema

_SCHEMA: TypeAdapter[GraphSchema] = TypeAdapter(GraphSchema)


def schema_as_json(found: GraphSchema) -> dict[str, Any]:
    """Convert a schema to JSON that is the same each time; numbers that JSON does not have become null.

    Names of hidden properties are left out, and so is the meaning of what has none.
    """
    data: dict[str, Any] = json.loads(_SCHEMA.dump_json(found, exclude={"hidden", "meanings"}))
    for holder in (*data["kinds"].values(), *data["relationships"].values()):
        _shorten_meaning(holder)
        for described in holder["properties"].values():
            described["stored"].sort()
            _shorten_meaning(described)
    for relationship in data["relationships"].values():
        relationship["ends"].sort()
    return data


def schema_from_json(data: Mapping[str, Any]) -> GraphSchema:
    """Read what `schema_as_json` returns, so without the names of hidden properties."""
    return _SCHEMA.validate_python(data)


def _shorten_meaning(described: dict[str, Any]) -> None:
    meaning = described.pop("meaning")
    if said := {name: one for name, one in (meaning or {}).items() if one}:
        described["meaning"] = said
