"""Collect what an import leaves out: lines and values by reason, each with its first places."""

from typing import NamedTuple

from shared.errors import InvalidInputError

NOT_UTF8 = "lines that are not UTF-8"
"""The reason for rejecting lines in other encodings."""

_MAX_SHOWN = 5
# An import may reject this many lines, and also more if they are at most this share of all lines.
_MIN_TOLERATED, _TOLERATED_SHARE = 100, 0.01
# Extracts of graphs often lack the nodes at the ends of relationships, but not of most.
_TOLERATED_LOOSE_SHARE = 0.5


class LeftOut(NamedTuple):
    """Describe what an import left out for one reason.

    Attributes:
        reason: The things that are left out, such as `lines that are not UTF-8`.
        number: The number of these things.
        places: The first five of them, such as `facts.nt:7`.
        example: What is wrong with the first one, and how to correct it.
    """

    reason: str
    number: int
    places: tuple[str, ...]
    example: str

    def __str__(self) -> str:
        """Return a line for a report."""
        more = ", ..." if self.number > len(self.places) else ""
        return f"{self.reason}: {self.number:,} ({', '.join(self.places)}{more})"


class Problems:
    """Collect what is wrong with the files of one import.

    `file` is the name of the current file, `unit` what its numbers count (lines, or rows of a database), `lines` the
    number of those read, and `is_strict` whether rejected lines and values make the import fail.
    """

    def __init__(self, is_strict: bool = False, max_rejected: int | None = None) -> None:
        """Tolerate rejected lines and values unless `is_strict`.

        `max_rejected` is the number of rejected lines above which the import fails; by default, this is 100 or 1 % of
        the lines, whichever is more.
        """
        self.file = ""
        self.unit = "line"
        self.lines = 0
        self.is_strict = is_strict
        self._max_rejected = max_rejected
        self._faults: list[str] = []
        self._fault_count = 0
        self._rejected_lines = 0
        self._loose = self._relationships = 0
        self._counts: dict[str, int] = {}
        self._places: dict[str, list[str]] = {}
        self._examples: dict[str, str] = {}

    def add(self, line: int, problem: str, file: str = "") -> None:
        """Record a fault that makes the import fail, such as an unknown column, and how to correct it."""
        self._fault_count += 1
        if len(self._faults) < _MAX_SHOWN:
            self._faults.append(f"{file or self.file}, {self.unit} {line}: {problem}")

    def reject_line(self, line: int, reason: str, problem: str, file: str = "") -> None:
        """Leave out a line; `reason` names such lines in the plural, and `problem` says how to correct this one."""
        self._rejected_lines += 1
        self.reject_value(line, reason, problem, file)

    def reject_loose(self, line: int, reason: str, problem: str, file: str = "") -> None:
        """Leave out a relationship without a node at one end.

        The limit of invalid lines counts it only if it is set. Otherwise, the import fails if these relationships are
        more than 100 and more than half of all.
        """
        if self._max_rejected is None:
            self._loose += 1
            self.reject_value(line, reason, problem, file)
        else:
            self.reject_line(line, reason, problem, file)

    def count_relationships(self, number: int) -> None:
        """Record the number of all relationships, including those that are left out."""
        self._relationships = number

    def reject_value(self, line: int, reason: str, problem: str, file: str = "") -> None:
        """Leave out one value, or keep it as text as `reason` says; the rest of the line is imported."""
        if self.is_strict:
            self.add(line, problem, file)
        else:
            self.note(line, reason, problem, file)

    def note(self, line: int, reason: str, problem: str, file: str = "") -> None:
        """Leave out a valid value that a graph file cannot hold, even in a strict import."""
        self._counts[reason] = self._counts.get(reason, 0) + 1
        places = self._places.setdefault(reason, [])
        if len(places) < _MAX_SHOWN:
            places.append(f"{file or self.file}:{line}")
        self._examples.setdefault(reason, f"{file or self.file}, {self.unit} {line}: {problem}")

    def left_out(self) -> tuple[LeftOut, ...]:
        """Return what was left out, most frequent reasons first."""
        reasons = sorted(self._counts, key=lambda reason: -self._counts[reason])
        return tuple(
            LeftOut(reason, self._counts[reason], tuple(self._places[reason]), self._examples[reason])
            for reason in reasons
        )

    def raise_if_any(self) -> None:
        """Raise InvalidInputError if there are faults or too many rejected lines."""
        if self._fault_count:
            more = f"\n... and {self._fault_count - _MAX_SHOWN} more" if self._fault_count > _MAX_SHOWN else ""
            raise InvalidInputError("\n".join(self._faults) + more)
        if self._rejected_lines > self._tolerated():
            raise InvalidInputError(
                f"{self._rejected_lines:,} of {self.lines:,} {self.unit}s are invalid, but only "
                f"{self._tolerated():,} may be left out; correct them, or set --max-rejected to a greater "
                f"number\n{self.described()}"
            )

        if self._loose > max(_MIN_TOLERATED, int(self._relationships * _TOLERATED_LOOSE_SHARE)):
            raise InvalidInputError(
                f"{self._loose:,} of {self._relationships:,} relationships have no node at one end; add the file with "
                f"these nodes, correct the IDs, or set --max-rejected to leave them out\n{self.described()}"
            )

    def described(self) -> str:
        """Return what was left out for an error message: for each reason a line and an example."""
        return "\n".join(f"{one}\n  {one.example}" for one in self.left_out())

    def _tolerated(self) -> int:
        if self._max_rejected is not None:
            return self._max_rejected
        return max(_MIN_TOLERATED, int(self.lines * _TOLERATED_SHARE))
