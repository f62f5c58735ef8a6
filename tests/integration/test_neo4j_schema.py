"""Test that the schema of a real Neo4j is read as it is, and that hidden properties stay hidden."""

import json
import sys
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any

import pytest

from graph.neo4j import schema_query
from graph.neo4j.connection import Connection, QueryTimeoutError, Row
from graph.neo4j.cypher_text import quote
from graph.neo4j.property_query import PropertyReader
from graph.neo4j.schema_query import read_schema
from graph.neo4j.settings import Neo4jSettings
from graph.plan.schema import GraphSchema
from graph.plan.values import ValueType
from kgqa.cli import main
from tests.neo4j_server import PASSWORD, URL, ask, needs_neo4j, settings

pytestmark = needs_neo4j

PERSON, STAFF, DOC, ODD = "SchemaTestPerson", "SchemaTestStaff", "SchemaTestDoc", "SchemaTest `odd` \\u0041 é"
KNOWS = "SCHEMA_TEST_KNOWS"
_CREATE = f"""
CREATE (a:{PERSON} {{name: 'Alma', ssn: '111-secret', born: date('1990-01-02'), pay: 10, joined: '1996-08-01'}}),
    (b:{PERSON}:{STAFF} {{name: 'Bo', ssn: '222-secret', born: date('+12000-01-01'), pay: 2.5, joined: 'NULL'}}),
    (c:{STAFF} {{name: 'Cleo', seen: datetime('2020-02-29T01:30:00+02:00')}}),
    (:{DOC} {{title: 'One', vector: range(1, 101), marks: range(1, 100), place: point({{x: 1, y: 2}}),
        places: [point({{x: 1, y: 2}})], took: duration('P1D'), at: time('10:00'), data: $data, body: $body,
        note: $note}}),
    (:{DOC} {{title: 'Two', note: 'short'}}), (:{DOC} {{title: 'Three', note: 'short'}}),
    (o:{quote(ODD)} {{{quote(ODD)}: 'value'}}),
    (a)-[:{KNOWS} {{since: 1999, ssn: '333-secret', pay: 1}}]->(b), (b)-[:{KNOWS}]->(o)
"""


@pytest.fixture(scope="module", autouse=True)
def _graph() -> Iterator[None]:
    ask(_CREATE, data=b"bytes", body="x" * 20_000, note="y" * 20_000)
    yield
    ask(f"MATCH (n:{PERSON}|{STAFF}|{DOC}|{quote(ODD)}) DETACH DELETE n")


async def _read(chosen: Neo4jSettings) -> GraphSchema:
    connection = Connection(chosen)
    try:
        return await read_schema(connection, chosen)
    finally:
        await connection.close()


async def test_labels_and_properties_are_described() -> None:
    schema = await _read(settings())

    person = schema.kinds[PERSON]
    assert (person.count, person.name_property) == (2, "name")
    assert set(person.properties) == {"name", "ssn", "born", "pay", "joined"}
    assert person.properties["born"].samples == (date(1990, 1, 2),)
    assert person.properties["born"].count == 2
    assert person.properties["pay"].stored == {ValueType.INTEGER, ValueType.FLOAT}
    assert person.properties["pay"].content is ValueType.FLOAT
    assert person.properties["joined"].content is ValueType.DATE
    assert schema.kinds[STAFF].properties["seen"].samples == (datetime(2020, 2, 28, 23, 30),)
    assert schema.kinds[ODD].properties[ODD].samples == ("value",)


async def test_relationships_are_described() -> None:
    known = (await _read(settings())).relationships[KNOWS]

    assert known.count == 2
    assert known.ends == {(PERSON, PERSON), (PERSON, STAFF), (PERSON, ODD), (STAFF, ODD)}
    assert known.properties["since"].stored == {ValueType.INTEGER}
    assert known.properties["since"].count == 1


async def test_values_that_plans_cannot_use_are_left_out_by_name() -> None:
    schema = await _read(settings())

    doc = schema.kinds[DOC]
    assert set(doc.properties) == {"title", "marks", "note", "took"}
    assert doc.properties["took"].holds_durations
    assert doc.properties["took"].samples == ("P1D",)
    assert max(len(text) for text in doc.properties["note"].samples) == 1_000
    assert {one for one in schema.omitted if one.startswith(DOC)} == {
        f"{DOC}.vector (lists of 101 numbers)",
        f"{DOC}.place (values of type point)",
        f"{DOC}.places (lists of type point)",
        f"{DOC}.at (values of type zoned time)",
        f"{DOC}.data (byte arrays)",
        f"{DOC}.body (texts of 20,000 characters)",
    }


async def test_a_property_hidden_of_one_label_is_also_hidden_in_nodes_with_further_labels() -> None:
    schema = await _read(settings(hide=f"{PERSON}.ssn, pay", names=f"{PERSON}.joined,{STAFF}.ssn"))

    assert "ssn" not in schema.kinds[PERSON].properties
    assert "ssn" not in schema.kinds[STAFF].properties
    assert "ssn" in schema.relationships[KNOWS].properties
    assert not any("pay" in one.properties for one in schema.kinds.values())
    assert not any("pay" in one.properties for one in schema.relationships.values())
    assert schema.kinds[PERSON].name_property == "joined"
    assert schema.kinds[STAFF].name_property == "name"
    assert "111-secret" not in repr(schema)
    assert "222-secret" not in repr(schema)


async def test_a_sample_is_scaled_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema_query, "_MAX_SAMPLED", 1)
    monkeypatch.setattr(schema_query, "_FEW", 0)
    schema = await _read(settings())

    assert schema.kinds[PERSON].count == 2
    assert schema.kinds[PERSON].properties["name"].count == 2
    assert len(schema.kinds[PERSON].properties["name"].samples) == 1
    assert schema.relationships[KNOWS].ends >= {(PERSON, PERSON), (PERSON, ODD)}


@pytest.fixture
def queries(monkeypatch: pytest.MonkeyPatch) -> list[Mapping[str, Any]]:
    """Return the list to which the parameters of a test's queries are added."""
    sent: list[Mapping[str, Any]] = []
    query = Connection.query

    async def recorded(
        self: Connection, text: str, parameters: Mapping[str, Any], seconds: float | None = None
    ) -> list[Row]:
        sent.append(parameters)
        return await query(self, text, parameters, seconds)

    monkeypatch.setattr(Connection, "query", recorded)
    return sent


async def test_labels_and_types_with_few_nodes_are_read_together(
    queries: list[Mapping[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    together = await _read(settings())
    few = len(queries)
    monkeypatch.setattr(schema_query, "_FEW", 0)
    apart = await _read(settings())

    assert apart == together
    assert few < len(queries) - few


async def test_vectors_are_read_of_a_few_nodes_only(
    queries: list[Mapping[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema_query, "_FEW", 0)
    schema = await _read(settings())

    assert f"{DOC}.vector (lists of 101 numbers)" in schema.omitted
    read = [(query["most"], "vector" in query["own"]) for query in queries if query.get("owners") == [DOC]]
    assert read[0] == (50, False)
    assert set(read[1:]) == {(20_000, True)}


async def test_labels_that_cannot_be_read_in_time_together_are_read_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = await _read(settings())
    query = Connection.query

    async def slow(self: Connection, text: str, parameters: Mapping[str, Any], seconds: float | None = None) -> Any:
        if len(parameters.get("owners", ())) > 1 or parameters["most"] > 1_000:
            raise QueryTimeoutError("too slow")
        return await query(self, text, parameters, seconds)

    monkeypatch.setattr(PropertyReader, "_query", lambda self, text, **more: slow(self._connection, text, more, 60))

    assert await _read(settings()) == expected


async def test_rare_values_at_the_end_of_the_alphabet_count() -> None:
    ask(f"UNWIND range(1, 2000) AS n CREATE (:{DOC} {{code: CASE WHEN n < 1000 THEN toString(n) ELSE 'x' + n END}})")
    try:
        code = (await _read(settings())).kinds[DOC].properties["code"]
    finally:
        ask(f"MATCH (n:{DOC}) WHERE n.code IS NOT NULL DELETE n")
    assert code.content is ValueType.STRING


def test_the_command_prints_the_schema(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("KGQA_NEO4J_URL", URL)
    monkeypatch.setenv("KGQA_NEO4J_SECONDS_ALLOWED", "120")
    monkeypatch.setenv("KGQA_NEO4J_PASSWORD", PASSWORD)
    monkeypatch.setenv("KGQA_NEO4J_HIDE", f"{PERSON}.ssn")
    monkeypatch.setattr(sys, "argv", ["kgqa", "schema"])
    with pytest.raises(SystemExit) as ended:
        main()
    text = capsys.readouterr().out
    assert not ended.value.code
    assert f"{PERSON}: 2 nodes, named by name" in text
    assert f"({PERSON})-[{KNOWS} {{pay: integer, since: integer, ssn: string}}]->({STAFF})" in text
    assert f"  {DOC}.data (byte arrays)" in text
    assert PASSWORD not in text

    monkeypatch.setattr(sys, "argv", ["kgqa", "schema", "--json"])
    with pytest.raises(SystemExit):
        main()
    text = capsys.readouterr().out
    assert json.loads(text)["kinds"][PERSON]["name_property"] == "name"
    assert "222-secret" not in text
