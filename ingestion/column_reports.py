"""Say which properties an import reads as numbers or dates, and which texts that look like these stay texts."""

from collections.abc import Iterator
from typing import NamedTuple

from graph.plan.reading_detection import Unread
from graph.plan.schema import GraphSchema, PropertySchema
from shared.text import shortened, shown

_STAY_TEXTS = {
    Unread.TWO_DATE_ORDERS: "texts, because {} may be day first or month first; import again with --dates day-first or "
    "--dates month-first",
    Unread.TWO_NUMBERS: "texts, because {} may be a fraction or thousands; write it without separators between "
    "thousands",
    Unread.NO_READING: "texts such as {}, which plans do not sort or compare by size, because no spelling of numbers "
    "or dates fits all of them without loss",
}


class ColumnReport(NamedTuple):
    """Say how the texts of one property are read; `name` is that of its owner and its key."""

    name: str
    said: str
    is_read: bool

    def __str__(self) -> str:
        """Return a line for a report: `Order.placed_on: dates, day first`."""
        return f"{self.name}: {self.said}"


def column_reports(schema: GraphSchema) -> tuple[ColumnReport, ...]:
    """Return the properties whose texts are read, and then those whose texts stay texts."""
    return tuple(sorted(_reports(schema), key=lambda one: not one.is_read))


def _reports(schema: GraphSchema) -> Iterator[ColumnReport]:
    of_kinds = [(owner, one.properties) for owner, one in schema.kinds.items()]
    of_relationships = [(owner, one.properties) for owner, one in schema.relationships.items()]
    for owner, properties in of_kinds + of_relationships:
        for key, one in properties.items():
            name = ".".join(shortened(part) for part in (owner, key) if part)
            if one.reading is not None:
                yield ColumnReport(name, str(one.reading), True)
            elif one.unread is not None:
                yield ColumnReport(name, _STAY_TEXTS[one.unread].format(_example(one)), False)


def _example(described: PropertySchema) -> str:
    return next((shown(value) for value in described.samples if isinstance(value, str)), "the first one")
