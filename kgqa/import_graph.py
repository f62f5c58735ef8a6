"""Load facts into a graph: `kgqa import`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from kgqa.console import interrupted_by_signals, out, progress_bar
from kgqa.options import GraphName, TableKeys, TableReferences, TablesPath
from kgqa.tables import short_description, tables_options
from shared.errors import InvalidInputError
from shared.paths import DEMO_GRAPH, graph_file, snapshot_file
from shared.settings import load_settings
from shared.text import shown

if TYPE_CHECKING:
    from graph.neo4j.settings import Neo4jSettings
    from graph.plan.text_readings import TextReading
    from ingestion.importer import ImportReport
    from ingestion.neo4j_snapshot import SnapshotReport

_MAX_LISTED = 20

_Files = Annotated[
    list[str] | None,
    typer.Argument(
        help="TSV, CSV, RDF, or JSON Lines files; plain, .gz, or .xz. Or folders of RDF files, or the URL of one Neo4j "
        "database, such as bolt://host:7687."
    ),
]
_Target = Annotated[
    Literal["file", "neo4j"],
    typer.Option(help="neo4j: also copy the graph into the database at KGQA_NEO4J_URL."),
]
_NodeFiles = Annotated[
    list[str] | None,
    typer.Option(help="CSV files of nodes, the first of which has the header: City=header.csv,data.csv."),
]
_RelationshipFiles = Annotated[
    list[str] | None,
    typer.Option(help="CSV files of relationships, the first of which has the header: LIVES_IN=lives.csv."),
]
_Delimiter = Annotated[
    str | None, typer.Option(help="Character that separates fields; TAB is a tab. [default: detected]")
]
_Quote = Annotated[str | None, typer.Option(help="Encloses fields; none if nothing does. [default: detected]")]
_ArrayDelimiter = Annotated[str | None, typer.Option(help="Divides labels and the items of lists. [default: detected]")]
_Strict = Annotated[
    bool, typer.Option("--strict", help="Refuse files with an invalid line or value, instead of leaving it out.")
]
_MaxRejected = Annotated[
    int | None,
    typer.Option(min=0, help="Fail if more lines than this are invalid. [default: 100, or 1 % of the lines]"),
]
_Language = Annotated[str | None, typer.Option(help="Prefer labels in this language, such as de, as names. RDF only.")]
_NamedGraph = Annotated[
    str | None, typer.Option(help="Import only the named graph with this IRI. RDF only. [default: all graphs]")
]
_FromSparql = Annotated[
    str | None,
    typer.Option(help="URL of a SPARQL endpoint to copy, which the same command resumes if it was interrupted."),
]
_DateOrder = Annotated[
    Literal["day-first", "month-first"] | None,
    typer.Option(help="Order of dates such as 3/4/2021. [default: as other dates of the property show]"),
]


def import_graph(
    graph: GraphName,
    files: _Files = None,
    to: _Target = "file",
    nodes: _NodeFiles = None,
    relationships: _RelationshipFiles = None,
    delimiter: _Delimiter = None,
    quote: _Quote = None,
    array_delimiter: _ArrayDelimiter = None,
    strict: _Strict = False,
    max_rejected: _MaxRejected = None,
    language: _Language = None,
    named_graph: _NamedGraph = None,
    from_sparql: _FromSparql = None,
    dates: _DateOrder = None,
    tables: TablesPath = None,
    key: TableKeys = None,
    reference: TableReferences = None,
) -> None:
    """Load facts into a graph, and replace any graph of the same name. Report invalid lines and values.

    If the import fails, nothing changes.

    Facts, or the files of a property graph: kgqa import facts.tsv --graph mine

    CSV without labels and types: kgqa import --nodes City=city.csv --relationships IN=in.csv --graph mine

    Tables that refer to each other: kgqa import --tables shop.db --graph mine
    """
    from graph.plan.text_readings import TextReading
    from ingestion.table_options import TableOptions, dialect_options, parse_group

    files = files or []
    order = TextReading(dates.replace("-", "_")) if dates else None
    settings: dict[str, Any] = {"is_strict": strict, "max_rejected": max_rejected, "dates": order}
    groups = [parse_group(text, is_nodes=True) for text in nodes or ()]
    groups += [parse_group(text, is_nodes=False) for text in relationships or ()]
    options = TableOptions(dialect_options(delimiter, quote, array_delimiter), groups)
    _check_alone(tables, bool(files or groups or language or named_graph or from_sparql), bool(key or reference))
    target = graph_file(graph)
    is_replaced = target.is_file()
    with interrupted_by_signals():
        if any("://" in file for file in files):
            _import_database(files, graph, target, to, order)
        else:
            if to == "neo4j":
                _check_neo4j(graph)
            if tables is not None:
                _import_tables(tables, graph, target, {**settings, "options": tables_options(key, reference, options)})
            else:
                settings |= {"options": options, "language": language, "named_graph": named_graph}
                _import_files(files, from_sparql, graph, target, settings)
    if is_replaced:
        _say_replaced(graph, target)
    if to == "neo4j":
        _copy_to_neo4j(graph)


def _say_replaced(graph: str, target: Path) -> None:
    out.print("replaced the existing graph of that name; a running kgqa up serves the new graph within seconds")
    if graph == DEMO_GRAPH:
        out.print(f"it was the demo graph; to let kgqa up restore it, run: rm {target}")


def _import_files(
    files: Sequence[str], endpoint: str | None, graph: str, target: Path, settings: Mapping[str, Any]
) -> None:
    """Import files, or what an endpoint has, with these settings, the keyword arguments of `import_files`."""
    from ingestion.importer import import_files

    if endpoint is not None:
        _import_endpoint(endpoint, files, graph, target, settings)
        return
    with progress_bar(f"importing {graph}", "the graph is unchanged") as advance:
        report = import_files(list(map(Path, files)), target, advance, **settings)
    _show_files(graph, report)


def _check_alone(tables: Path | None, has_others: bool, has_keys: bool) -> None:
    """Raise InvalidInputError if options for tables stand beside others, or without tables."""
    if tables is not None and has_others:
        raise InvalidInputError(
            "--tables cannot be combined with files, --nodes, --relationships, or the options of RDF: --language, "
            "--named-graph, and --from-sparql"
        )
    if tables is None and has_keys:
        raise InvalidInputError("--key and --reference are about tables; name these with --tables")


def _import_tables(path: Path, graph: str, target: Path, settings: Mapping[str, Any]) -> None:
    """Import tables with these settings, the keyword arguments of `import_tables`."""
    from ingestion.relational.importing import import_tables

    with progress_bar(f"importing {graph}", "the graph is unchanged") as advance:
        report = import_tables(path, target, advance, **settings)
    for line in short_description(report.mapping):
        out.print(line)
    _show_files(graph, report)
    if report.mapping.ignored:
        out.print(f"files that are no tables: {_shortened(report.mapping.ignored)}")


def _show_files(graph: str, report: "ImportReport") -> None:
    duplicates = _counted(report.duplicates, "duplicate line")
    _show(graph, report, f"; {duplicates} left out")
    if report.merged_names:
        merged = _counted(len(report.merged_names), "name")
        listed = _shortened(report.merged_names)
        out.print(f"{merged} occurred in several Unicode forms, which are the same entity: {listed}")
    if report.case_variants:
        groups = _counted(len(report.case_variants), "group")
        listed = _shortened([" / ".join(names) for names in report.case_variants])
        out.print(f"{groups} of names that differ only in case or in the form of characters are different: {listed}")
    for remark in report.rdf_remarks:
        out.print(remark)
    for dialect, names in report.dialects.items():
        out.print(f"{_shortened(names)}: {dialect}")
    for advice in report.likely_headers:
        out.print(advice)
    for unread in report.unread_values:
        example = report.examples.get((unread.owner, unread.key))
        first = f"; the first one is {shown(example)}" if example is not None else ""
        out.print(f"{unread} are left out or have another type; plans read them as missing{first}")
    for left_out in report.rejected:
        out.print(f"left out {left_out}")
        out.print(f"  {left_out.example}")


def _import_endpoint(url: str, files: Sequence[str], graph: str, target: Path, settings: Mapping[str, Any]) -> None:
    """Copy a SPARQL endpoint, and import the copy; raise InvalidInputError if there are files as well."""
    from ingestion.sparql_snapshot import Endpoint, copy_endpoint

    if files or settings["options"].groups:
        raise InvalidInputError("--from-sparql cannot be combined with files; import each into its own graph")
    copy = snapshot_file(graph).with_suffix(".nt")
    with progress_bar(f"copying {graph} from SPARQL", "run the same command again to resume") as advance:
        copy_endpoint(Endpoint(url, settings["named_graph"]), copy, advance)
    _import_files([str(copy)], None, graph, target, {**settings, "named_graph": None})
    copy.unlink()


def _import_database(files: Sequence[str], graph: str, target: Path, to: str, dates: "TextReading | None") -> None:
    """Copy the database at the only URL in `files`; raise InvalidInputError if there are other files."""
    from graph.neo4j.settings import Neo4jSettings
    from ingestion.neo4j_snapshot import import_database

    if len(files) > 1:
        raise InvalidInputError("a URL cannot be combined with other files or URLs; import each into its own graph")
    if to == "neo4j":
        raise InvalidInputError("--to neo4j is only for files; leave it out to copy the database into a graph file")
    settings = load_settings(Neo4jSettings).of_graph(graph).model_copy(update={"url": files[0]})
    with progress_bar(
        f"importing {graph} from Neo4j", "the graph is unchanged; the next import starts from the beginning"
    ) as advance:
        report = import_database(settings, target, advance, dates)
    _show(graph, report)
    _show_left_out(report)


def _show_left_out(report: "SnapshotReport") -> None:
    """Print which values of a database are left out."""
    left_out = [f"{owner}.{key} ({count:,} {reason})" for (owner, key, reason), count in report.left_out.items()]
    if left_out:
        out.print(f"left out: {_shortened(left_out)}")
    if report.unused_hidden:
        hidden = _counted(report.unused_hidden, "property", "properties")
        out.print(f"KGQA_NEO4J_HIDE lists {hidden} that the database does not have; check the spelling")


def _shortened(items: Sequence[str], separator: str = ", ") -> str:
    more = f"{separator}and {len(items) - _MAX_LISTED:,} more" if len(items) > _MAX_LISTED else ""
    return separator.join(items[:_MAX_LISTED]) + more


def _show(graph: str, report: "ImportReport", left_out: str = "") -> None:
    triples, relations = _counted(report.triples, "triple"), _counted(report.relations, "relation")
    entities, aliases = _counted(report.entities, "entity", "entities"), _counted(report.aliases, "alias", "aliases")
    counts = f"{triples}, {entities}, {relations}, {aliases}"
    out.print(f"{graph}: {counts}{left_out}; {report.seconds:.1f} s")
    kinds = [f"{kind} {count:,}" for kind, count in report.kinds.items()]
    out.print(f"kinds: {_shortened(kinds) or 'none'}")
    if report.without_kind and (kinds or report.node_values):
        out.print(f"without a kind: {_counted(report.without_kind, 'node')}")
    values = _counted(report.node_values, "value")
    out.print(f"properties: {values} of nodes, {report.relationship_values:,} of relationships")
    if columns := [str(one) for one in report.columns if one.is_read]:
        out.print(f"texts that are read: {_shortened(columns, '; ')}")
    for column in [one for one in report.columns if not one.is_read][:_MAX_LISTED]:
        out.print(str(column))
    if report.unused_names:
        out.print(f"left out {_counted(report.unused_names, 'name')} of entities that no fact mentions")
    if report.cleaned_names:
        out.print(f"removed invisible characters from {_counted(report.cleaned_names, 'name')}")
    if report.empty_literals:
        out.print(f"left out {_counted(report.empty_literals, 'empty literal')}")
    if report.unstorable_literals:
        literals = _counted(report.unstorable_literals, "literal")
        out.print(f"kept the text of {literals} without a property, which cannot hold the datatype or the value")


def _counted(number: int, noun: str, plural: str = "") -> str:
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def _check_neo4j(graph: str) -> None:
    """Check that the configured database can take a copy, before the graph file is replaced."""
    from ingestion.neo4j import check_database

    check_database(_neo4j_settings(graph))


def _copy_to_neo4j(graph: str) -> None:
    """Copy a graph into the configured database."""
    from ingestion.neo4j import copy_to_neo4j

    settings = _neo4j_settings(graph)
    with progress_bar(f"copying {graph} to Neo4j", "run the same command again to resume") as advance:
        is_new = copy_to_neo4j(graph_file(graph), settings, advance)
    where = f"{settings.shown_url}, database {settings.database}"
    out.print(f"{graph} is in Neo4j: {where}" + ("" if is_new else "; it was already there"))


def _neo4j_settings(graph: str) -> "Neo4jSettings":
    """Return the settings of the graph's database; raise InvalidInputError if none is configured."""
    from graph.neo4j.settings import Neo4jSettings

    settings = load_settings(Neo4jSettings).of_graph(graph)
    if settings.url is None:
        raise InvalidInputError(
            "KGQA_NEO4J_URL is not set; set it to a URL such as bolt://127.0.0.1:7687, and set KGQA_NEO4J_PASSWORD"
        )
    return settings
