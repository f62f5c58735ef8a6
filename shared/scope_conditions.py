"""Read the conditions that limit what a caller may see of a graph, such as `Document.tenant = 42`."""

import json
from dataclasses import dataclass

from shared.errors import InvalidInputError

MAX_CONDITIONS, MAX_CHARACTERS = 20, 500
_EXPECTED = 'expected KIND.PROPERTY = VALUE, such as Document.tenant = 42 or Document.team = "sales"'


@dataclass(frozen=True, slots=True)
class ScopeCondition:
    """Let nodes of a kind be visible only if a property has a value; nodes of other kinds stay visible."""

    kind: str
    key: str
    value: str | int | float | bool

    def __str__(self) -> str:
        return f"{self.kind}.{self.key} = {json.dumps(self.value, ensure_ascii=False)}"


@dataclass(frozen=True, slots=True)
class HiddenKind:
    """Let no node of a kind be visible, as the owner of the graph wants it."""

    kind: str


def read_condition(text: str) -> ScopeCondition:
    """Read a condition; raise InvalidInputError if it is malformed."""
    name, equals, value = text.partition("=")
    kind, _, key = name.strip().rpartition(".")
    if len(text) > MAX_CHARACTERS or not (equals and kind and key):
        raise InvalidInputError(f"a scope is malformed: {_EXPECTED}")
    try:
        read = json.loads(value)
    except ValueError:
        read = None
    if not isinstance(read, str | int | float | bool):
        raise InvalidInputError(f"the value of the scope on {kind}.{key} is malformed: {_EXPECTED}")
    return ScopeCondition(kind, key, read)
