"""Save measured figures as JSON in bench/results, and render them as docs/benchmarks.md and in the README.

`python -m bench.results` renders both again.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from pydantic import BaseModel

from bench.readme import with_table

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
PAGE = ROOT / "docs" / "benchmarks.md"
README = ROOT / "README.md"

_HEAD = """# Benchmarks

A script wrote every figure on this page from a run; none was typed by hand. The command above each table reproduces it.
Machine: 2 cores, no GPU. Rates are from 0 to 1. `strict_hits1`: the top answer is a gold answer; `lenient_hits1`: the
answer set contains a gold answer as whole words; `set_f1`: the answer set compared with the gold set; `answerer_hits1`:
the QA model's own text contains a gold answer; `latency_ms`: from question to answer, one question at a time.
"""


class Section(BaseModel):
    """Represent one table on the page, with a row per measure and a column per run.

    Sections are sorted by `order`. `commit` is the commit that was measured; it is empty for summaries, and if it
    was not recorded. `remarks` are listed below the table.
    """

    order: int
    title: str
    note: str
    command: str
    columns: dict[str, dict[str, str]]
    commit: str = ""
    remarks: list[str] = []


def head() -> str:
    """Return the current commit, plus `+` if files other than the figures have changes; call it before measuring."""
    written = (f":!{page.relative_to(ROOT)}" for page in (PAGE, README))
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", ":!bench/results", *written)
    return _git("rev-parse", "--short", "HEAD") + ("+" if changed else "")


def _git(*words: str) -> str:
    return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True).stdout.strip()


def keep(name: str, section: Section) -> None:
    """Save the figures of a section, and render the pages again."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(section.model_dump_json(indent=2) + "\n", encoding="utf-8")
    write_pages()


def write_pages() -> None:
    """Render docs/benchmarks.md, and the table of the README."""
    for file, text in pages().items():
        file.write_text(text, encoding="utf-8")


def pages() -> dict[Path, str]:
    """Return the text of each page that has figures."""
    sections = _sections()
    ordered = [one for _, one in sorted(sections.items(), key=lambda named: (named[1].order, named[0]))]
    return {
        PAGE: _HEAD + "".join(map(_markdown, ordered)),
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


def _markdown(section: Section) -> str:
    measures = list(dict.fromkeys(measure for column in section.columns.values() for measure in column))
    measured = f"    # at commit {section.commit}" if section.commit else ""
    lines = [f"\n## {section.title}\n", section.note, f"\n    {section.command}{measured}\n"]
    lines.append("| | " + " | ".join(section.columns) + " |")
    lines.append("|---|" + "---|" * len(section.columns))
    for measure in measures:
        cells = [column.get(measure, "–") for column in section.columns.values()]
        lines.append(f"| {measure} | " + " | ".join(cells) + " |")
    lines += ["", *(f"- {remark}" for remark in section.remarks)] if section.remarks else []
    return "\n".join(lines) + "\n"


def main() -> int:
    """Render the pages from the figures in bench/results; with `--check`, name those that differ, and return 1."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, but name the pages that differ")
    if not parser.parse_args().check:
        write_pages()
        return 0
    others = [page for page, text in pages().items() if page.read_text(encoding="utf-8") != text]
    for page in others:
        print(f"{page.relative_to(ROOT)} differs from the figures; run python -m bench.results")
    return int(bool(others))


if __name__ == "__main__":
    sys.exit(main())
