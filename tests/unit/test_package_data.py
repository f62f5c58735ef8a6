"""The installed package has every file that the source has: models, adapters, the page, and lists of words."""

import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_SETUPTOOLS = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
_DATA: dict[str, list[str]] = _SETUPTOOLS["package-data"]
_FOLDERS = [pattern.removesuffix("*") for pattern in _SETUPTOOLS["packages"]["find"]["include"]]


def _data_files() -> Iterator[Path]:
    """Yield the path of each file that is no module, relative to the root."""
    for folder in _FOLDERS:
        for file in (_ROOT / folder).rglob("*"):
            if file.is_file() and file.suffix not in {".py", ".pyc"} and not file.name.startswith("."):
                yield file.relative_to(_ROOT)


def _matches(file: Path, package: str, pattern: str) -> bool:
    folder = file.parent if package == "*" else Path(*package.split("."))
    if folder not in file.parents:
        return False
    path = file.relative_to(folder).as_posix()
    return fnmatch(path, pattern) and path.count("/") == pattern.count("/")


def test_every_file_is_a_part_of_the_package() -> None:
    patterns = [(package, pattern) for package, several in _DATA.items() for pattern in several]

    assert not [str(file) for file in _data_files() if not any(_matches(file, *one) for one in patterns)]


def test_every_pattern_finds_a_file() -> None:
    files = list(_data_files())
    patterns = [(package, pattern) for package, several in _DATA.items() for pattern in several]

    assert not [one for one in patterns if not any(_matches(file, *one) for file in files)]
