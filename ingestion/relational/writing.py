"""Write the rows of tables as nodes, and their references as relationships."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

from graph.plan.values import Value
from ingestion.node_aliases import ALIASES, add_node_aliases
from ingestion.rejections import Problems
from ingestion.relational.mapping import GraphMapping, MappedTable, Reference
from ingestion.relational.staged_tables import StagedTables, key_text
from ingestion.relational.text_types import Converter, converter_of
from ingestion.source_lines import field_problem
from ingestion.sqlite_writer import GraphWriter
from language.english.morphology import counted
from shared.text import shortened, shown

_NAME = "name"


class _End(NamedTuple):
    """Say how a reference finds the key of the row that it refers to."""

    reference: Reference
    kind: str
    keys: Mapping[str, str] | None

    def node(self, values: Mapping[str, Value]) -> tuple[str, str] | None:
        """Return what a row refers to, as it is written, and the key of the node; None if it refers to nothing."""
        text = key_text(*(values.get(column) for column in self.reference.columns))
        if text is None:
            return None
        return text, f"{self.kind}:{text if self.keys is None else self.keys.get(text, '')}"


class TableWriter:
    """Write all tables of a mapping; rows that cannot be written are recorded."""

    def __init__(self, mapping: GraphMapping, staged: StagedTables, writer: GraphWriter, problems: Problems) -> None:
        self._mapping = mapping
        self._staged = staged
        self._writer = writer
        self._problems = problems
        self._rejected: set[tuple[str, int]] = set()
        self._first_rows: dict[str, dict[int, int]] = {}
        self._references: dict[str, Counter[str]] = {}
        self._relationships = 0

    def write(self, advance: Callable[[], None]) -> None:
        """Write nodes first, and then relationships; call `advance` after each table."""
        for mapped in self._mapping.tables.values():
            self._report_suspect(mapped)
            if not mapped.link_type:
                self._write_nodes(mapped)
            advance()
        for mapped in self._mapping.tables.values():
            self._at(mapped)
            if mapped.link_type:
                self._write_links(mapped)
            elif mapped.references:
                self._write_references(mapped)
            advance()
        self._problems.count_relationships(self._relationships)

    def _at(self, mapped: MappedTable) -> None:
        self._problems.file, self._problems.unit = mapped.table.place, mapped.table.unit

    def _report_suspect(self, mapped: MappedTable) -> None:
        """Record the values because of which a column that is named like the key is not the key."""
        if not mapped.key.suspect:
            return
        self._at(mapped)
        name, unit = mapped.table.name, mapped.table.unit
        [column] = map(shortened, mapped.key.suspect)
        lost = mapped.key.lost_references
        losing = f", and {counted(lost, 'reference')} to it {'is' if lost == 1 else 'are'} lost" if lost else ""
        reason = f"{name}.{column}: values that do not identify rows, so that this is not the key{losing}"
        for place, text, first in self._staged.repeats(name, mapped.key.suspect):
            what = "is empty" if text is None else f"is {shown(text)}, as in {unit} {first}"
            problem = f"{column} {what}; correct it, or name the columns that identify rows: --key {name}=COLUMN"
            self._problems.reject_value(place, reason, problem)

    def _write_nodes(self, mapped: MappedTable) -> None:
        self._at(mapped)
        converters = self._converters(mapped)
        for place, values in self._staged.rows(mapped.table.name):
            key = self._key(mapped, place, values)
            if key is None:
                self._rejected.add((mapped.table.name, place))
                continue
            properties = _converted(values, converters)
            if mapped.name_parts:
                parts = [str(values[part]) for part in mapped.name_parts if part in values]
                properties |= {_NAME: " ".join(parts)} if parts else {}
            node = f"{mapped.kind}:{key}"
            self._writer.add_node(node, (mapped.kind,), properties)
            self._writer.key_names[node] = f"{mapped.kind} {key}"
            add_node_aliases(self._writer, node, properties.get(ALIASES))

    def _key(self, mapped: MappedTable, place: int, values: Mapping[str, Value]) -> str | None:
        """Return the key of a row; None if it has none of its own, which is recorded."""
        columns = mapped.key.columns
        if not columns:
            return str(place)
        listed = ", ".join(map(shortened, columns))
        text = key_text(*(values.get(column) for column in columns))
        if text is None:
            problem = f"the key {listed} is empty; fill it in, or remove the row"
            self._problems.reject_line(place, f"{mapped.table.name}: rows without a key", problem)
            return None
        if problem_of_text := field_problem(f"key {listed}", text):
            self._problems.reject_line(place, f"{mapped.table.name}: rows with an invalid key", problem_of_text)
            return None
        if self._writer.has_node(f"{mapped.kind}:{text}"):
            problem = (
                f"{listed} is {shown(text)}, as in {self._first(mapped, place, text)}; remove this row, or give "
                f"columns that identify each row: --key {mapped.table.name}=COLUMN"
            )
            self._problems.reject_line(place, f"{mapped.table.name}: rows whose key occurred before", problem)
            return None
        return text

    def _first(self, mapped: MappedTable, place: int, key: str) -> str:
        """Name the first row that has the key of a row, and say how many references lead there."""
        name = mapped.table.name
        if name not in self._first_rows:
            repeats = list(self._staged.repeats(name, mapped.key.columns))
            self._first_rows[name] = {one.place: one.first for one in repeats}
            self._references[name] = self._references_to(mapped, {one.key for one in repeats if one.key is not None})
        first = self._first_rows[name].get(place)
        where = "an earlier row" if first is None else f"{mapped.table.unit} {first}"
        number = self._references[name][key]
        lead = f", and to which {counted(number, 'reference')} {'leads' if number == 1 else 'lead'}" if number else ""
        return f"{where}, which is the only one that is imported{lead}"

    def _references_to(self, target: MappedTable, keys: Collection[str]) -> Counter[str]:
        """Count the references to each of these keys of a table."""
        found: Counter[str] = Counter()
        for mapped in self._mapping.tables.values():
            for reference in mapped.references:
                if (reference.target, reference.target_columns) == (target.table.name, target.key.columns):
                    found += self._staged.referring(mapped.table.name, reference.columns, keys)
        return found

    def _write_references(self, mapped: MappedTable) -> None:
        ends = [self._end(reference) for reference in mapped.references]
        for place, values in self._rows(mapped):
            source = f"{mapped.kind}:{key_text(*map(values.get, mapped.key.columns)) if mapped.key.columns else place}"
            for end in ends:
                found = end.node(values)
                if found is not None and self._is_there(mapped, end, found, place):
                    self._writer.add_relationship(source, end.reference.type, found[1], {})

    def _write_links(self, mapped: MappedTable) -> None:
        converters = self._converters(mapped)
        first, second = (self._end(reference) for reference in mapped.references)
        for place, values in self._rows(mapped):
            nodes = [(end, end.node(values)) for end in (first, second)]
            are_there = [self._is_there(mapped, end, found, place) for end, found in nodes if found is not None]
            if len(are_there) == len(nodes) and all(are_there):
                [source, target] = [found[1] for _, found in nodes if found is not None]
                self._writer.add_relationship(source, mapped.link_type, target, _converted(values, converters))

    def _rows(self, mapped: MappedTable) -> Iterator[tuple[int, dict[str, Value]]]:
        """Yield the rows that are nodes or links."""
        for place, values in self._staged.rows(mapped.table.name):
            if (mapped.table.name, place) not in self._rejected:
                yield place, values

    def _is_there(self, mapped: MappedTable, end: _End, found: tuple[str, str], place: int) -> bool:
        """Return whether the row exists that another one refers to; record it otherwise."""
        self._relationships += 1
        text, node = found
        if self._writer.has_node(node):
            return True
        columns = ", ".join(map(shortened, end.reference.columns))
        what = "key" if end.keys is None else ", ".join(map(shortened, end.reference.target_columns))
        reason = f"{mapped.table.name}.{columns}: references to rows that are not there"
        problem = (
            f"{columns}: no row of {end.reference.target} has the {what} {shown(text)}; add the row, or empty the value"
        )
        self._problems.reject_loose(place, reason, problem)
        return False

    def _end(self, reference: Reference) -> _End:
        target = self._mapping.tables[reference.target]
        keys = None
        if reference.target_columns != target.key.columns:
            keys = self._staged.keys_by(reference.target, reference.target_columns, target.key.columns)
        return _End(reference, target.kind, keys)

    def _converters(self, mapped: MappedTable) -> dict[str, Converter | None]:
        """Return what converts the values of each property."""
        typings = {column.name: column.typing for column in mapped.table.columns}
        name, key = mapped.table.name, mapped.key.columns
        return {
            one: converter_of(one, typings[one], self._staged.values(name, one), one in key)
            for one in mapped.properties
        }


def _converted(values: Mapping[str, Value], converters: Mapping[str, Converter | None]) -> dict[str, Value]:
    """Return the properties of a row, which are its values without references."""
    found: dict[str, Value] = {}
    for column, convert in converters.items():
        if column in values:
            found[column] = convert(values[column]) if convert else values[column]
    return found
