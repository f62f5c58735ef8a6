"""Say which properties an import reads as numbers or dates, and which texts that look like these stay texts."""

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from graph.plan.reading_detection import Unread
from graph.plan.schema import GraphSchema, PropertySchema
from ingestion.typed_values import is_yes_or_no
from shared.text import shortened, shown

_STAY_TEXTS = {
    Unread.TWO_DATE_ORDERS: "texts, because {} may be day first or month first; import again with --dates day-first or "
    "--dates month-first",
    Unread.TWO_NUMBERS: "texts, because {} may be a fraction or thousands; write it without separators between "
    "thousands",
    Unread.NO_READING: "texts, which plans do not sort or compare by size, because no spelling of numbers or dates "
    "fits all of them without loss; the first one that differs is {}",
}

_SEVERAL_TYPES = (
    "values of several types ({}), of which plans compare only those of one type with each other; write all in one type"
)
_YES_AND_NO = "texts, although all are yes or no; for booleans, declare the column as {}:boolean"


class ColumnReport(NamedTuple):
    """Say how the texts of one property are read; `name` is that of its owner and its key."""

    name: str
    said: str
    is_read: bool

    def __str__(self) -> str:
        """Return a line for a report: `Order.placed_on: dates, day first`."""
        return f"{self.name}: {self.said}"


def column_reports(
    schema: GraphSchema, examples: Mapping[tuple[str, str], str], untyped: Collection[str] = ()
) -> tuple[ColumnReport, ...]:
    """Return the properties whose texts are read, and then those whose texts stay texts, or that mix types.

    `examples` holds the first text, by owner and key, because of which the others stay texts. `untyped` are the names
    of columns whose header could declare a type.
    """
    return tuple(sorted(_reports(schema, examples, untyped), key=lambda one: not one.is_read))


def _reports(
    schema: GraphSchema, examples: Mapping[tuple[str, str], str], untyped: Collection[str]
) -> Iterator[ColumnReport]:
    of_kinds = [(owner, one.properties) for owner, one in schema.kinds.items()]
    of_relationships = [(owner, one.properties) for owner, one in schema.relationships.items()]
    for owner, properties in of_kinds + of_relationships:
        for key, one in properties.items():
            name = ".".join(shortened(part) for part in (owner, key) if part)
            if one.reading is not None:
                yield ColumnReport(name, str(one.reading), True)
            elif one.unread is not None:
                example = examples.get((owner, key)) if one.unread is Unread.NO_READING else None
                yield ColumnReport(name, _STAY_TEXTS[one.unread].format(_example(one, example)), False)
            elif one.content is None and len(one.stored) > 1:
                types = ", ".join(sorted(str(type_) for type_ in one.stored))
                yield ColumnReport(name, _SEVERAL_TYPES.format(types), False)
            elif key in untyped and _are_yes_and_no(one):
                yield ColumnReport(name, _YES_AND_NO.format(shortened(key)), False)


def _are_yes_and_no(described: PropertySchema) -> bool:
    """Return whether all texts of a property are `yes` or `no`, as far as its samples show."""
    samples = described.samples
    return bool(samples) and all(isinstance(value, str) and is_yes_or_no(value) for value in samples)


def _example(described: PropertySchema, text: str | None) -> str:
    texts = (value for value in (text, *described.samples) if isinstance(value, str))
    return next(map(shown, texts), "the first one")
