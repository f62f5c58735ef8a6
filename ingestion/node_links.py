"""Read one JSON document with all nodes and links of a graph, as networkx, D3, graphology, and Cytoscape write it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ingestion.typed_values import listed

_LINKS = ("links", "edges")
_IDS = ("id", "key", "name")
_KINDS = ("labels", "type", "kind")
_NAMES = ("name", "title")
_TYPES = ("relation", "relationship", "predicate", "type", "label", "key")
# What programs write as the type of a link to say how it is drawn.
_DIRECTIONS = {"directed", "undirected", "mutual"}
_DEFAULT_TYPE = "linked_to"
_ENDS = ("source", "target")
_NESTED = ("attributes", "properties", "data")

Record = dict[str, Any]


def is_node_link(document: object) -> bool:
    """Return whether a JSON document has a list of nodes and a list of links."""
    return isinstance(document, dict) and _lists(document) is not None


def node_link_records(document: Mapping[str, Any]) -> Iterator[Record | str]:
    """Yield the nodes and then the links of a document as records that JSON Lines would have.

    In place of a link without an end, yield what is wrong with it.
    Nodes without an ID have their place, counted from 0, to which links then refer.
    """
    nodes, links = _lists(document) or ([], [])
    flat = [_flat(one) for one in nodes]
    ids = [_first(node, _IDS[:2]) for node in flat]
    are_places = not any(isinstance(one, int) for one in ids)
    names: list[Any] = [place if one is None else one for place, one in enumerate(ids)]
    yield from (_node(node, name) for node, name in zip(flat, names, strict=True))
    for number, one in enumerate(links, 1):
        fields = _flat(one)
        missing = next((end for end in _ENDS if fields.get(end) is None), None)
        yield _without_end(number, fields, missing) if missing else _link(fields, names, are_places)


def _lists(document: Mapping[str, Any]) -> tuple[Sequence[Any], Sequence[Any]] | None:
    inner = document.get("elements", document)
    if not isinstance(inner, dict) or not isinstance(inner.get("nodes"), list):
        return None
    links = next((inner[name] for name in _LINKS if isinstance(inner.get(name), list)), None)
    return None if links is None else (inner["nodes"], links)


def _flat(one: object) -> Record:
    """Return the fields of a node or link, with those of an object within it."""
    if not isinstance(one, dict):
        return {"id": one}
    fields = {key: value for key, value in one.items() if not (key in _NESTED and isinstance(value, dict))}
    nested = (value for key, value in one.items() if key in _NESTED and isinstance(value, dict))
    return fields | {key: value for inner in nested for key, value in inner.items()}


def _first(fields: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def _node(fields: Record, name: Any) -> Record:
    kinds = next((key for key in _KINDS if isinstance(fields.get(key), str | list)), None)
    # A label is a name, unless there is another one.
    if kinds is None and isinstance(fields.get("label"), str) and any(fields.get(key) for key in _NAMES):
        kinds = "label"
    id_key = next((key for key in _IDS[:2] if fields.get(key) is not None), None)
    properties = {key: value for key, value in fields.items() if key not in (id_key, kinds)}
    return {"type": "node", "id": name, "labels": fields[kinds] if kinds else [], "properties": properties}


def _link(fields: Record, names: Sequence[Any], are_places: bool) -> Record:
    types = (key for key in _TYPES if isinstance(fields.get(key), str) and fields[key].lower() not in _DIRECTIONS)
    chosen = next(types, None)
    ends = {field: _end(fields.get(end), names, are_places) for field, end in (("start", "source"), ("end", "target"))}
    is_direction = str(fields.get("type")).lower() in _DIRECTIONS
    left_out = {"id", "source", "target", "key", chosen} | ({"type"} if is_direction else set())
    properties = {key: value for key, value in fields.items() if key not in left_out}
    return {
        "type": "relationship",
        "label": fields[chosen] if chosen else _DEFAULT_TYPE,
        **ends,
        "properties": properties,
    }


def _without_end(number: int, fields: Record, missing: str) -> str:
    found = f"its fields are {listed(fields)}" if fields else "it has no fields"
    return f'link {number} has no "{missing}", but {found}; set "{missing}" to the ID of a node'


def _end(end: Any, names: Sequence[Any], are_places: bool) -> Any:
    """Return the ID of a node to which a link refers, by its ID or by its place."""
    is_place = are_places and isinstance(end, int) and not isinstance(end, bool) and 0 <= end < len(names)
    return names[end] if is_place else end
