"""Bad lines of imported files, collected so that a person can mend several at once."""

import re

from shared.errors import InvalidInputError
from shared.graph.store import INVERSE

LONGEST_FIELD = 2_000
"""Characters in a name or relation: enough for a paragraph, little enough to notice a missing line end or quote."""

_SHOWN = 5
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class Problems:
    """The bad lines of one import: the first few in full, the others only counted."""

    def __init__(self) -> None:
        self._first: list[str] = []
        self._count = 0

    def add(self, where: str, line: int, what: str) -> None:
        """Note what is wrong with a line and what to do about it."""
        self._count += 1
        if len(self._first) < _SHOWN:
            self._first.append(f"{where}, line {line}: {what}")

    def raise_if_any(self) -> None:
        """Raise InvalidInputError with the collected problems, if there are any."""
        if not self._count:
            return
        more = f"\n... and {self._count - _SHOWN} more" if self._count > _SHOWN else ""
        raise InvalidInputError("\n".join(self._first) + more)


def field_problem(role: str, text: str) -> str | None:
    """What is wrong with a subject, relation or object, or None."""
    if not text:
        return f"the {role} is empty; fill it in or remove the line"
    if len(text) > LONGEST_FIELD:
        return f"the {role} has {len(text):,} characters, more than {LONGEST_FIELD:,}; shorten it or mend the line end"
    if control := _CONTROL.search(text):
        return f"the {role} contains the control character U+{ord(control[0]):04X}; remove it"
    if role == "relation" and text.startswith(INVERSE):
        return f"the relation {text!r} begins with {INVERSE!r}, which marks inverse steps; rename it"
    return None
