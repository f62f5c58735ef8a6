"""Read the Python files in a checkout, and find long functions, duplicate code, and the services' imports."""

import ast
import io
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, takewhile
from pathlib import Path

ENTRIES = {
    "retriever": ("services.retriever.__main__",),
    "rewriter": ("services.rewriter.__main__",),
    "answerer": ("services.answerer.__main__",),
    "llm": ("services.llm.__main__", "shared.llm.embedded"),
}
"""The module that starts each service; if several are listed, the first one that exists in the checkout."""

_RUN = 6

Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class File:
    """Represent a Python file in a checkout; `path` is relative to the checkout."""

    path: str
    text: str

    @property
    def room(self) -> str:
        """Return the name of the top-level folder."""
        return self.path.split("/")[0]

    @property
    def module(self) -> str:
        """Return the dotted name of the module, without `__init__`."""
        return self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @property
    def length(self) -> int:
        """Return the number of lines."""
        return len(self.text.splitlines())

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Return all nodes in the syntax tree."""
        return list(ast.walk(ast.parse(self.text)))

    def documented(self) -> Iterator[tuple[Documented, str]]:
        """Yield each documented module, class, and function with its docstring."""
        for node in self.nodes:
            if isinstance(node, Documented) and (text := ast.get_docstring(node)):
                yield node, text


def read_files(checkout: Path, rooms: tuple[str, ...]) -> list[File]:
    """Read the Python files in the given top-level folders, sorted by path."""
    paths = sorted(path for room in rooms for path in (checkout / room).rglob("*.py"))
    return [File(str(path.relative_to(checkout)), path.read_text(encoding="utf-8")) for path in paths]


def find_longest_function(files: list[File]) -> str:
    """Return the number of lines and the name of the longest function."""
    lengths = [
        ((node.end_lineno or 0) - node.lineno + 1, f"{file.path}:{node.name}")
        for file in files
        for node in file.nodes
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return "{} (`{}`)".format(*max(lengths))


def find_reached(files: list[File]) -> dict[str, set[str]]:
    """Follow the imports of each service's entry point, and return the modules that the service reaches.

    Imports inside functions and imports for type checking are included.
    """
    modules = {file.module: file for file in files}
    imports = {name: [found for found in _imported(file) if found in modules] for name, file in modules.items()}
    reached = {}
    for service, entries in ENTRIES.items():
        waiting, seen = [next(entry for entry in entries if entry in modules)], set[str]()
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                packages = (name.rsplit(".", depth)[0] for depth in range(1, name.count(".") + 1))
                waiting += [*imports[name], *(package for package in packages if package in modules)]
        reached[service] = seen
    return reached


def _imported(file: File) -> Iterator[str]:
    """Yield every dotted name that the imports in a file may load."""
    for node in file.nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = file.module.split(".") if node.level else []
            depth = node.level - file.path.endswith("__init__.py")
            base = ".".join([*parts[: len(parts) - depth], *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def find_duplicates(files: list[File]) -> list[tuple[str, str, int]]:
    """Return the pairs of locations that share six or more lines of code, with the number of shared lines."""
    codes = [_code_lines(file) for file in files]
    places: dict[tuple[str, ...], list[tuple[int, int]]] = defaultdict(list)
    for number, code in enumerate(codes):
        texts = [text for _, text in code]
        for start in range(len(code) - _RUN + 1):
            places[tuple(texts[start : start + _RUN])].append((number, start))
    found = []
    for same in places.values():
        for (first, i), (second, j) in combinations(same, 2):
            one, other = codes[first], codes[second]
            continues = min(i, j) > 0 and one[i - 1][1] == other[j - 1][1]
            overlaps = first == second and j - i < _RUN
            if not continues and not overlaps:
                following = takewhile(lambda lines: lines[0][1] == lines[1][1], zip(one[i:], other[j:], strict=False))
                length = sum(1 for _ in following)
                found.append((f"{files[first].path}:{one[i][0]}", f"{files[second].path}:{other[j][0]}", length))
    return sorted(found)


def _code_lines(file: File) -> list[tuple[int, str]]:
    """Return the lines of code with their numbers; leave out imports, docstrings, comments, and indentation."""
    lines = file.text.split("\n")
    for token in tokenize.generate_tokens(io.StringIO(file.text).readline):
        if token.type == tokenize.COMMENT:
            lines[token.start[0] - 1] = lines[token.start[0] - 1][: token.start[1]]
    left_out: list[ast.stmt] = [node for node in file.nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    left_out += [node.body[0] for node, _ in file.documented()]
    numbers = {n for node in left_out for n in range(node.lineno, (node.end_lineno or 0) + 1)}
    code = ((number, " ".join(line.split())) for number, line in enumerate(lines, 1) if number not in numbers)
    return [(number, text) for number, text in code if text]
