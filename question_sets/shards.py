"""Work that several machines share: each does every n-th item and keeps a journal of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from shared.errors import InvalidInputError

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Shard:
    """One part of `of`; `index` counts from 0, as that of an indexed Kubernetes Job does."""

    index: int
    of: int

    @classmethod
    def parse(cls, text: str) -> "Shard":
        """`3/10`: the fourth of ten. Raises InvalidInputError for anything else."""
        index, _, of = text.partition("/")
        if not (index.isdecimal() and of.isdecimal() and int(index) < int(of)):
            raise InvalidInputError(f"{text!r} is no part: write 0/10 for the first of ten, 9/10 for the last")
        return cls(int(index), int(of))

    @classmethod
    def all(cls, of: int) -> "list[Shard]":
        """All parts."""
        return [cls(index, of) for index in range(of)]

    def part(self, items: Sequence[Item]) -> Sequence[Item]:
        """The items of this part. Each item is in one part."""
        return items[self.index :: self.of]

    def file(self, of_all: Path) -> Path:
        """Where this part keeps what all together would keep in `of_all`."""
        return of_all.with_name(f"{of_all.name}.{self.index}-of-{self.of}")

    def begun(self, of_all: Path) -> Path:
        """The file of this part. Raises InvalidInputError where there is none yet."""
        file = self.file(of_all)
        if not file.is_file():
            raise InvalidInputError(f"part {self} was not begun: {file} is not there; run it first")
        return file

    def must_be_done(self, left: int) -> None:
        """Raises InvalidInputError if so many items of this part are left."""
        if left:
            raise InvalidInputError(f"part {self} is not done: {left} are left; run it again")

    def __str__(self) -> str:
        return f"{self.index}/{self.of}"
