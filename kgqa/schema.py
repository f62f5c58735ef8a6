"""Show what a graph contains: `kgqa schema`."""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence, Sized
from typing import TYPE_CHECKING, Annotated, TypeVar, cast

import typer

from graph.plan.meaning import meaning_text
from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from graph.plan.schema_json import schema_as_json
from graph.plan.values import Value, to_json
from kgqa.console import aligned, out, print_json
from kgqa.options import ChosenGraph, TableKeys, TableReferences, TablesPath
from kgqa.running import chosen_graph, open_stored_graph
from kgqa.tables import print_survey, tables_options
from shared.errors import InvalidInputError
from shared.escaping import line_text

if TYPE_CHECKING:
    from graph.neo4j.store import Neo4jGraphStore

_MAX_SAMPLES, _MAX_LENGTH, _MAX_ENDS = 3, 30, 20
# Some graphs have a kind, a relationship type, or a key for each thing that they describe.
_MAX_KINDS, _MAX_PROPERTIES, _MAX_KEYS_OF_PATTERN = 100, 50, 10

_Counted = TypeVar("_Counted", KindSchema, RelationshipSchema, PropertySchema)


def schema(
    graph: ChosenGraph = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the schema as JSON.")] = False,
    tables: TablesPath = None,
    key: TableKeys = None,
    reference: TableReferences = None,
) -> None:
    """Show the kinds, properties, and relationships of a graph file, or of the database at KGQA_NEO4J_URL.

    Show what an import would make of tables, without importing them: kgqa schema --tables shop.db
    """
    if tables is not None:
        if graph or as_json:
            raise InvalidInputError("--tables describes tables, not a graph; leave out --graph and --json")
        print_survey(tables, tables_options(key, reference))
        return
    if key or reference:
        raise InvalidInputError("--key and --reference are about tables; name these with --tables")
    source, found = asyncio.run(_read(chosen_graph(graph)))
    if as_json:
        print_json(json.dumps(schema_as_json(found), indent=2))
        return
    for line in (source, "", *describe(found)):
        out.print(line)


async def _read(graph: str) -> tuple[str, GraphSchema]:
    """Return what the schema describes, and the schema."""
    from contracts.meaning_file import read_meaning_file
    from graph.neo4j.settings import Neo4jSettings
    from services.retriever.scopes.described_store import described_store
    from shared.paths import meaning_file
    from shared.settings import load_settings

    settings = load_settings(Neo4jSettings).of_graph(graph)
    where = f"Neo4j at {settings.shown_url}, database {settings.database}" if settings.url else f"graph {graph}"
    store = open_stored_graph(graph)
    try:
        if settings.url:
            await cast("Neo4jGraphStore", store).check_settings()
        described = described_store(store, read_meaning_file(meaning_file(graph)))
        return where, await described.schema()
    finally:
        await store.close()


def describe(found: GraphSchema) -> Iterator[str]:
    """Yield the lines of a readable description, which lists only the most frequent kinds and properties of many."""
    if not found.kinds:
        yield "the graph contains no nodes"
    for name, kind in _most_frequent(found.kinds, _MAX_KINDS):
        yield from _describe_kind(name, kind)
        yield ""
    yield from _more(found.kinds, _MAX_KINDS, "kinds", after=[""])
    if found.relationships:
        yield "relationships"
        listed = _most_frequent(found.relationships, _MAX_KINDS)
        yield from aligned([row for name, one in listed for row in _patterns(name, one)])
        yield from _more(found.relationships, _MAX_KINDS, "relationship types", "  ")
    if found.left_out:
        yield from ("", "values that are left out or have another type, which plans read as missing")
        yield from (f"  {line_text(str(one))}" for one in found.left_out[:_MAX_KINDS])
        yield from _more(found.left_out, _MAX_KINDS, "properties", "  ")
    if found.omitted:
        yield from ("", "left out")
        yield from (f"  {line_text(omitted)}" for omitted in found.omitted[:_MAX_KINDS])
        yield from _more(found.omitted, _MAX_KINDS, "properties", "  ")


def _most_frequent(described: Mapping[str, _Counted], limit: int) -> list[tuple[str, _Counted]]:
    """Return the most frequent items in their order."""
    frequent = set(sorted(described, key=lambda name: -described[name].count)[:limit])
    return [(name, one) for name, one in described.items() if name in frequent]


def _more(described: Sized, limit: int, what: str, indent: str = "", after: Sequence[str] = ()) -> Iterator[str]:
    if len(described) > limit:
        yield f"{indent}... and {len(described) - limit:,} more {what}; --json shows all"
        yield from after


def _describe_kind(name: str, kind: KindSchema) -> Iterator[str]:
    named = f"named by {line_text(kind.name_property)}" if kind.name_property else "without a property that names them"
    nodes = "node" if kind.count == 1 else "nodes"
    yield f"{line_text(name) or '(no kind)'}: {kind.count:,} {nodes}, {named}{_means(kind, '; ')}"
    properties = sorted(_most_frequent(kind.properties, _MAX_PROPERTIES))
    rows = [
        (line_text(key), _types(one), f"{one.count:,}", f"{_samples(one)}{_means(one, '  ')}")
        for key, one in properties
    ]
    yield from aligned(rows)
    yield from _more(kind.properties, _MAX_PROPERTIES, "properties", "  ")


def _patterns(name: str, one: RelationshipSchema) -> Iterator[tuple[str, ...]]:
    """Yield the pattern of each pair of kinds; the first has the count of the whole type."""
    properties = sorted(_most_frequent(one.properties, _MAX_KEYS_OF_PATTERN))
    listed = ", ".join(f"{line_text(key)}: {_types(described)}" for key, described in properties)
    listed += ", ..." if len(one.properties) > _MAX_KEYS_OF_PATTERN else ""
    label = f"{line_text(name)} {{{listed}}}" if listed else line_text(name)
    ends = sorted(one.ends)
    for place, (source, target) in enumerate(ends[:_MAX_ENDS] or [("", "")]):
        pattern = f"({line_text(source)})-[{label}]->({line_text(target)})"
        yield pattern, f"{one.count:,}{_means(one, '  ')}" if place == 0 else ""
    if len(ends) > _MAX_ENDS:
        yield f"... and {len(ends) - _MAX_ENDS:,} more pairs of kinds", ""


def _means(one: KindSchema | RelationshipSchema | PropertySchema, before: str) -> str:
    """Return what the owner says of an element, behind a separator; nothing if that is nothing."""
    text = meaning_text(one.meaning) if one.meaning else ""
    return f"{before}({line_text(text)})" if text else ""


def _types(described: PropertySchema) -> str:
    stored = " or ".join(sorted(described.stored))
    if described.content is None or described.stored == {described.content}:
        return f"{stored}, no order" if described.unread is not None else stored
    return f"{stored} -> {described.reading or described.content}"


def _samples(described: PropertySchema) -> str:
    return ", ".join(map(_sample, described.samples[:_MAX_SAMPLES]))


def _sample(value: Value) -> str:
    text = value if isinstance(value, str) else _text(value)
    text = line_text(text)
    return text if len(text) <= _MAX_LENGTH else f"{text[: _MAX_LENGTH - 1]}…"


def _text(value: Value) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_sample, value[:_MAX_SAMPLES]))}{', …' if len(value) > _MAX_SAMPLES else ''}]"
    encoded = to_json(value)
    if isinstance(encoded, dict):
        [text] = encoded.values()
        return str(text)
    return str(encoded).lower() if isinstance(value, bool) else str(encoded)
