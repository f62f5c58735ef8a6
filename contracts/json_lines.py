"""Read and write files of JSON Lines, each line of which is one contract."""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from contracts.base import Contract
from shared.errors import InvalidInputError

_Line = TypeVar("_Line", bound=Contract)


def read_json_lines(file: Path, model: type[_Line], problem: Callable[[ValidationError], str]) -> Iterator[_Line]:
    """Yield the contracts in a file, without those of blank lines.

    Args:
        file: The file, in UTF-8.
        model: The contract.
        problem: Says what is wrong with a line that is none.

    Raises:
        InvalidInputError: A line is malformed; the message names it.
        OSError: The file cannot be read.
        UnicodeDecodeError: The file is not UTF-8.
    """
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            yield model.model_validate_json(line)
        except ValidationError as error:
            raise InvalidInputError(f"{file}, line {number}: {problem(error)}") from None


def write_lines(contracts: Iterable[Contract]) -> str:
    """Return the content of a file with these contracts."""
    return "".join(json.dumps(one.model_dump(mode="json"), ensure_ascii=False) + "\n" for one in contracts)
