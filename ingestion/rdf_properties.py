"""Give the subjects of RDF kinds, and properties in addition to the triples to their literals.

Both are known only when all files have been read: a subject's triples may be anywhere, and the short name of a relation
depends on all relations.
"""

from array import array
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from graph.plan.values import Value, ValueType, type_of
from ingestion.rdf_literals import LITERAL_TYPES, literal_value
from ingestion.sqlite_tables import Integers

STRING, OTHER, LEFT_OUT = "string", "other", "left out"
"""Types of objects other than literals that have a value of a datatype in LITERAL_TYPES."""

_TYPES = (STRING, OTHER, LEFT_OUT, *LITERAL_TYPES)
CODES = {name: code for code, name in enumerate(_TYPES)}
"""The numbers of the types of literals."""

_NUMBERS = {ValueType.INTEGER, ValueType.FLOAT}


class Described(NamedTuple):
    """Hold the kinds and properties of one node; `row` is its row id.

    `left_out` lists the properties of which values are left out, once for each value.
    """

    row: int
    kinds: tuple[str, ...]
    properties: dict[str, Value]
    left_out: tuple[str, ...] = ()


class RdfProperties:
    """Remember which triples lead to literals, in five bytes each, and the kinds of nodes, in eight."""

    def __init__(self) -> None:
        self._places, self._types = array("i"), array("b")
        self._kind_sets: dict[tuple[str, ...], int] = {}
        self._rows, self._sets = array("i"), array("i")

    def add(self, place: int, code: int) -> None:
        """Remember the type of the literal of a triple, given the position of the triple."""
        self._places.append(place)
        self._types.append(code)

    def add_kinds(self, row: int, kinds: tuple[str, ...]) -> None:
        """Remember all kinds of a node, given its row id."""
        self._rows.append(row)
        self._sets.append(self._kind_sets.setdefault(kinds, len(self._kind_sets)))

    @property
    def is_empty(self) -> bool:
        """Return whether no triple leads to a literal, and no node has a kind."""
        return not self._places and not self._rows

    def nodes(
        self, ends: Integers, relations: Integers, keys: Sequence[str], relation_names: Sequence[str]
    ) -> Iterator[Described]:
        """Yield the nodes that have kinds or properties: first those with literals, in the order of their row ids.

        `ends` and `relations` hold the row ids of all triples; `keys` and `relation_names` are in the order of row ids,
        which start at 1.
        """
        sets = list(self._kind_sets)
        kinds = dict(zip(self._rows, self._sets, strict=True))
        places = np.array(self._places, np.int64)
        types, (subjects, objects), steps = np.array(self._types, np.int64), ends[places].T, relations[places]
        order = np.lexsort((steps, subjects))  # stable, so literals stay in the order of the files
        columns = (column[order].tolist() for column in (subjects, steps, types, objects))
        for subject, rows in groupby(zip(*columns, strict=True), key=lambda row: row[0]):
            properties: dict[str, Value] = {}
            left_out: list[str] = []
            for step, same in groupby(rows, key=lambda row: row[1]):
                found = dict.fromkeys((code, object_) for _, _, code, object_ in same)
                # The keys of literals are in quotes.
                value = property_value([(code, keys[object_ - 1][1:-1]) for code, object_ in found])
                if value is not None:
                    properties[relation_names[step - 1]] = value
                left_out += [relation_names[step - 1] for code, _ in found if code == CODES[LEFT_OUT]]
            number = kinds.pop(subject, None)
            if number is not None or properties or left_out:
                yield Described(subject, () if number is None else sets[number], properties, tuple(left_out))
        for row, number in kinds.items():
            yield Described(row, sets[number], {})


def property_value(literals: Sequence[tuple[int, str]]) -> Value | None:
    """Return the property that the distinct literals of one subject and relation make, if they make one.

    Each literal is the number of its type, and its text.
    """
    match literals:
        case [(code, text)] if code == CODES[STRING]:
            return text
    typed = ((_TYPES[code], text) for code, text in literals)
    read = (literal_value(text, type_) for type_, text in typed if type_ in LITERAL_TYPES)
    # 1, 1.0, and true are equal in Python.
    values = list({(type_of(value), value): value for value in read if value is not None}.values())
    if {type_of(value) for value in values} == _NUMBERS:
        values = list(dict.fromkeys(map(float, values)))
    return tuple(values) if len(values) > 1 else next(iter(values), None)
