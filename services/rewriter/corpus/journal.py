"""The journal of a corpus: what became of each subgraph, a line each, so that a kill loses or doubles nothing.

A line counts once it ends in a line break; what a kill left of the last one is cut off. The first line says what the
corpus is made of, so that another one does not go on in it.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from shared.errors import InvalidInputError
from shared.llm.client import Usage

KEPT = "kept"


class Settled(BaseModel):
    """A subgraph with its text, and the verdict: `KEPT`, or why it was dropped.

    `run` and `usage`: which run of the command settled it, and what that had spent until then.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    key: str
    question: str
    facts: tuple[tuple[str, str, str], ...]
    text: str
    verdict: str
    run: int
    usage: Usage


class _Begun(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    corpus: dict[str, str]


@dataclass(frozen=True, slots=True)
class Spent:
    """What all runs together spent, tokens that a kill kept from the journal left out."""

    usage: Usage
    runs: int


class Journal:
    """Settled subgraphs in a file; a context manager that holds it open."""

    def __init__(self, file: Path, corpus: dict[str, str]) -> None:
        """Open or begin the journal of a corpus that is made of `corpus`: graph, questions, models.

        Raises InvalidInputError if the file is the journal of another one, or none at all.
        """
        self._file = file
        self._settled: dict[str, Settled] = {}
        if file.exists():
            self._read(corpus)
        self._out: IO[str] = file.open("a", encoding="utf-8")
        if not file.stat().st_size:
            self._write(_Begun(corpus=corpus))
        self.run = 1 + max((settled.run for settled in self._settled.values()), default=0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._out.close()

    def __contains__(self, key: object) -> bool:
        return key in self._settled

    def __iter__(self) -> Iterator[Settled]:
        return iter(self._settled.values())

    def add(self, settled: Settled) -> None:
        """Write a subgraph down; from then on it is settled, whatever happens."""
        self._write(settled)
        self._settled[settled.key] = settled

    def spent(self) -> Spent:
        """What the corpus has cost until now."""
        last: dict[int, Usage] = {}
        for settled in self:
            last[settled.run] = max(last.get(settled.run, Usage()), settled.usage, key=lambda usage: usage.calls)
        return Spent(sum(last.values(), Usage()), len(last))

    def _read(self, corpus: dict[str, str]) -> None:
        with self._file.open("rb+") as file:
            content = file.read()
            whole = content.rfind(b"\n") + 1
            file.truncate(whole)
        lines = content[:whole].decode("utf-8", "replace").split("\n")[:-1]
        if lines:
            self._check(lines[0], corpus)
        self._settled = {settled.key: settled for settled in self._lines(lines[1:])}

    def _check(self, line: str, corpus: dict[str, str]) -> None:
        try:
            begun = _Begun.model_validate_json(line).corpus
        except ValidationError as error:
            raise InvalidInputError(f"{self._file} is not the journal of a corpus; name another --out") from error
        others = [
            f"{name} {begun.get(name)!r}, not {corpus[name]!r}" for name in corpus if begun.get(name) != corpus[name]
        ]
        if others:
            raise InvalidInputError(
                f"{self._file} was begun with {'; '.join(others)}: go on with that, or remove the file to begin anew"
            )

    def _lines(self, lines: Iterable[str]) -> Iterator[Settled]:
        for number, line in enumerate(lines, 2):
            try:
                yield Settled.model_validate_json(line)
            except ValidationError as error:
                raise InvalidInputError(
                    f"{self._file}, line {number}: damaged; remove the line to have it made again"
                ) from error

    def _write(self, line: BaseModel) -> None:
        self._out.write(f"{line.model_dump_json()}\n")
        self._out.flush()


def write_pairs(settled: Iterable[Settled], out: Path) -> int:
    """Write what was kept as JSON Lines of question, facts and text, all or nothing; the number of pairs."""
    kept = sorted((one for one in settled if one.verdict == KEPT), key=lambda one: one.key)
    unfinished = out.with_name(f"{out.name}.unfinished")
    with unfinished.open("w", encoding="utf-8") as file:
        for one in kept:
            line = {"question": one.question, "facts": one.facts, "text": one.text}
            file.write(f"{json.dumps(line, ensure_ascii=False)}\n")
    unfinished.replace(out)
    return len(kept)
