"""List the packages and sources that an image contains, as its Dockerfile says."""

import importlib.metadata
import re
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement  # pytest depends on it
from packaging.utils import canonicalize_name

from tests.unit.deployment.rendered import ROOT

_OWN = "kgqa"


def copy_sources(image: str, folder: Path) -> None:
    """Copy the sources that the image contains to a folder."""
    _, _, copied = _dockerfile(image).partition("WORKDIR /src")
    for sources, target in re.findall(r"^COPY (?!--)(.+) (\S+)$", copied, re.MULTILINE):
        for source in sources.split():
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, folder / target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                (folder / target).mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / source, folder / target)


def missing_modules(image: str, folder: Path) -> list[str]:
    """Return the top-level modules of this environment that the image, with its sources in a folder, lacks."""
    packages = _installed_packages(image)
    return [
        module
        for module, owners in importlib.metadata.packages_distributions().items()
        if packages.isdisjoint(map(canonicalize_name, owners)) and not (_OWN in owners and (folder / module).is_dir())
    ]


def _dockerfile(image: str) -> str:
    return (ROOT / f"Dockerfile.{image}").read_text(encoding="utf-8")


def _installed_packages(image: str) -> set[str]:
    """Return the names of the packages that `pip install ".[EXTRAS]"` installs, with their dependencies."""
    [extras] = re.findall(r'"\.\[(.+)\]"', _dockerfile(image))
    names: set[str] = set()
    pending, seen = [f"{_OWN}[{extras}]"], set[str]()
    while pending:
        text = pending.pop()
        if text not in seen:
            seen.add(text)
            requirement = Requirement(text)
            names |= {canonicalize_name(requirement.name)} - {_OWN}
            pending += _dependencies(requirement)
    return names


def _dependencies(requirement: Requirement) -> Iterator[str]:
    if requirement.name == _OWN:  # the metadata of this environment may be older than the sources
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        yield from project["dependencies"]
        for extra in requirement.extras:
            yield from project["optional-dependencies"][extra]
        return
    for text in importlib.metadata.requires(requirement.name) or ():
        marker = Requirement(text).marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *requirement.extras)):
            yield text.partition(";")[0]
