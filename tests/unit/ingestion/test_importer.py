import gzip
import lzma
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from graph.sqlite.store import SqliteGraphStore
from graph.store import Entity, WalkRule
from ingestion.importer import ImportReport, import_files
from shared.errors import InvalidInputError, NotFoundError
from tests.support.imported_graphs import imported


async def _version(graph: Path) -> str:
    store = SqliteGraphStore(graph)
    try:
        return await store.version()
    finally:
        await store.close()


async def _ends(graph: Path, topic: str, relation: str) -> list[str]:
    store = SqliteGraphStore(graph)
    try:
        [walk] = await store.walk([(Entity(topic, topic), (relation,))], WalkRule())
        return [reached.entity.name for reached in walk.reached]
    finally:
        await store.close()


def _imported(folder: Path, name: str, content: str | bytes, *, is_strict: bool = False) -> ImportReport:
    source = folder / name
    source.write_bytes(content if isinstance(content, bytes) else content.encode())
    return import_files([source], folder / "graph.sqlite", is_strict=is_strict)


def _error(folder: Path, name: str, content: str | bytes) -> str:
    with pytest.raises(InvalidInputError) as caught:
        _imported(folder, name, content, is_strict=True)
    assert not list(folder.glob("*graph.sqlite*")), "a failed import must leave no files"
    assert not list(folder.glob(".*"))
    return str(caught.value)


_TSV = "Alien\tdirected_by\tRidley Scott\nAlien\tstars\tSigourney Weaver\nAlien\talias\tAlien 1\n"
_CSV = 'object,subject,relation\nRidley Scott,Alien,directed_by\n"Sigourney Weaver",Alien,stars\nAlien 1,Alien,alias\n'


async def test_a_report_counts_what_was_stored(tmp_path: Path) -> None:
    twice = _TSV + "Alien\tstars\tSigourney Weaver\nAlien\talias\tAlien 1\nNobody\talias\tSomebody\n"

    report = _imported(tmp_path, "facts.tsv", twice)

    counts = (report.triples, report.entities, report.relations, report.aliases, report.duplicates, report.unused_names)
    assert counts == (2, 3, 2, 1, 1, 1)
    assert report.seconds > 0
    assert await _ends(tmp_path / "graph.sqlite", "Alien", "stars") == ["Sigourney Weaver"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("facts.csv", _CSV.encode()),
        ("FACTS.TSV", _TSV.encode()),
        ("facts.tsv.gz", gzip.compress(_TSV.encode(), mtime=0)),
        ("facts.tsv.xz", lzma.compress(_TSV.encode())),
        ("facts.csv.xz", lzma.compress(_CSV.encode())),
        ("bom.tsv", b"\xef\xbb\xbf" + _TSV.encode()),
        ("bom.csv", b"\xef\xbb\xbf" + _CSV.encode()),
        ("windows.tsv", _TSV.replace("\n", "\r\n").encode()),
        ("windows.csv", _CSV.replace("\n", "\r\n").encode()),
        ("header.tsv", b"Subject\tRELATION\tobject\n" + _TSV.encode()),
        ("header.tsv", b"head\trelation\ttail\n" + _TSV.encode()),
        ("blank.tsv", b"\n" + _TSV.replace("\n", "\n\n  \n").encode()),
        ("blank.csv", _CSV.replace("\n", "\n\n").encode()),
        ("padded.tsv", _TSV.replace("\t", " \t ").encode()),
        ("unended.tsv", _TSV.rstrip("\n").encode()),
    ],
)
async def test_the_same_rows_make_the_same_graph_in_every_format(tmp_path: Path, name: str, content: bytes) -> None:
    _imported(tmp_path, "plain.tsv", _TSV)
    expected = await _version(tmp_path / "graph.sqlite")

    report = _imported(tmp_path, name, content)

    assert (report.triples, report.aliases) == (2, 1)
    assert await _version(tmp_path / "graph.sqlite") == expected


async def test_the_version_follows_facts_and_their_order(tmp_path: Path) -> None:
    versions = set()
    for content in ("a\tr\tb\nc\tr\td\n", "c\tr\td\na\tr\tb\n", "a\tr\tb\n", "a\tr\tc\n", "a\tr\tb\na\talias\tc\n"):
        _imported(tmp_path, "facts.tsv", content)
        versions.add(await _version(tmp_path / "graph.sqlite"))

    assert len(versions) == 5


async def test_several_files_make_one_graph(tmp_path: Path) -> None:
    (tmp_path / "one.tsv").write_text("a\tr\tb\n")
    (tmp_path / "two.csv").write_text("s,p,o\na,r,c\n")
    (tmp_path / "three.nt").write_text('<http://e.org/a> <http://e.org/r> "d" .\n')
    graph = tmp_path / "new" / "folder" / "graph.sqlite"
    seen: list[tuple[int, int]] = []

    report = import_files(
        [tmp_path / "one.tsv", tmp_path / "two.csv", tmp_path / "three.nt"], graph, lambda *done: seen.append(done)
    )

    assert report.triples == 3
    assert await _ends(graph, "a", "r") == ["b", "c"]
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1][0] == seen[-1][1]


_HOSTILE = """`A`}) DETACH DELETE n; //'); DROP TABLE entities; --"""


@pytest.mark.parametrize(
    ("files", "ends"),
    [
        (
            {
                "n.csv": f':ID,"{_HOSTILE}",:LABEL\n1,"{_HOSTILE}","{_HOSTILE.replace(";", ",")}"\n',
                "r.csv": f':START_ID,:END_ID,:TYPE,"{_HOSTILE}"\n1,1,"{_HOSTILE}",x\n',
            },
            ("1", "1"),
        ),
        (
            {
                "g.jsonl": f'{{"type": "node", "id": "{_HOSTILE}", "labels": ["{_HOSTILE.replace(";", ",")}"], '
                f'"properties": {{"{_HOSTILE}": "{_HOSTILE}"}}}}\n'
                f'{{"type": "relationship", "label": "{_HOSTILE}", "start": "{_HOSTILE}", "end": "{_HOSTILE}", '
                f'"properties": {{"{_HOSTILE}": "x"}}}}\n'
            },
            (_HOSTILE, _HOSTILE),
        ),
    ],
)
def test_names_that_look_like_queries_are_stored_as_they_are(
    tmp_path: Path, files: dict[str, str], ends: tuple[str, str]
) -> None:
    graph = imported(tmp_path, files)

    [node] = graph.nodes.values()
    assert (node.kinds, node.properties) == ({_HOSTILE.replace(";", ",")}, {_HOSTILE: _HOSTILE})
    assert graph.relationships == [(ends[0], _HOSTILE, ends[1], {_HOSTILE: "x"})]


def test_literals_that_look_like_queries_are_stored_as_they_are(tmp_path: Path) -> None:
    relation = "http://e.org/p');DROP%20TABLE%20entities;--"

    graph = imported(tmp_path, {"f.nt": f'<http://e.org/s> <{relation}> "{_HOSTILE}" .\n'})

    assert graph.nodes["http://e.org/s"].properties == {"p');DROP TABLE entities;--": _HOSTILE}


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_subjects_may_begin_with_a_hash_and_quotes_mean_nothing_in_tsv(tmp_path: Path, line_end: str) -> None:
    assert _imported(tmp_path, "f.tsv", f'# 1\tr\t"b{line_end}#Alive\tr\tc{line_end}').triples == 2


def test_csv_fields_may_hold_commas_and_doubled_quotes(tmp_path: Path) -> None:
    report = _imported(tmp_path, "f.csv", 'source,relation,target\n"Crouching Tiger, Hidden ""Dragon""",r,x\n')

    assert (report.triples, report.entities) == (1, 2)


_BAD_LINES: Sequence[tuple[str, str | bytes, str]] = [
    ("f.tsv", "a\tr\tb\na\tr\n", "f.tsv, line 2: expected 3 tab-separated fields (subject, relation, object), found 2"),
    ("f.tsv", "a\tr\tb\tc\n", "found 4"),
    ("f.tsv", "a r b\n", "found 1"),
    ("f.tsv", "\tr\tb\n", "line 1: the subject is empty; fill it in or remove the line"),
    ("f.tsv", "a\t \tb\n", "line 1: the relation is empty"),
    ("f.tsv", "a\tr\t\n", "line 1: the object is empty"),
    ("f.tsv", b"a\tr\tb\na\tr\tcaf\xe9\n", "f.tsv, line 2: not UTF-8 at byte 8; save the file as UTF-8"),
    ("f.tsv", "a\tr\tb\0c\n", "line 1: the object contains the control character U+0000; remove it"),
    ("f.tsv", "a\x1b[31m\tr\tb\n", "the subject contains the control character U+001B"),
    ("f.tsv", "a\tr\t" + "x" * 2001 + "\n", "line 1: the object is 2,001 characters long (limit 2,000)"),
    ("f.tsv", "x" * (1 << 20), "line 1: the line is longer than 1 MiB"),
    ("f.tsv", "a\t^r\tb\n", "line 1: the relation '^r' begins with '^'"),
    ("f.tsv", "a\talias\ta\n", "line 1: the alias of 'a' is the same as its name"),
    ("f.tsv", "", "f.tsv: no triples"),
    ("f.tsv", "subject\trelation\tobject\n", "f.tsv: no triples"),
    ("f.tsv", "a\talias\tb\n", "f.tsv: no triples"),
    ("f.csv", "", "f.csv: no triples"),
    ("f.csv", "a,r,b\n", "f.csv, line 1: expected a header naming the columns subject, relation, object"),
    (
        "f.csv",
        "subject,relation,object,year,note\na,r,b,1,2\n",
        "line 1: the column 'year' is neither subject, relation, nor object",
    ),
    ("f.csv", "subject,relation\na,r\n", "line 1: expected subject, relation, object once each in the header"),
    ("f.csv", "subject,relation,object,object\na,r,b,b\n", "line 1: expected subject, relation, object once each"),
    (
        "f.csv",
        "subject,relation,object\na,r\n",
        "line 2: expected 3 fields (subject, relation, object), found 2 separated by commas",
    ),
    ("f.csv", 'subject,relation,object\na,r,b\n"a,r,b\nc,r,d\n', "f.csv, line 3: invalid quotes"),
    ("f.csv", 'subject,relation,object\n"a"x,r,b\n', "f.csv, line 2: invalid quotes"),
    (
        "f.csv",
        f'subject,relation,object\n"a,r,b\n{"c,r,d" * 40_000}\n',
        'f.csv, line 2: invalid quotes: the quote " at line 2, column 1 is never closed',
    ),
    ("f.csv", 'subject,relation,object\n"a\nb",r,b\n', "line 2: the subject contains the control character U+000A"),
    ("f.tsv.xz", lzma.compress(b"a\tr\tb\n" * 9000)[:-30], "f.tsv.xz, after line"),
    ("f.tsv.gz", gzip.compress(b"a\tr\tb\n" * 9000, mtime=0)[:-30], "the compressed data is corrupt or truncated"),
    ("f.tsv.xz", b"not xz at all", "f.tsv.xz, after line 0: the compressed data is corrupt"),
    ("f.tsv.gz", b"not gzip at all", "the compressed data is corrupt"),
    (
        "f.n3",
        "",
        "unknown extension; expected .tsv, .csv, .ttl, .trig, .nq, .rdf, .jsonld, .owl, .nt, .jsonl, .ndjson, .json, "
        "or one of these with .xz or .gz",
    ),
    ("f.xz", "", "f.xz: unknown extension"),
]


@pytest.mark.parametrize(("name", "content", "message"), _BAD_LINES)
def test_bad_input_is_reported_with_its_place(tmp_path: Path, name: str, content: str | bytes, message: str) -> None:
    assert message in _error(tmp_path, name, content)


def test_the_first_five_bad_lines_are_shown_and_the_rest_counted(tmp_path: Path) -> None:
    message = _error(tmp_path, "f.tsv", "a\tr\tb\n" + "bad\n" * 17)

    assert [line.split(":")[0] for line in message.splitlines()[:5]] == [f"f.tsv, line {n}" for n in range(2, 7)]
    assert message.splitlines()[5:] == ["... and 12 more"]


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"none\.tsv: no such file"):
        import_files([tmp_path / "none.tsv"], tmp_path / "graph.sqlite")
    with pytest.raises(InvalidInputError, match="is a folder or device, not a file"):
        import_files([tmp_path], tmp_path / "graph.sqlite")
    with pytest.raises(InvalidInputError, match="no file"):
        import_files([], tmp_path / "graph.sqlite")


def test_only_the_owner_may_read_a_graph(tmp_path: Path) -> None:
    source, target = tmp_path / "facts.tsv", tmp_path / "graph.sqlite"
    source.write_text("France\tcapital\tParis\n", encoding="utf-8")
    before = os.umask(0)
    try:
        import_files([source], target)
    finally:
        os.umask(before)
    assert target.stat().st_mode & 0o777 == 0o600


def test_a_target_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "f.tsv").write_text("a\tr\tb\n")
    (tmp_path / "file").write_text("")

    with pytest.raises(InvalidInputError, match="cannot write"):
        import_files([tmp_path / "f.tsv"], tmp_path / "file" / "graph.sqlite")


def _interrupt(_done: int, _total: int) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("content", "progress", "error"),
    [("a\tr\n", None, InvalidInputError), ("a\tr\tb\n" * 30_000, _interrupt, KeyboardInterrupt)],
)
def test_a_failed_import_leaves_the_graph_as_it_was(
    tmp_path: Path, content: str, progress: Callable[[int, int], None] | None, error: type[BaseException]
) -> None:
    _imported(tmp_path, "good.tsv", _TSV)
    graph = tmp_path / "graph.sqlite"
    before = graph.read_bytes()
    (tmp_path / "bad.tsv").write_text(content)

    with pytest.raises(error):
        import_files([tmp_path / "bad.tsv"], graph, progress)

    assert graph.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.tsv", "good.tsv", "graph.sqlite"]


async def test_an_open_store_keeps_its_graph_while_a_new_one_replaces_it(tmp_path: Path) -> None:
    _imported(tmp_path, "facts.tsv", "a\tr\told\n")
    store = SqliteGraphStore(tmp_path / "graph.sqlite")

    _imported(tmp_path, "facts.tsv", "a\tr\tnew\n")

    [walk] = await store.walk([(Entity("a", "a"), ("r",))], WalkRule())
    await store.close()
    assert [reached.entity.name for reached in walk.reached] == ["old"]
    assert await _ends(tmp_path / "graph.sqlite", "a", "r") == ["new"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.tsv", "Fra\u200bnce\tcapi\u00adtal\tPa\u202eris\nFrance\tcapital\tParis\nIran\tnative\tمی\u200cخواهم\n"),
        (
            "a.csv",
            "subject,relation,object\n\u2066Fra\u200bnce,capi\u00adtal,Pa\u202eris\u2069\nFrance,capital,Paris\n",
        ),
        (
            "a.nt",
            "<http://e.org/Fra\u200bnce> <http://e.org/capi\u00adtal> <http://e.org/Pa%E2%80%AEris> .\n"
            "<http://e.org/Fra\\u200Bnce> <http://e.org/capital> <http://e.org/Paris> .\n"
            '<http://e.org/Spain> <http://www.w3.org/2000/01/rdf-schema#label> "Spa\u200bin" .\n'
            "<http://e.org/Spain> <http://e.org/borders> <http://e.org/France> .\n",
        ),
    ],
)
async def test_names_are_imported_without_invisible_characters(tmp_path: Path, name: str, content: str) -> None:
    report = _imported(tmp_path, name, content)

    store = SqliteGraphStore(tmp_path / "graph.sqlite")
    [[france, *others]] = await store.entities_named(["france"])
    [walk] = await store.walk([(france.entity, ("capital",))], WalkRule())
    assert (france.name, others) == ("France", [])
    assert {reached.entity.name for reached in walk.reached} == {"Paris"}
    assert report.cleaned_names >= 3
    await store.close()


def test_a_name_without_visible_characters_is_empty(tmp_path: Path) -> None:
    assert "line 1: the object is empty" in _error(tmp_path, "a.tsv", "France\tcapital\t\u200b\u202e\n")


async def test_joiners_that_a_script_needs_are_imported(tmp_path: Path) -> None:
    report = _imported(tmp_path, "a.tsv", "Iran\tsays\tمی\u200cخواهم\n")
    assert await _ends(tmp_path / "graph.sqlite", "Iran", "says") == ["می\u200cخواهم"]
    assert report.cleaned_names == 0
