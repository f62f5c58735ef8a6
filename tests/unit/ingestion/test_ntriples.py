import sqlite3
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from graph.sqlite.store import SqliteGraphStore
from graph.store import Entity, WalkRule
from ingestion.importer import ImportReport, import_files
from tests.support.imported_graphs import import_error, imported, report, stored_graph

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
            ("unnamed node", "locatedIn", "locatedIn of unnamed node"),
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
    for name in ("Deutschland", "Germany", "Bundesrepublik"):
        assert await _names(tmp_path, name) == [("http://e.org/Q1", "FRG", name, True)]
    assert await _names(tmp_path, "frg") == [("http://e.org/Q1", "FRG", "FRG", False)]
    assert await _names(tmp_path, "Q1") == []
    assert (await _facts(tmp_path))[1] == {("FRG", "capital", "Berlin")}


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
        (_typed("1999-12-31T24:00:00", "dateTime"), datetime(2000, 1, 1)),
        # These are valid, but no property can hold them, or they have a language or another datatype.
        (_typed("9223372036854775808", "integer"), None),
        (_typed("INF", "double"), None),
        (_typed("-0044-03-15", "date"), None),
        (_typed("0001-01-01T00:00:00+14:00", "dateTime"), None),
        (_typed("9999-12-31T24:00:00", "dateTime"), None),
        (_typed("P1DT90M", "duration"), "P1DT90M"),
        (_typed("01:30:00", "time"), None),
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


def test_classes_become_kinds_and_no_facts(tmp_path: Path) -> None:
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
    assert len(graph.relationships) == 2
    assert not any(key.startswith("_:") for key in graph.nodes)


def test_a_property_does_not_rename_a_resource(tmp_path: Path) -> None:
    graph = imported(
        tmp_path,
        {
            "a.nt": "<http://e.org/s> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e.org/C> .\n"
            '<http://e.org/s> <http://e.org/name> "Other" .\n'
        },
    )

    assert graph.nodes["http://e.org/s"] == ("s", {"C"}, {"name": "Other"})


_TO = "<http://e.org/a> <http://e.org/p> "
_LINES = [
    (
        "<http://e.org/a b> <http://e.org/p> <http://e.org/o> .",
        "the subject has ' ' at column 16, after 'http://e.org/a', which an IRI cannot contain; write %20 instead",
    ),
    (
        '<http://e.org/"a"> <http://e.org/p> <http://e.org/o> .',
        "the subject has '\"' at column 15, after 'http://e.org/'",
    ),
    (f"{_TO}<http://e.org/{'x' * 90}/a|b> .", "object has '|' at column 141, after '..."),
    (f"{_TO}<http://e.org/a b .", "as object at column 35, found '<http://e.org/a b .'"),
    ('"a" <http://e.org/p> <http://e.org/o> .', 'as subject at column 1, found \'"a"'),
    ("<http://e.org/a> _:p <http://e.org/o> .", "expected an IRI in <> as relation at column 18, found '_:p"),
    ('<http://e.org/a> <http://e.org/p> "o .', "a blank node or a quoted literal as object at column 35"),
    ("<http://e.org/a> <http://e.org/p> <http://e.org/o>", "expected ' .' and nothing else after the object"),
    ("<http://e.org/a> <http://e.org/p> <http://e.org/o> <http://e.org/g> .", "expected ' .' and nothing else"),
    ("<a> <http://e.org/p> <http://e.org/o> .", "the subject <a> is not an absolute IRI"),
    ('<http://e.org/a> <http://e.org/p> "o"^^<t> .', "the datatype <t> is not an absolute IRI"),
    (
        '<http://e.org/a> <http://e.org/p> "\\x" .',
        "the literal contains '\\\\x', which is not a valid escape; correct it",
    ),
    ('<http://e.org/a> <http://e.org/p> "\\uD800" .', "which is not a valid escape"),
    ('<http://e.org/a> <http://e.org/p> "\\UFFFFFFFF" .', "which is not a valid escape"),
    ('<http://e.org/a> <http://e.org/p> "a\\u0007" .', "the literal contains the control character U+0007"),
    ("<http://e.org/\\u0000> <http://e.org/p> <http://e.org/o> .", "the subject contains the control character"),
    ('"5"^^<http://www.w3.org/2001/XMLSchema#integer> <http://e.org/p> <http://e.org/o> .', "as subject at column 1"),
    ("@prefix e: <http://e.org/> .", "expected an IRI in <> or a blank node as subject at column 1, found '@prefix"),
    ("<http://e.org/a> <http://e.org/`p`> <http://e.org/o> .", "the relation has '`' at column 32"),
    (f"<http://e.org/a> <{'y' * 2500}> <http://e.org/o> .", "yyy...> is not an absolute IRI"),
    (f'{_TO}"abc .', "quoted literal as object at column 35, found '\"abc .'"),
    (f"{_TO}'abc' .", "quoted literal as object at column 35"),
    (f"{_TO}_:a:b .", "nothing else after the object at column 38, found ':b .'"),
    (f"{_TO}5 .", "quoted literal as object at column 35, found '5 .'"),
    (f"{_TO}true .", "quoted literal as object at column 35, found 'true .'"),
    (f'{_TO}"a\rb', "as object at column 35"),
    (f'{_TO}<http://e.org/"> .', "the object has '\"' at column 49"),
    (f'{_TO}"5"', "expected ' .' and nothing else after the object at column 38, found the end of the line"),
    (f'{_TO}"a" ; <http://e.org/q> "b" .', "nothing else after the object at column 39, found '; <http"),
    (f'{_TO}"""abc""" .', "nothing else after the object at column 37"),
    (f'{_TO}"a" {"y" * 3000}', "yyy..."),
    (f'{_TO}"a"@en^^<http://e.org/t> .', "and no language tag, at column 41, found '^^<http://e.org/t> .'"),
    (f'{_TO}"a"^^<http://e.org/t>@en .', "and no datatype, at column 56, found '@en .'"),
    (f'{_TO}"a"@ .', "expected a language tag such as @en, and no datatype, at column 38"),
    (f'{_TO}"a"@e_n .', "nothing else after the object at column 40, found '_n .'"),
    (f'{_TO}"5"^^xsd:integer .', "expected ^^ and an IRI in <> as datatype, and no language tag, at column 38"),
    (f'{_TO}"5"^^ .', "expected ^^ and an IRI in <> as datatype"),
    (f'{_TO}"5"^<http://e.org/t> .', "expected ^^ and an IRI in <> as datatype"),
    (f'{_TO}"5"^^ <http://e.org/t> .', "expected ^^ and an IRI in <> as datatype"),
    (f'{_TO}"5"^^<http://e.org/a t> .', "expected ^^ and an IRI in <> as datatype"),
    (f'{_TO}"5"^^<http://e.org/\\q> .', "the datatype contains '\\\\q', which"),
    (f'{_TO}"\\u12" .', "the literal contains '\\\\u12', which is not a valid escape; correct it"),
    (f'{_TO}"a\\u0000" .', "the literal contains the control character U+0000; remove it"),
    (f"{_TO}<http://e.org/{'x' * (1 << 20)}> .", "the object is 1,048,589 characters long (limit 2,000)"),
    (f'{_TO}"{"x" * (1 << 26)}" .', "the line is longer than 64 MiB"),
    (f'{_TO}"caf'.encode() + b'\xe9" .', "not UTF-8 at byte 39; save the file as UTF-8"),
]
_MISFITS = [
    ("abc", "integer", "digits only"),
    ("1.0", "integer", "digits only"),
    ("1e400", "integer", "digits only"),
    ("--5", "integer", "digits only"),
    ("1 000", "integer", "digits only"),
    ("\u0663", "integer", "digits only"),
    ("128", "byte", "a number from -128 to 127"),
    ("256", "unsignedByte", "a number from 0 to 255"),
    ("18446744073709551616", "unsignedLong", "a number from 0 to 18446744073709551615"),
    ("-1", "nonNegativeInteger", "a number from 0"),
    ("0", "positiveInteger", "a number from 1"),
    ("1", "nonPositiveInteger", "a number up to 0"),
    ("0", "negativeInteger", "a number up to -1"),
    ("9223372036854775808", "long", "a number from -9223372036854775808 to 9223372036854775807"),
    ("1e5", "decimal", "a number without an exponent, such as 1.5"),
    ("1,5", "decimal", "a number without an exponent, such as 1.5"),
    ("1..5", "decimal", "a number without an exponent, such as 1.5"),
    ("INF", "decimal", "a number without an exponent, such as 1.5"),
    ("Infinity", "double", "a number such as 1.5 or 2e3"),
    ("nan", "double", "a number such as 1.5 or 2e3"),
    ("0x10", "double", "a number such as 1.5 or 2e3"),
    ("1,5", "float", "a number such as 1.5 or 2e3"),
    ("maybe", "boolean", "true or false"),
    ("TRUE", "boolean", "true or false"),
    ("1996-02-30", "date", "a day that the month has"),
    ("1996-13-01", "date", "a date such as 1996-08-01"),
    ("2024-13-45", "date", "a date such as 1996-08-01"),
    ("1996-8-1", "date", "a date such as 1996-08-01"),
    ("19960801", "date", "a date such as 1996-08-01"),
    ("1996-08-01", "dateTime", "a datetime such as 1996-08-01T09:30:00Z"),
    ("1996-08-01T09:30", "dateTime", "a datetime such as 1996-08-01T09:30:00Z"),
    ("1996-08-01T25:00:00", "dateTime", "a datetime such as 1996-08-01T09:30:00Z"),
    ("1996-08-01T09:30:60", "dateTime", "a datetime such as 1996-08-01T09:30:00Z"),
    ("1996-08-01T09:30:00 Z", "dateTime", "a datetime such as 1996-08-01T09:30:00Z"),
    ("1996-08-01T09:30:00+99:99", "dateTime", "a datetime such as 1996-08-01T09:30:00Z"),
    ("2023-02-29T09:30:00", "dateTime", "a day that the month has"),
    ("94", "gYear", "a year of four digits"),
    ("1994-01", "gYear", "a year of four digits"),
]
_LINES += [
    (f"{_TO}{_typed(text, type_)} .", f"the literal '{text}' is not a valid xsd:{type_}; write {form}, or remove the ")
    for text, type_, form in _MISFITS
]


@pytest.mark.parametrize(("line", "message"), _LINES)
def test_malformed_lines_are_reported_with_their_place(tmp_path: Path, line: str | bytes, message: str) -> None:
    content = b"# first line\n" + (line if isinstance(line, bytes) else line.encode()) + b"\n"

    error = import_error(tmp_path, {"f.nt": content})

    assert error.startswith("f.nt, line 2: ")
    assert message in error
    assert len(error.splitlines()) == 1
    assert len(error) < 250


def test_labels_must_fit_their_datatypes(tmp_path: Path) -> None:
    line = f"<http://e.org/a> <{_RDFS}label> {_typed('abc', 'integer')} .\n"

    assert import_error(tmp_path, {"f.nt": line}).startswith("f.nt, line 1: the literal 'abc' is not a valid xsd:")


def test_literals_that_no_property_can_hold_are_counted(tmp_path: Path) -> None:
    literals = [
        _typed("NaN", "double"),
        _typed("-INF", "float"),
        _typed("1e400", "double"),
        _typed("9" * 300, "integer"),
        _typed("-0044-03-15", "date"),
        _typed("12:00:00", "time"),
        _typed("x", "noSuchType"),
        '"x"^^<http://e.org/t>',
        '"x"@en',
        '"x"',
        _typed("1", "int"),
    ]

    report = _imported(tmp_path, "".join(f"{_TO}{literal} .\n" for literal in literals))

    assert report.unstorable_literals == 3
    assert [(one.reason, one.number) for one in report.rejected] == [
        ("numbers that no property can hold, kept as text", 4),
        ("dates outside the years 1 to 9999, kept as text", 1),
    ]


async def test_empty_literals_are_left_out_and_counted(tmp_path: Path) -> None:
    report = _imported(
        tmp_path,
        '<http://e.org/a> <http://e.org/p> "" .\n'
        '<http://e.org/a> <http://e.org/p> " \\n ​"@en .\n'
        f'<http://e.org/a> <{_RDFS}label> "" .\n'
        "<http://e.org/a> <http://e.org/q> <http://e.org/b> .\n",
    )

    assert report.empty_literals == 3
    assert await _facts(tmp_path) == (("q",), {("a", "q", "b")})


async def test_the_names_of_kinds_and_relations_are_decoded(tmp_path: Path) -> None:
    graph = imported(
        tmp_path,
        {
            "facts.nt": "<http://e.org/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> "
            "<http://e.org/Free%20Port> .\n"
            "<http://e.org/a> <http://e.org/lies%20in> <http://e.org/b> .\n"
            "<http://e.org/a> <http://e.org/%00> <http://e.org/b> .\n"
        },
    )

    assert graph.nodes["http://e.org/a"].kinds == {"Free Port"}
    assert {type_ for _, type_, _, _ in graph.relationships} == {"lies in", "%00"}


def test_the_report_counts_kinds_and_values(tmp_path: Path) -> None:
    report = _imported(
        tmp_path,
        "<http://e.org/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e.org/Port> .\n"
        '<http://e.org/a> <http://e.org/motto> "open" .\n',
    )

    assert (report.kinds, report.node_values, report.relationship_values) == ({"Port": 1}, 1, 0)


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("1937-0-0", "date"),
        ("2019-11-00", "date"),
        ("2019-00-00T00:00:00Z", "dateTime"),
        ("2001-02-29", "date"),
        ("12/05/1999", "date"),
        ("12.5", "integer"),
        ("-1", "nonNegativeInteger"),
        ("300", "byte"),
        ("five", "double"),
        ("1,5", "decimal"),
        ("yes", "boolean"),
        ("94", "gYear"),
        ("1999-05", "gYear"),
    ],
)
def test_a_literal_that_does_not_fit_its_type_stays_a_text(tmp_path: Path, text: str, type_: str) -> None:
    content = f"{_TO}{_typed(text, type_)} .\n{_TO}{_typed('1951-06-14', 'date')} .\n"

    found = report(tmp_path, {"facts.nt": content})

    graph = stored_graph(tmp_path / "graph.sqlite")
    assert ("http://e.org/a", "p", f'"{text}"', {}) in graph.relationships
    assert graph.nodes["http://e.org/a"].properties == {"p": date(1951, 6, 14)}
    [left_out] = found.rejected
    assert str(left_out) == "literals that do not fit their datatypes, kept as text: 1 (facts.nt:1)"
    assert text in left_out.example
    assert text in import_error(tmp_path / "strict", {"facts.nt": content})


_LONG = "The harbour was built long ago. " * 100


@pytest.mark.parametrize(
    ("literals", "value", "reasons"),
    [
        ([f'"{_LONG}"'], _LONG.strip(), []),
        ([f'"{_LONG}"@en'], _LONG.strip(), []),
        ([f'"{_LONG}"^^<http://e.org/wkt>'], _LONG.strip(), []),
        ([f'"{_LONG}"', '"short"'], ("short", _LONG.strip()), []),
        ([f'"{_LONG}"', _typed("7", "int")], (7, _LONG.strip()), []),
        ([f'"{_LONG} fr"@fr', f'"{_LONG} en"@en'], f"{_LONG}en", ["long texts of the same subject and relation"]),
        ([f'"{_LONG * 4}"'], None, ["texts of more than 10,000 characters"]),
        (['"' + "1 2, " * 500_000 + '"'], None, ["texts of more than 10,000 characters"]),
    ],
)
def test_a_long_text_is_a_property_but_no_fact(
    tmp_path: Path, literals: list[str], value: Any, reasons: list[str]
) -> None:
    lines = [f"{_TO}{literal} .\n" for literal in literals]
    content = "".join((*lines, "<http://e.org/a> <http://e.org/q> <http://e.org/b> .\n"))

    found = report(tmp_path, {"facts.nt": content}, is_strict=True)

    graph = stored_graph(tmp_path / "graph.sqlite")
    assert graph.nodes["http://e.org/a"] == ("a", set(), {} if value is None else {"p": value})
    assert all(len(node.name) < 100 for node in graph.nodes.values())
    assert ("http://e.org/a", "q", "http://e.org/b", {}) in graph.relationships
    assert [one.reason for one in found.rejected] == reasons


def test_a_label_that_is_too_long_names_nothing(tmp_path: Path) -> None:
    found = report(tmp_path, {"f.nt": f'<http://e.org/a> <{_RDFS}label> "{_LONG}" .\n{_TO}<http://e.org/b> .\n'})

    assert stored_graph(tmp_path / "graph.sqlite").nodes["http://e.org/a"].name == "a"
    assert [str(one) for one in found.rejected] == ["names of more than 2,000 characters: 1 (f.nt:1)"]


@pytest.mark.parametrize("preferred", ["de", "DE"])
def test_labels_are_chosen_by_language(tmp_path: Path, preferred: str) -> None:
    labels = ["ar", "en-gb", "", "mul", "de-at", "de"]
    lines = [
        f'<http://e.org/Q{number}> <{_RDFS}label> "{one or "none"}"{f"@{one}" if one else ""} .\n'
        for number in range(len(labels))
        for one in labels[: number + 1]
    ]
    facts = [f"<http://e.org/Q{number}> <http://e.org/p> <http://e.org/o> .\n" for number in range(len(labels))]
    (tmp_path / "f.nt").write_text("".join(lines + facts))

    import_files([tmp_path / "f.nt"], tmp_path / "graph.sqlite")
    names = [stored_graph(tmp_path / "graph.sqlite").nodes[f"http://e.org/Q{n}"].name for n in range(len(labels))]
    assert names == ["ar", "en-gb", "none", "mul", "mul", "mul"]

    import_files([tmp_path / "f.nt"], tmp_path / "graph.sqlite", language=preferred)
    names = [stored_graph(tmp_path / "graph.sqlite").nodes[f"http://e.org/Q{n}"].name for n in range(len(labels))]
    assert names == ["ar", "en-gb", "none", "mul", "de-at", "de"]


@pytest.mark.parametrize(
    "line",
    [
        '<http://e.org/"a"> <http://e.org/p> <http://e.org/o> .',
        "<http://e.org/a> <http://e.org/p> <http://e.org/old town> .",
        "<http://e.org/a|b> <http://e.org/p> <http://e.org/o> .",
        "<http://e.org/a> <http://e.org/p> <http://e.org/{o}> .",
        "<http://e.org/a> <relative> <http://e.org/o> .",
        "<http://e.org/a> <http://e.org/p> <http://e.org/o>",
        "<http://e.org/a> <http://e.o",
        f'{_TO}"cut off',
        f'{_TO}"a\\x" .',
        f'{_TO}"caf'.encode() + b'\xe9" .',
        f"{_TO}<http://e.org/{'o' * 2000}> .",
        "garbage",
    ],
)
def test_a_malformed_line_is_left_out_alone(tmp_path: Path, line: str | bytes) -> None:
    good = [f"<http://e.org/a> <http://e.org/p> <http://e.org/o{number}> .\n".encode() for number in range(3)]
    bad = (line if isinstance(line, bytes) else line.encode()) + b"\n"

    found = report(tmp_path, {"f.nt": b"".join((good[0], bad, *good[1:]))})

    graph = stored_graph(tmp_path / "graph.sqlite")
    assert [target for *_, target, _ in graph.relationships] == [f"http://e.org/o{number}" for number in range(3)]
    assert len(graph.nodes) == 4
    assert [(one.number, one.places) for one in found.rejected] == [(1, ("f.nt:2",))]
