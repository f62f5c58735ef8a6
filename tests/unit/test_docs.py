"""Check that links, anchors, and paths in the documentation point to something."""

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = [
    ROOT / name
    for name in subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.splitlines()
    if (ROOT / name).is_file()
]  # fmt: skip
PAGES = [file for file in FILES if file.suffix == ".md"]
NAMES = {file.name for file in FILES}

_FENCE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)
_CODE = re.compile(r"`([^`\n]+)`")
_PATH = re.compile(r"[\w.*-]+(?:/[\w.*-]+)*/?")
_MODULE = re.compile(r"python -m ((?:bench|evaluation|examples|kgqa|services|training)[\w.]*)")
_PAGE = re.compile(r"docs/[\w/-]+\.md")


def _name(file: Path) -> str:
    return str(file.relative_to(ROOT))


@cache
def _prose(page: Path) -> str:
    return _FENCE.sub("", page.read_text(encoding="utf-8"))


@cache
def _anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    anchors: set[str] = set()
    for heading in _HEADING.findall(_prose(page)):
        anchor = re.sub(r"[^\w -]", "", heading.strip().lower()).replace(" ", "-")
        copies = (f"{anchor}-{number}" for number in range(1, len(anchors) + 1))
        anchors.add(anchor if anchor not in anchors else next(copy for copy in copies if copy not in anchors))
    return anchors


def _checked_lines(page: Path) -> str:
    """Return the text whose paths must exist: decisions and the changelog also name what is gone."""
    if page.name == "CHANGELOG.md":
        return ""
    if page.parent.name == "decisions":
        return "\n".join(line for line in _prose(page).splitlines() if line.startswith("- Code:"))
    return _prose(page)


def _is_missing(path: str, page: Path) -> bool:
    if not _PATH.fullmatch(path) or path.startswith("./"):
        return False
    first = path.split("/")[0]
    if "/" not in path:
        return path.endswith(".py") and path not in NAMES
    folders = [folder for folder in (ROOT, page.parent) if (folder / first).exists()]
    return bool(folders) and not any(any(folder.glob(path.rstrip("/"))) for folder in folders)


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_links_and_anchors_resolve(page: Path) -> None:
    broken = []
    for link in _LINK.findall(_prose(page)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in _anchors(target)):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_paths_exist(page: Path) -> None:
    assert [path for path in _CODE.findall(_checked_lines(page)) if _is_missing(path, page)] == []


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_modules_exist(page: Path) -> None:
    modules = _MODULE.findall(page.read_text(encoding="utf-8"))
    files = {module: ROOT / module.replace(".", "/") for module in modules}
    assert [
        module
        for module, file in files.items()
        if not (file.with_suffix(".py").is_file() or (file / "__main__.py").is_file())
    ] == []


def test_code_names_pages_that_exist() -> None:
    named = {
        (_name(file), page)
        for file in FILES
        if file.suffix in {".py", ".sh", ".toml", ".yaml", ".yml"} or file.name in {"Makefile", "run", "NOTICE"}
        for page in _PAGE.findall(file.read_text(encoding="utf-8"))
    }
    assert named
    assert {(file, page) for file, page in named if not (ROOT / page).is_file()} == set()


def _linked(page: Path) -> set[Path]:
    return {(page.parent / link.partition("#")[0]).resolve() for link in _LINK.findall(_prose(page))}


def test_every_page_of_the_documentation_is_in_its_index() -> None:
    docs = ROOT / "docs"
    index, benchmarks = docs / "README.md", docs / "benchmarks.md"
    linked = _linked(index) | {page for page in _linked(benchmarks) if page.parent == docs / "benchmarks"}
    pages = {page for page in PAGES if page.is_relative_to(docs)}
    assert sorted(map(_name, pages - linked - {index})) == []


def test_a_script_wrote_the_figures_of_the_readme_and_of_the_benchmarks() -> None:
    command = [sys.executable, "-m", "bench.results", "--check"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert (found.returncode, found.stdout) == (0, "")


def test_the_page_about_plans_lists_the_rules_of_the_code() -> None:
    command = [sys.executable, "-m", "bench.rules_page", "--check"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert (found.returncode, found.stdout) == (0, "")
