"""Say what `--tables` makes of tables: kinds, relationships, and link tables, and how to say otherwise."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kgqa.console import aligned, out
from shared.escaping import line_text

if TYPE_CHECKING:
    from ingestion.rejections import LeftOut
    from ingestion.relational.importing import TablesOptions
    from ingestion.relational.mapping import GraphMapping, MappedTable, Reference
    from ingestion.table_options import TableOptions

_MAX_LISTED = 20
_EVERYTHING = 0.9995


def tables_options(
    keys: Sequence[str] | None, references: Sequence[str] | None, tables: "TableOptions | None" = None
) -> "TablesOptions":
    """Return what the options of a command say about tables."""
    from ingestion.relational.importing import TablesOptions
    from ingestion.table_options import TableOptions

    return TablesOptions(tables or TableOptions(), keys or (), references or ())


def print_survey(path: Path, options: "TablesOptions") -> None:
    """Print what an import of these tables would do."""
    from ingestion.relational.importing import survey_tables

    survey = survey_tables(path, options)
    for line in describe_mapping(survey.mapping, survey.names, survey.rejected):
        out.print(line)


def describe_mapping(
    mapping: "GraphMapping", names: Mapping[str, str | None], rejected: Sequence["LeftOut"]
) -> Iterator[str]:
    """Yield the lines of a description of all tables, with the options that say otherwise."""
    tables = mapping.tables.values()
    kinds = [one for one in tables if not one.link_type]
    links = [one for one in tables if one.link_type]
    yield "kinds"
    yield from aligned([_kind_row(one, names.get(one.kind)) for one in kinds])
    references = [(one, reference) for one in kinds for reference in one.references]
    if references:
        yield from ("", "relationships")
        yield from aligned([_reference_row(mapping, one, reference) for one, reference in references])
    if links:
        yield from ("", "link tables, whose rows are relationships")
        yield from aligned([_link_row(mapping, one) for one in links])
    yield from _left_out(mapping, rejected)
    if options := list(_options(mapping)):
        yield from ("", "to say otherwise, to kgqa import as well")
        yield from aligned(options)


def short_description(mapping: "GraphMapping") -> Iterator[str]:
    """Yield one line for each table, and for what nearly is a reference, for the report of an import."""
    tables = list(mapping.tables.values())
    for one in tables[:_MAX_LISTED]:
        if one.link_type:
            yield f"{line_text(one.table.name)}: {_pattern(mapping, one)} by {_listed_references(one)}"
            continue
        references = f"; {_listed_references(one)}" if one.references else ""
        yield f"{line_text(one.table.name)}: {line_text(one.kind)}, {_key(one)}{references}"
    if len(tables) > _MAX_LISTED:
        yield f"... and {len(tables) - _MAX_LISTED:,} more tables; kgqa schema --tables shows all"
    for one in tables:
        for miss in one.misses:
            column, target = f"{line_text(one.table.name)}.{_columns(miss.columns)}", line_text(miss.target)
            option = _option("reference", f"{one.table.name}.{','.join(miss.columns)}={miss.target}")
            yield (
                f"{column} stays a property, because {_percent(miss)} of its values are rows of {target}; for "
                f"relationships of these, import again with {option}"
            )


def _kind_row(one: "MappedTable", name: str | None) -> tuple[str, ...]:
    rows = f"{one.rows:,} {'row' if one.rows == 1 else 'rows'}"
    named = _name(one, name)
    return line_text(one.table.name), f"-> {line_text(one.kind)}", rows, _key(one), named


def _name(one: "MappedTable", name: str | None) -> str:
    if one.name_parts and name == "name":
        return f"named by {' and '.join(map(line_text, one.name_parts))}"
    return f"named by {line_text(name)}" if name else "named by its key"


def _key(one: "MappedTable") -> str:
    if one.key.found is None:
        return "no key, so rows are counted"
    return f"key {_columns(one.key.columns)} ({one.key.found})"


def _reference_row(mapping: "GraphMapping", one: "MappedTable", reference: "Reference") -> tuple[str, ...]:
    target = mapping.tables[reference.target].kind
    pattern = f"({line_text(one.kind)})-[{line_text(reference.type)}]->({line_text(target)})"
    columns = f"{line_text(one.table.name)}.{_columns(reference.columns)}"
    if reference.target_columns != mapping.tables[reference.target].key.columns:
        columns += f" = {line_text(reference.target)}.{_columns(reference.target_columns)}"
    return pattern, columns, str(reference.found), _share(reference)


def _link_row(mapping: "GraphMapping", one: "MappedTable") -> tuple[str, ...]:
    found = ", ".join(dict.fromkeys(str(reference.found) for reference in one.references))
    shares = "; ".join(dict.fromkeys(_share(reference) for reference in one.references))
    ends = ", ".join(_columns(reference.columns) for reference in one.references)
    return _pattern(mapping, one), f"{line_text(one.table.name)}.{ends}", found, shares


def _pattern(mapping: "GraphMapping", one: "MappedTable") -> str:
    source, target = (line_text(mapping.tables[reference.target].kind) for reference in one.references)
    properties = f" {{{', '.join(map(line_text, one.properties))}}}" if one.properties else ""
    return f"({source})-[{line_text(one.link_type)}{properties}]->({target})"


def _share(reference: "Reference") -> str:
    referring, found = reference.share
    count = f"{referring:,} {'value' if referring == 1 else 'values'}"
    if found == referring:
        return count
    return f"{count}, of which {_percent(reference)} are rows of {line_text(reference.target)}"


def _percent(reference: "Reference") -> str:
    """Return a share, which is 100 % only if nothing is missing."""
    return f"{min(reference.share.of_all, _EVERYTHING):.1%}".replace("%", " %")


def _columns(columns: Sequence[str]) -> str:
    return ",".join(map(line_text, columns))


def _listed_references(one: "MappedTable") -> str:
    parts = []
    for reference in one.references:
        missing = "" if reference.is_complete else f", {_percent(reference)} found"
        what = line_text(reference.target if one.link_type else reference.type)
        parts.append(f"{_columns(reference.columns)} -> {what} ({reference.found}{missing})")
    return ", ".join(parts)


def _left_out(mapping: "GraphMapping", rejected: Sequence["LeftOut"]) -> Iterator[str]:
    """Yield what is not imported: columns, files, rows, and values."""
    columns = [
        (f"{line_text(one.table.name)}.{line_text(column)}", line_text(reason))
        for one in mapping.tables.values()
        for column, reason in one.table.left_out
    ]
    if not (columns or mapping.ignored or rejected):
        return
    yield from ("", "left out")
    yield from aligned(columns) if columns else ()
    if mapping.ignored:
        more = f" and {len(mapping.ignored) - _MAX_LISTED:,} more" if len(mapping.ignored) > _MAX_LISTED else ""
        yield f"  files that are no tables: {', '.join(map(line_text, mapping.ignored[:_MAX_LISTED]))}{more}"
    for one in rejected:
        yield f"  {line_text(str(one))}"
        yield f"    {line_text(one.example)}"


def _options(mapping: "GraphMapping") -> Iterator[tuple[str, str]]:
    """Yield the options that change what was found, each with what it means."""
    for one in mapping.tables.values():
        name = one.table.name
        for reference in one.misses:
            said = f"refer to {reference.target}; {_percent(reference)} of its values are rows of {reference.target}"
            yield _option("reference", f"{name}.{','.join(reference.columns)}={reference.target}"), line_text(said)
        for reference in one.references:
            yield _option("reference", f"{name}.{','.join(reference.columns)}=none"), "keep the column as a property"
        key = _option("key", f"{name}=COLUMN")
        if one.link_type:
            yield key, "make the rows nodes, by a key of their own"
        elif one.key.found is None:
            yield key, "name the column that identifies each row"
        elif one.key.found == "by name and values":
            yield key, f"take another key than {_columns(one.key.columns)}"


def _option(name: str, value: str) -> str:
    """Return an option as it is typed in a shell."""
    return line_text(f"--{name} {shlex.quote(value)}")
