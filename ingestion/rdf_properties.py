"""Give the subjects of N-Triples kinds and properties, in addition to the triples to their classes and literals.

Both are known only when all files have been read: a subject's triples may be anywhere, and the short name of a relation
depends on all relations.
"""

from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from graph.plan.values import Value, ValueType, type_of
from ingestion.rdf_literals import LITERAL_TYPES, literal_value
from ingestion.sqlite_tables import Integers

CLASS, STRING, OTHER, LEFT_OUT = "class", "string", "other", "left out"
"""Types of objects other than literals that have a value of a datatype in LITERAL_TYPES."""

_TYPES = (CLASS, STRING, OTHER, LEFT_OUT, *LITERAL_TYPES)
_CODES = {name: code for code, name in enumerate(_TYPES)}
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
    """Remember which triples lead to classes and literals, in five bytes each."""

    def __init__(self) -> None:
        self._places, self._types = array("i"), array("b")

    def add(self, place: int, type_: str) -> None:
        """Remember the type of the object of a triple, given the position of the triple."""
        self._places.append(place)
        self._types.append(_CODES[type_])

    @property
    def is_empty(self) -> bool:
        """Return whether no triple leads to a class or a literal."""
        return not self._places

    def nodes(
        self,
        ends: Integers,
        relations: Integers,
        keys: Sequence[str],
        relation_names: Sequence[str],
        shorten: Callable[[list[str]], list[str]],
    ) -> Iterator[Described]:
        """Yield the nodes that have kinds or properties, in the order of their row ids.

        `ends` and `relations` hold the row ids of all triples; `keys` and `relation_names` are in the order of row ids,
        which start at 1. `shorten` converts the IRIs of classes to names.
        """
        places = np.array(self._places, np.int64)
        types, (subjects, objects), steps = np.array(self._types, np.int64), ends[places].T, relations[places]
        order = np.lexsort((steps, subjects))  # stable, so literals stay in the order of the files
        classes = np.unique(objects[types == _CODES[CLASS]]).tolist()
        kind_names = dict(zip(classes, shorten([f"<{keys[row - 1]}>" for row in classes]), strict=True))
        columns = (column[order].tolist() for column in (subjects, steps, types, objects))
        for subject, rows in groupby(zip(*columns, strict=True), key=lambda row: row[0]):
            kinds: dict[str, None] = {}
            properties: dict[str, Value] = {}
            left_out: list[str] = []
            for step, same in groupby(rows, key=lambda row: row[1]):
                found = dict.fromkeys((_TYPES[code], object_) for _, _, code, object_ in same)
                kinds.update((kind_names[object_], None) for type_, object_ in found if type_ == CLASS)
                # The keys of literals are in quotes.
                value = _value([(type_, keys[object_ - 1][1:-1]) for type_, object_ in found if type_ != CLASS])
                if value is not None:
                    properties[relation_names[step - 1]] = value
                left_out += [relation_names[step - 1] for type_, _ in found if type_ == LEFT_OUT]
            if kinds or properties or left_out:
                yield Described(subject, tuple(kinds), properties, tuple(left_out))


def _value(literals: Sequence[tuple[str, str]]) -> Value | None:
    """Return the property that the distinct literals of one subject and relation make, if they make one."""
    match literals:
        case [(type_, text)] if type_ == STRING:
            return text
    read = (literal_value(text, type_) for type_, text in literals if type_ in LITERAL_TYPES)
    # 1, 1.0, and true are equal in Python.
    values = list({(type_of(value), value): value for value in read if value is not None}.values())
    if {type_of(value) for value in values} == _NUMBERS:
        values = list(dict.fromkeys(map(float, values)))
    return tuple(values) if len(values) > 1 else next(iter(values), None)
