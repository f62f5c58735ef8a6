"""Odd files: valid graph files that are written unusually or damaged in one place, and what an import made of them."""

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unicodedata import normalize

from ingestion.importer import import_files
from shared.errors import InvalidInputError
from tests.support.imported_graphs import StoredGraph, stored_graph

SAME, AS_WRITTEN = "loaded the same graph", "loaded what the odd line says"
LESS, REFUSED, WRONG = "left the damage out, and said so", "refused, with the file and line", "silently different"
OUTCOMES = (SAME, AS_WRITTEN, LESS, REFUSED, WRONG)

_XSD = "http://www.w3.org/2001/XMLSchema#"
_SYLLABLES = ("ka", "lo", "mé", "nür", "tas", "vi", "ro", "Ø", "li", "den")
_PLACES = 6


@dataclass(frozen=True)
class Table:
    """Hold the rows of a file, the first of which may be a header, and how fields are joined."""

    extension: str
    rows: list[list[str]]
    delimiter: str = ""
    has_header: bool = False

    def text(self, delimiter: str | None = None, quotes: bool = False) -> str:
        """Join the rows to lines."""
        join = self.delimiter if delimiter is None else delimiter
        quoted = [[f'"{field}"' for field in row] if quotes else row for row in self.rows]
        return "".join(join.join(row) + "\n" for row in quoted)


def _words(rng: random.Random, count: int) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < count:
        found["".join(rng.choices(_SYLLABLES, k=3)).capitalize()] = None
    return list(found)


def tables(rng: random.Random) -> dict[str, list[Table]]:
    """Write one small random graph in each format."""
    people = _words(rng, 9)
    towns, people = people[: _PLACES // 2], people[_PLACES // 2 :]
    homes = [(person, rng.choice(towns), str(rng.randrange(1900, 2000))) for person in people]
    facts = [
        [person, relation, end] for person, town, born in homes for relation, end in (("in", town), ("born", born))
    ]
    nodes = [
        [":ID", "name", "born:int", ":LABEL"],
        *([f"p{n}", one[0], one[2], "Person"] for n, one in enumerate(homes)),
    ]
    nodes += [[f"t{n}", town, "1200", "Town"] for n, town in enumerate(towns)]
    ends = [
        [":START_ID", ":END_ID", ":TYPE"],
        *([f"p{n}", f"t{towns.index(one[1])}", "IN"] for n, one in enumerate(homes)),
    ]
    return {
        "TSV": [Table(".tsv", facts, "\t")],
        "CSV": [Table(".csv", [["subject", "relation", "object"], *facts], ",", True)],
        "neo4j-admin CSV": [Table(".csv", nodes, ",", True), Table(".csv", ends, ",", True)],
        "JSON Lines": [Table(".jsonl", [[line] for line in _json_lines(nodes, ends)])],
        "N-Triples": [Table(".nt", [_triple(row) for row in facts], " ")],
    }


def _json_lines(nodes: list[list[str]], ends: list[list[str]]) -> Iterator[str]:
    for id_, name, born, kind in nodes[1:]:
        properties = {"name": name, "born": int(born)}
        yield json.dumps({"type": "node", "id": id_, "labels": [kind], "properties": properties}, ensure_ascii=False)
    for source, target, type_ in ends[1:]:
        yield json.dumps({"type": "relationship", "label": type_, "start": source, "end": target})


def _triple(row: list[str]) -> list[str]:
    subject, relation, end = row
    object_ = f'"{end}"^^<{_XSD}integer>' if relation == "born" else f"<http://e.org/{end}>"
    return [f"<http://e.org/{subject}>", f"<http://e.org/{relation}>", object_, "."]


_Oddity = Callable[[random.Random, Table], bytes]


def _line(rng: random.Random, table: Table) -> int:
    return rng.randrange(table.has_header, len(table.rows))


def _spoilt(rng: random.Random, table: Table, spoil: Callable[[bytes], bytes]) -> bytes:
    lines = table.text().encode().splitlines(keepends=True)
    place = _line(rng, table)
    lines[place] = spoil(lines[place])
    return b"".join(lines)


def _repeated(rng: random.Random, table: Table) -> bytes:
    rows = list(table.rows)
    rows.insert(_line(rng, table) + 1, rows[_line(rng, table)])
    return Table(table.extension, rows, table.delimiter).text().encode()


def _wrong_type(rng: random.Random, table: Table) -> bytes:
    numbers = sorted(
        {word for word in "".join(table.text()).replace('"', " ").replace(",", " ").split() if word.isdigit()}
    )
    text = table.text()
    return (text.replace(rng.choice(numbers), rng.choice(("N/A", "12x", "1e999")), 1) if numbers else text).encode()


def _cut(rng: random.Random, table: Table) -> bytes:
    text = table.text().rstrip("\n")
    last = text.rpartition("\n")[2]
    # Later, the line may still be valid: half of a name is a name.
    end = last.find(table.delimiter) if table.delimiter else len(last) - 1
    return text[: len(text) - len(last) + rng.randrange(1, max(2, end))].encode()


def _repeated_header(rng: random.Random, table: Table) -> bytes:
    head = table.text().splitlines(keepends=True)
    return "".join([head[0], *head] if table.has_header else head).encode()


def _quoted(_: random.Random, table: Table) -> bytes:
    return table.text(quotes=table.extension in (".csv", ".tsv")).encode()


def _other_delimiter(rng: random.Random, table: Table) -> bytes:
    return table.text(rng.choice("\t;|") if table.extension == ".csv" else None).encode()


ODDITIES: dict[str, _Oddity] = {
    "byte order mark": lambda _, table: b"\xef\xbb\xbf" + table.text().encode(),
    "line ends CRLF": lambda _, table: table.text().replace("\n", "\r\n").encode(),
    "no last line end, or blank lines": lambda rng, table: (
        table.text().rstrip("\n").encode() + b"\n" * rng.choice((0, 3))
    ),
    "decomposed letters": lambda _, table: normalize("NFD", table.text()).encode(),
    "all fields quoted": _quoted,
    "another separator": _other_delimiter,
    "UTF-16": lambda _, table: table.text().encode("utf-16"),
    "invalid UTF-8": lambda rng, table: _spoilt(rng, table, lambda line: line[:-3] + b"\xe9\xff" + line[-3:]),
    "a null byte": lambda rng, table: _spoilt(rng, table, lambda line: line[:3] + b"\0" + line[3:]),
    "a stray quote": lambda rng, table: _spoilt(rng, table, lambda line: line[:2] + b'"' + line[2:]),
    "a stray separator": lambda rng, table: _spoilt(
        rng, table, lambda line: line.rstrip(b"\n") + (table.delimiter or ",").encode() * 2 + b"x\n"
    ),
    "a value of another type": _wrong_type,
    "a cut last line": _cut,
    "a repeated line or ID": _repeated,
    "a repeated header": _repeated_header,
}


def outcome(seed: int, folder: Path) -> tuple[str, str, str, str]:
    """Import one odd file; return its format, its oddity, what the import made of it, and a description."""
    rng = random.Random(f"odd files {seed}")
    written = tables(rng)
    oddity = list(ODDITIES)[seed % len(ODDITIES)]
    format_ = list(written)[(seed // len(ODDITIES)) % len(written)]
    folder.mkdir(parents=True)
    parts = written[format_]
    odd = rng.randrange(len(parts))
    contents = [part.text().encode() for part in parts]
    expected = _facts(_stored(folder / "valid", parts, contents)[0], format_)
    contents[odd] = ODDITIES[oddity](rng, parts[odd])
    try:
        graph, said = _stored(folder / "odd", parts, contents)
    except InvalidInputError as error:
        is_true = re.match(rf"f{odd}\.\w+, line \d+: ", str(error)) and not list(
            (folder / "odd").glob("*graph.sqlite*")
        )
        return format_, oddity, REFUSED if is_true else WRONG, str(error)
    found = _facts(graph, format_)
    lost, new = expected - found, found - expected
    if not lost and not new:
        return format_, oddity, SAME, said
    if new:
        kind = AS_WRITTEN if _are_written(new, contents[odd]) and len(new) <= len(lost) else WRONG
    else:
        kind = LESS if said else WRONG
    return format_, oddity, kind, f"lost {lost}, new {new}, said {said!r}"


def _are_written(facts: set[tuple[Any, ...]], content: bytes) -> bool:
    """Return whether the file has each part of the facts as a whole field, so that only the file is odd."""
    text = content.decode(errors="replace")
    written = {field.strip(" \r") for field in re.split(r"[,\t\n]| (?=[<.\"])|\^\^", text)} | set(
        re.findall(r'"([^"]*)"', text)
    )
    written |= {field.strip("<>") for field in written} | {field.rpartition("/")[2].strip(">") for field in written}
    parts = {part for kind, *rest in facts for part in (rest[:1] + rest[2:] if kind == "property" else rest)}
    return all(part.strip("'\"") in written or part in written for part in parts if isinstance(part, str))


def _stored(folder: Path, parts: list[Table], contents: list[bytes]) -> tuple[StoredGraph, str]:
    folder.mkdir()
    files = [folder / f"f{number}{part.extension}" for number, part in enumerate(parts)]
    for file, content in zip(files, contents, strict=True):
        file.write_bytes(content)
    report = import_files(files, folder / "graph.sqlite")
    said = "; ".join(f"{one} {one.example}" for one in report.rejected)
    said += f"; {report.empty_literals} empty literals" * (report.empty_literals > 0)
    return stored_graph(folder / "graph.sqlite"), said


def _facts(graph: StoredGraph, format_: str) -> set[tuple[Any, ...]]:
    """Return what a graph says; the typed properties of facts depend on all objects of a relation, so facts suffice."""
    counts = Counter(one[:3] for one in graph.relationships)
    facts: set[tuple[Any, ...]] = {("fact", *one, number) for one, number in counts.items()}
    if format_ in ("neo4j-admin CSV", "JSON Lines"):
        for key, node in graph.nodes.items():
            facts |= {("kind", key, kind) for kind in node.kinds} | {("node", key)}
            facts |= {("property", key, name, repr(value)) for name, value in node.properties.items()}
    return facts
