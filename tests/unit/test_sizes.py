"""Files and functions stay short enough to read; a file that grows beyond holds two concepts."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.unit.test_boundaries import ROOT, SOURCES

LONGEST_FILE = 350
LONGEST_FUNCTION = 60
FILES = [*SOURCES, *(ROOT / "bench").rglob("*.py")]


def _lengths_of_functions(file: Path) -> Iterator[tuple[str, int]]:
    """Yield the place and the number of lines of each function."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
            yield f"{file.relative_to(ROOT)}:{node.lineno}", node.end_lineno - node.lineno + 1


def test_no_file_is_long() -> None:
    lengths = {file.relative_to(ROOT): len(file.read_text(encoding="utf-8").splitlines()) for file in FILES}
    assert {file: length for file, length in lengths.items() if length > LONGEST_FILE} == {}, "split by concept"


def test_no_function_is_long() -> None:
    lengths = dict(one for file in FILES for one in _lengths_of_functions(file))
    assert {where: length for where, length in lengths.items() if length > LONGEST_FUNCTION} == {}, "move out a step"
