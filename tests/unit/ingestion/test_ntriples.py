import sqlite3
from pathlib import Path

import pytest

from ingestion.importer import ImportReport, import_files
from shared.errors import InvalidInputError
from shared.graph.sqlite.store import SqliteGraphStore
from shared.graph.store import Entity, WalkRule

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
