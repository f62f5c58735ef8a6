"""Each image holds the modules that its command imports, and nothing of the build context is missing."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
DOCKERFILES = sorted(ROOT.glob("Dockerfile.*"))
_COPY = re.compile(r"^COPY (?!--from)(.+) \S+$", re.MULTILINE)
_STARTED = re.compile(r"python\W+-m\W+(services\.(?!healthcheck)\w+)")


def _file(module: str) -> Path | None:
    path = ROOT / module.replace(".", "/")
    return next((file for file in (path / "__init__.py", path.with_suffix(".py")) if file.is_file()), None)


def _imported(file: Path) -> Iterator[str]:
    """Yield the modules that a file imports, also within functions; a name may be a module of the package."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _reached(module: str) -> set[Path]:
    """Return the files of this project that a module reaches by imports, with the packages that they are in."""
    found: set[Path] = set()
    waiting = [f"{module}.__main__"]
    while waiting:
        name = waiting.pop()
        file = _file(name)
        if file and file not in found:
            found.add(file)
            waiting += [*_imported(file), *([name.rpartition(".")[0]] if "." in name else [])]
    return found


@pytest.mark.parametrize("dockerfile", DOCKERFILES, ids=lambda path: path.name)
def test_an_image_holds_what_its_command_imports(dockerfile: Path) -> None:
    text = dockerfile.read_text(encoding="utf-8")
    [module] = _STARTED.findall(text)
    copied = [ROOT / source for sources in _COPY.findall(text) for source in sources.split()]
    missing = {file for file in _reached(module) if not any(file.is_relative_to(source) for source in copied)}
    assert {str(file.relative_to(ROOT)) for file in missing} == set()


def test_the_build_context_holds_what_is_copied() -> None:
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[:1] == "!"}
    for dockerfile in DOCKERFILES:
        sources = " ".join(_COPY.findall(dockerfile.read_text(encoding="utf-8"))).split()
        assert {source.split("/")[0] for source in sources} <= kept, dockerfile
