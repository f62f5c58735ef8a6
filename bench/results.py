"""Save measured figures as JSON in bench/results, and render them as docs/benchmarks.md, its pages, and in the README.

`python -m bench.results` renders all of them again.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from bench.benchmark_pages import Section, rendered
from bench.readme import with_table

__all__ = ["RESULTS", "ROOT", "Section", "head", "keep", "read_rows", "write_rows"]

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
DOCS = ROOT / "docs"
PAGE = DOCS / "benchmarks.md"
DETAILS = DOCS / "benchmarks"
README = ROOT / "README.md"

STALE_AFTER = 200
"""Figures are stale once more commits than this have changed the measured code."""
_MEASURED_CODE = ("services", "language", "graph", "texts", "contracts", "shared")
_MARK = re.compile(r" \*\*Stale: [^*]*\*\*")


def head() -> str:
    """Return the current commit, plus `+` if files other than the figures have changes; call it before measuring."""
    written = (f":!{page.relative_to(ROOT)}" for page in (PAGE, DETAILS, README))
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", ":!bench/results", *written)
    return _git("rev-parse", "--short", "HEAD") + ("+" if changed else "")


def _git(*words: str) -> str:
    return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True).stdout.strip()


@cache
def stale_mark(commit: str) -> str:
    """Return what to write behind a measured commit whose figures are stale; empty if not, or if nobody can tell.

    A shallow clone, and a copy without a repository, cannot tell.
    """
    measured = commit.removesuffix("+")
    try:
        if not measured or _git("rev-parse", "--is-shallow-repository") == "true":
            return ""
    except (OSError, subprocess.CalledProcessError):
        return ""
    try:
        _git("merge-base", "--is-ancestor", measured, "HEAD")
    except subprocess.CalledProcessError:
        return " **Stale: not in the history**"
    later = int(_git("rev-list", "--count", f"{measured}..HEAD", "--", *_MEASURED_CODE))
    return f" **Stale: over {STALE_AFTER} commits ago**" if later > STALE_AFTER else ""


def keep(name: str, section: Section) -> None:
    """Save the figures of a section as measured today, and render the pages again."""
    RESULTS.mkdir(exist_ok=True)
    if section.commit:
        section = section.model_copy(update={"date": datetime.now(UTC).date().isoformat()})
    (RESULTS / f"{name}.json").write_text(section.model_dump_json(indent=2) + "\n", encoding="utf-8")
    write_pages()


def write_pages() -> None:
    """Render docs/benchmarks.md, the pages below it, and the table of the README; remove pages that have no section."""
    written = pages(stale_mark)
    DETAILS.mkdir(exist_ok=True)
    for file, text in written.items():
        file.write_text(text, encoding="utf-8")
    for file in set(DETAILS.iterdir()) - written.keys():
        file.unlink()


def pages(mark: Callable[[str], str]) -> dict[Path, str]:
    """Return the text of each page that has figures, with what `mark` returns behind each measured commit."""
    sections = _sections()
    texts = rendered(sections, mark, STALE_AFTER)
    return {
        **{DOCS / name: text for name, text in texts.items()},
        README: with_table(README.read_text(encoding="utf-8"), sections),
    }


def read_rows(name: str) -> dict[str, dict[str, tuple[str, str]]]:
    """Return the rows of a summary, keyed by the part that measured them; empty before the first measurement."""
    file = RESULTS / f"{name}.rows"
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def write_rows(name: str, rows: dict[str, dict[str, tuple[str, str]]]) -> None:
    """Save the rows of a summary."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.rows").write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


def _sections() -> dict[str, Section]:
    """Return the sections in bench/results, keyed by the names of their files."""
    return {file.stem: Section.model_validate_json(file.read_text(encoding="utf-8")) for file in RESULTS.glob("*.json")}


def _differing() -> list[Path]:
    """Return the pages that differ from the figures; their marks may differ, because each commit may change them."""
    wanted = pages(lambda _: "")
    found = {page: _MARK.sub("", page.read_text(encoding="utf-8")) for page in (PAGE, README, *DETAILS.glob("*.md"))}
    return sorted(page for page in wanted.keys() | found.keys() if wanted.get(page) != found.get(page))


def main() -> int:
    """Render the pages from the figures in bench/results; with `--check`, name those that differ, and return 1."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, but name the pages that differ")
    if not parser.parse_args().check:
        write_pages()
        return 0
    others = _differing()
    for page in others:
        print(f"{page.relative_to(ROOT)} differs from the figures; run python -m bench.results")
    return int(bool(others))


if __name__ == "__main__":
    sys.exit(main())
