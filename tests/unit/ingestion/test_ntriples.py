import sqlite3
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from ingestion.importer import ImportReport, import_files
from shared.errors import InvalidInputError
from shared.graph.sqlite.store import SqliteGraphStore
from shared.graph.store import Entity, WalkRule
from tests.unit.ingestion.stored_graph import import_error, imported

_RDFS = "http://www.w3.org/2000/01/rdf-schema#"
_SKOS = "http://www.w3.org/2004/02/skos/core#"


def _imported(folder: Path, *contents: str) -> ImportReport:
    sources = [folder / f"facts{number}.nt" for number in range(len(contents))]
    for source, content in zip(sources, contents, strict=True):
        source.write_text(content, encoding="utf-8", newline="")
    return import_files(sources, folder / "graph.sqlite")


async def _facts(folder: Path) -> tuple[tuple[str, ...], set[tuple[str, str, str]]]:
    """Return the relations, and all triples with the names of their entities."""
    connection = sqlite3.connect(folder / "graph.sqlite")
    keys = [key for (key,) in connection.execute("SELECT key FROM entities")]
    connection.close()
    store = SqliteGraphStore(folder / "graph.sqlite")
    relations = await store.relations()
    walks = await store.walk([(Entity(k, k), (r,)) for k in keys for r in relations], WalkRule(exclude_topic=False))
    await store.close()
    facts = {fact for walk in walks for reached in walk.reached for fact in reached.reasoning_path}
    return relations, {(fact.subject, fact.relation, fact.object) for fact in facts}


async def _names(folder: Path, name: str) -> list[tuple[str, str, str, bool]]:
    store = SqliteGraphStore(folder / "graph.sqlite")
    [matches] = await store.entities_named([name])
    await store.close()
    return [(match.entity.id, match.entity.name, match.name, match.is_alias) for match in matches]


async def test_iris_are_named_by_their_last_part_and_literals_by_their_lexical_form(tmp_path: Path) -> None:
    _imported(
        tmp_path,
        "# a comment\n\n"
        "<http://e.org/New_York%21> <http://e.org/p#locatedIn> <http://e.org/USA/> . # the end\r\n"
        '<http://e.org/USA/>\t<http://e.org/p#founded>\t"1776"^^<http://www.w3.org/2001/XMLSchema#gYear>.\n'
        '  <http://e.org/USA/> <http://e.org/p#motto> "E pluribus\\n \\"unum\\" \\u00e9\\U0001F600\\\\n"@la .\n'
        "_:b1 <http://e.org/p#locatedIn> _:b.2 .\n",
    )

    assert await _facts(tmp_path) == (
        ("founded", "locatedIn", "motto"),
        {
            ("New York!", "locatedIn", "USA"),
            ("USA", "founded", "1776"),
            ("USA", "motto", 'E pluribus "unum" é😀\\n'),
            ("_:b1", "locatedIn", "_:b2"),
        },
    )


async def test_literals_of_one_lexical_form_are_one_entity_but_not_an_iri(tmp_path: Path) -> None:
    report = _imported(
        tmp_path,
        '<http://e.org/a> <http://e.org/p> "x" .\n'
        '<http://e.org/a> <http://e.org/p> "x"@en .\n'
        '<http://e.org/a> <http://e.org/p> "x"^^<http://e.org/t> .\n'
        '<http://e.org/a> <http://e.org/p> "http://e.org/x" .\n'
        "<http://e.org/a> <http://e.org/p> <http://e.org/x> .\n",
    )

    assert (report.triples, report.entities, report.duplicates) == (3, 4, 2)


async def test_labels_name_entities_wherever_they_are(tmp_path: Path) -> None:
    report = _imported(
        tmp_path,
        f'<http://e.org/Q1> <{_RDFS}label> "Deutschland"@de .\n'
        "<http://e.org/Q1> <http://e.org/capital> <http://e.org/Q2> .\n"
        f'<http://e.org/Q1> <{_RDFS}label> "Germany"@en-GB .\n'
        f'<http://e.org/Q1> <{_SKOS}prefLabel> "FRG" .\n'
        f'<http://e.org/Q1> <{_SKOS}altLabel> "Bundesrepublik"@de .\n'
        f'<http://e.org/Q2> <{_RDFS}label> "Berlin"@de .\n'
        f'<http://e.org/Q3> <{_RDFS}label> "Nowhere" .\n',
    )

    assert (report.triples, report.entities, report.aliases, report.unused_names) == (1, 2, 3, 1)
    for name in ("Deutschland", "FRG", "Bundesrepublik"):
        assert await _names(tmp_path, name) == [("http://e.org/Q1", "Germany", name, True)]
    assert await _names(tmp_path, "germany") == [("http://e.org/Q1", "Germany", "Germany", False)]
    assert await _names(tmp_path, "Q1") == []
    assert (await _facts(tmp_path))[1] == {("Germany", "capital", "Berlin")}


async def test_relations_with_the_same_local_name_keep_their_iris(tmp_path: Path) -> None:
    _imported(
        tmp_path,
        "<http://e.org/a> <http://e.org/p/name> <http://e.org/b> .\n"
        "<http://e.org/a> <http://e.org/q/name> <http://e.org/b> .\n"
        "<http://e.org/a> <http://e.org/q/other> <http://e.org/b> .\n",
    )

    assert (await _facts(tmp_path))[0] == ("http://e.org/p/name", "http://e.org/q/name", "other")


async def test_entities_with_the_same_name_stay_distinct(tmp_path: Path) -> None:
    _imported(tmp_path, "<http://e.org/a/Paris> <http://e.org/p> <http://e.org/b/Paris> .\n")

    assert [id_ for id_, *_ in await _names(tmp_path, "paris")] == ["http://e.org/a/Paris", "http://e.org/b/Paris"]


def test_blank_node_labels_are_local_to_a_file(tmp_path: Path) -> None:
    line = "_:x <http://e.org/p> <http://e.org/o> .\n"

    assert _imported(tmp_path, line * 2, line).triples == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("<http://e.org/a b> <http://e.org/p> <http://e.org/o> .", "expected an IRI in <> or a blank node as subject"),
        ('"a" <http://e.org/p> <http://e.org/o> .', 'as subject at column 1, found \'"a"'),
        ("<http://e.org/a> _:p <http://e.org/o> .", "expected an IRI in <> as relation at column 18, found '_:p"),
        ('<http://e.org/a> <http://e.org/p> "o .', "a blank node or a quoted literal as object at column 35"),
        ("<http://e.org/a> <http://e.org/p> <http://e.org/o>", "expected ' .' and nothing else after the object"),
        ("<http://e.org/a> <http://e.org/p> <http://e.org/o> <http://e.org/g> .", "expected ' .' and nothing else"),
        ("<a> <http://e.org/p> <http://e.org/o> .", "the subject <a> is not an absolute IRI"),
        ('<http://e.org/a> <http://e.org/p> "o"^^<t> .', "the datatype <t> is not an absolute IRI"),
        ('<http://e.org/a> <http://e.org/p> "\\x" .', "'\\\\x' is not a valid escape"),
        ('<http://e.org/a> <http://e.org/p> "\\uD800" .', "is not a valid escape"),
        ('<http://e.org/a> <http://e.org/p> "\\UFFFFFFFF" .', "is not a valid escape"),
        ('<http://e.org/a> <http://e.org/p> "" .', "the literal is empty"),
        ('<http://e.org/a> <http://e.org/p> "a\\u0007" .', "the literal contains the control character U+0007"),
        ("<http://e.org/\\u0000> <http://e.org/p> <http://e.org/o> .", "the subject contains the control character"),
    ],
)
def test_malformed_lines_are_reported_with_their_place(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        _imported(tmp_path, f"# first line\n{line}\n")

    assert str(caught.value).startswith("facts0.nt, line 2: ")
    assert message in str(caught.value)


def _typed(text: str, type_: str) -> str:
    return f'"{text}"^^<http://www.w3.org/2001/XMLSchema#{type_}>'


def _properties(folder: Path, *literals: str) -> dict[str, Any]:
    lines = [f"<http://e.org/s> <http://e.org/p> {literal} .\n" for literal in literals]
    return imported(folder, {"facts.nt": "".join(lines)}).nodes["http://e.org/s"].properties


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        (_typed("042", "integer"), 42),
        (_typed("-128", "byte"), -128),
        (_typed("7", "nonNegativeInteger"), 7),
        (_typed("1.50", "decimal"), 1.5),
        (_typed("2", "double"), 2.0),
        (_typed("1e-3", "float"), 0.001),
        (_typed("1", "boolean"), True),
        (_typed("1996-08-01Z", "date"), date(1996, 8, 1)),
        (_typed("1996-08-01T09:30:00.5+02:00", "dateTime"), datetime(1996, 8, 1, 7, 30, 0, 500_000)),
        (_typed("1776", "gYear"), 1776),
        (_typed("-0044", "gYear"), -44),
        (_typed("text", "string"), "text"),
        ('"text"', "text"),
        # These are valid, but no property can hold them, or they have a language or another datatype.
        (_typed("9223372036854775808", "integer"), None),
        (_typed("INF", "double"), None),
        (_typed("-0044-03-15", "date"), None),
        (_typed("0001-01-01T00:00:00+14:00", "dateTime"), None),
        (_typed("2000-01-01T24:00:00", "dateTime"), None),
        (_typed("P1D", "duration"), None),
        ('"text"@en', None),
    ],
)
def test_a_literal_becomes_a_property_of_its_subject(tmp_path: Path, literal: str, value: Any) -> None:
    stored = _properties(tmp_path, literal)

    assert stored == ({} if value is None else {"p": value})
    assert [type(found) for found in stored.values()] == ([] if value is None else [type(value)])


@pytest.mark.parametrize(
    ("literals", "value"),
    [
        ([_typed("3", "int"), _typed("1", "int"), _typed("3", "integer")], (3, 1)),
        ([_typed("1", "int"), _typed("2.5", "double")], (1.0, 2.5)),
        ([_typed("1", "int"), _typed("true", "boolean")], (1, True)),
        ([_typed("1", "int"), '"one"'], 1),
        (['"a"', '"a"'], "a"),
        (['"a"', '"b"'], None),
        (['"a"', '"a"@en'], None),
    ],
)
def test_several_literals_become_a_list_of_the_typed_ones(tmp_path: Path, literals: list[str], value: Any) -> None:
    assert _properties(tmp_path, *literals) == ({} if value is None else {"p": value})


def test_classes_become_kinds_and_triples_stay(tmp_path: Path) -> None:
    type_ = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    content = (
        f"<http://e.org/s> {type_} <http://e.org/c#Film> .\n"
        f"<http://e.org/s> <http://e.org/p#year> {_typed('1994', 'gYear')} .\n"
        '<http://e.org/s> <http://e.org/q#year> "late" .\n'
        f"<http://e.org/s> {type_} <http://e.org/d#Work> .\n"
        f"<http://e.org/s> {type_} _:class .\n"
        f"<http://e.org/t> {type_} <http://e.org/e#Work> .\n"
    )

    graph = imported(tmp_path, {"a.nt": content, "b.nt": content})

    years = {"http://e.org/p#year": 1994, "http://e.org/q#year": "late"}
    assert graph.nodes["http://e.org/s"] == ("s", {"Film", "http://e.org/d#Work"}, years)
    assert graph.nodes["http://e.org/t"].kinds == {"http://e.org/e#Work"}
    assert ("http://e.org/s", "http://e.org/p#year", '"1994"', {}) in graph.relationships
    assert len(graph.relationships) == 7  # the blank nodes of the two files differ


def test_a_property_does_not_rename_a_resource(tmp_path: Path) -> None:
    graph = imported(
        tmp_path,
        {
            "a.nt": "<http://e.org/s> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e.org/C> .\n"
            '<http://e.org/s> <http://e.org/name> "Other" .\n'
        },
    )

    assert graph.nodes["http://e.org/s"] == ("s", {"C"}, {"name": "Other"})


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("abc", "integer"),
        ("1.0", "integer"),
        ("128", "byte"),
        ("-1", "nonNegativeInteger"),
        ("0", "positiveInteger"),
        ("9223372036854775808", "long"),
        ("1e5", "decimal"),
        ("Infinity", "double"),
        ("1,5", "float"),
        ("yes", "boolean"),
        ("1996-02-30", "date"),
        ("1996-13-01", "date"),
        ("1996-8-1", "date"),
        ("1996-08-01", "dateTime"),
        ("1996-08-01T25:00:00", "dateTime"),
        ("94", "gYear"),
    ],
)
def test_a_literal_that_does_not_fit_its_datatype_is_reported(tmp_path: Path, text: str, type_: str) -> None:
    error = import_error(tmp_path, {"f.nt": f"\n<http://e.org/s> <http://e.org/p> {_typed(text, type_)} .\n"})

    assert error.startswith(f"f.nt, line 2: '{text}' is not a valid xsd:{type_}; write ")
