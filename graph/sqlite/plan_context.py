"""Define what the parts of a compiled plan share: the names in the graph file, parameters, and SQL literals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from graph.plan.required_properties import PropertyName
from graph.plan.scope import NUMBERS, Types
from graph.plan.values import ValueType
from graph.sqlite.schema import ENTITY_NAME
from graph.sqlite.values import BOOLEAN, DATE, DATETIME, Stored

Columns = Mapping[str, tuple[str, ...]]
"""The SQL columns, or values, of each variable."""
PropertyColumns = Mapping[PropertyName, str]
"""The SQL columns that hold properties of nodes."""

# Groups of types within which SQLite compares and sorts stored values as plans do.
_NATIVE_TYPES = tuple(
    map(frozenset, (NUMBERS, {ValueType.STRING}, {ValueType.BOOLEAN}, {ValueType.DATE}, {ValueType.DATETIME}))
)
# SQL literals between which the stored values of a type lie; numbers come first.
_BOUNDS: dict[type, tuple[str, str]] = {int: ("", "''"), float: ("", "''"), str: ("''", "x''")}
_BLOB_BOUNDS = {tag: (f"x'{tag.hex()}'", f"x'{tag[0] + 1:02x}'") for tag in (BOOLEAN, DATE, DATETIME)}


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Map the names in a graph file to row ids.

    Attributes:
        kinds: The row ids of kinds.
        relations: The row ids of relationship types.
        keys: The row ids of the keys of properties.
        sizes: The number of nodes of a kind.
        owners: The number of nodes that have a property with the key.
        folded: Whether any of the strings in lower case is an exception, by the row id of the key; see
            `plan_text_tests.py`.
    """

    kinds: Mapping[str, int]
    relations: Mapping[str, int]
    keys: Mapping[str, int]
    sizes: Mapping[str, int]
    owners: Mapping[str, int]
    folded: Mapping[int, bool]

    def is_entity_name(self, key: str) -> bool:
        """Return whether a property stands for the names of entities, because the graph has no property `name`."""
        return key == ENTITY_NAME and key not in self.keys

    def share_of(self, kind: str) -> float:
        """Return the share of a kind among the kinds of all nodes."""
        return self.sizes.get(kind, 0) / max(1, sum(self.sizes.values()))

    def share_with(self, key: str) -> float:
        """Return the share of a key among the properties of all nodes."""
        return self.owners.get(key, 0) / max(1, sum(self.owners.values()))


@dataclass(slots=True)
class QueryContext:
    """Hold what the parts of one statement share: the catalogue, the parameters, and the names that are taken."""

    catalogue: Catalogue
    parameters: dict[str, Stored] = field(default_factory=dict)
    _names: int = 0

    def new_name(self, prefix: str) -> str:
        """Return a name that no other part of the statement has."""
        self._names += 1
        return f"{prefix}{self._names}"

    def parameter(self, value: Stored) -> str:
        """Add a parameter, and return its placeholder."""
        name = f"p{len(self.parameters)}"
        self.parameters[name] = value
        return f":{name}"


def is_native(*types: Types) -> bool:
    """Return whether SQLite compares and sorts the stored values of these types as plans do."""
    return any(all(one.names <= some for one in types) for some in _NATIVE_TYPES)


def bounds(stored: Stored) -> tuple[str, str] | None:
    """Return SQL literals between which all values of a value's type lie; None if there are no such bounds."""
    return _BLOB_BOUNDS.get(stored[:1]) if isinstance(stored, bytes) else _BOUNDS.get(type(stored))


def where_clause(conditions: Sequence[str]) -> str:
    """Return the WHERE clause of conditions; empty if there are none."""
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""


def blob_literal(value: bytes) -> str:
    """Write a BLOB as an SQL literal."""
    return f"x'{value.hex()}'"
