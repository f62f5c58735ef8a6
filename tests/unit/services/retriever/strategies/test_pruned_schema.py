"""The schema in a prompt has what the question needs, and does not grow with the graph."""

from collections.abc import Mapping

from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from graph.plan.values import ValueType
from language.english.english import english
from services.retriever.strategies.pruned_schema import (
    MAX_CHARACTERS,
    MAX_KINDS,
    MAX_PROPERTIES,
    MAX_TYPES,
    prune,
    schema_text,
)

STRING = PropertySchema(frozenset({ValueType.STRING}), ValueType.STRING, count=10)
STATUS = PropertySchema(STRING.stored, ValueType.STRING, count=10, distinct=0.2, samples=("open", 'so "so"'))


def kind(
    count: int = 1, synonyms: tuple[str, ...] = (), properties: Mapping[str, PropertySchema] | None = None
) -> KindSchema:
    return KindSchema(count, {"name": STRING, **(properties or {})}, "name", synonyms)


def link(*ends: tuple[str, str]) -> RelationshipSchema:
    return RelationshipSchema(1, frozenset(ends))


def large(**kinds: KindSchema) -> GraphSchema:
    """Return a schema with many kinds besides the given ones, which are all larger."""
    others: Mapping[str, KindSchema] = {f"Thing{n}": kind(1000 + n) for n in range(300)}
    links = {f"LINK{n}": link((f"Thing{n}", f"Thing{n + 1}")) for n in range(299)}
    return GraphSchema({**others, **kinds}, links)


def test_a_schema_reads_as_patterns() -> None:
    schema = GraphSchema(
        {"Task": kind(properties={"status": STATUS}), "odd kind": kind()}, {"PART_OF": link(("Task", "odd kind"))}
    )

    assert schema_text(schema).splitlines() == [
        '(:Task {name: string, status: string such as "open", "so \\"so\\""})',
        "(:`odd kind` {name: string})",
        "(:Task)-[:PART_OF]->(:`odd kind`)",
    ]


def test_a_small_schema_stays_whole() -> None:
    schema = GraphSchema({"Task": kind(), "Team": kind()}, {"PART_OF": link(("Task", "Team"))})

    pruned = prune(schema, english("What is there?"), ())

    assert (set(pruned.kinds), set(pruned.relationships)) == ({"Task", "Team"}, {"PART_OF"})


def test_linked_kinds_and_kinds_that_the_question_names_come_first() -> None:
    schema = large(Pump=kind(), Valve=kind(synonyms=("tap",)), Engineer=kind())

    pruned = prune(schema, english("Which taps did the engineers of P-7 buy?"), {"Pump"})

    assert set(list(pruned.kinds)[:3]) == {"Pump", "Valve", "Engineer"}


def test_the_ends_of_a_relationship_that_the_question_names_are_kept() -> None:
    found = large(Pump=kind(), Depot=kind())
    schema = GraphSchema(found.kinds, {**found.relationships, "STORED_IN": link(("Pump", "Depot"))})

    pruned = prune(schema, english("Where is P-7 stored?"), ())

    assert {"Pump", "Depot"} <= set(pruned.kinds)
    assert next(iter(pruned.relationships)) == "STORED_IN"


def test_a_property_that_the_question_names_is_kept() -> None:
    many = {f"key{n}": STRING for n in range(60)}
    schema = GraphSchema({"Pump": kind(properties={**many, "weight": STRING})}, {})

    [pruned] = prune(schema, english("What is the weight of P-7?"), ()).kinds.values()

    assert list(pruned.properties)[:2] == ["name", "weight"]
    assert len(pruned.properties) == MAX_PROPERTIES


def test_the_text_is_bounded() -> None:
    wide = {f"k{m}_{'y' * 80}": STATUS for m in range(30)}
    huge = {f"Kind{n}_{'x' * 90}": kind(properties=wide) for n in range(50)}
    names = list(huge)
    schema = GraphSchema(huge, {f"R{n}": link(*((names[n], other) for other in names)) for n in range(50)})

    pruned = prune(schema, english("?"), ())

    assert len(pruned.kinds) <= MAX_KINDS and len(pruned.relationships) <= MAX_TYPES
    assert 0 < len(schema_text(pruned)) <= MAX_CHARACTERS


def test_relationships_only_join_kinds_that_are_listed() -> None:
    pruned = prune(large(), english("?"), ())

    ends = {kind for one in pruned.relationships.values() for pair in one.ends for kind in pair}
    assert ends <= set(pruned.kinds)
