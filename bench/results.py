"""Measured figures: kept as JSON beside this file, shown as docs/benchmarks.md."""

import json
import subprocess
from pathlib import Path

from pydantic import BaseModel

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
PAGE = ROOT / "docs" / "benchmarks.md"

_HEAD = """# Benchmarks

Every figure on this page was written by a script from a run; none is typed by hand. The command above each table gives
it again. Machine: 2 cores, no GPU. Rates lie in 0..1; `strict_hits1`: the top answer, whole, is a gold
answer; `lenient_hits1`: a gold answer occurs in the answer set as whole words; `set_f1`: the whole answer set against
the gold set; `answerer_hits1`: a gold answer occurs in the QA model's own text; `latency_ms`: from question to answer,
one question at a time.
"""


class Section(BaseModel):
    """One table of the page: a row a measure, a column a run. `order` sorts sections.

    `commit`: the tree that was measured; empty where that was not kept, and for what only sums others up.
    """

    order: int
    title: str
    note: str
    command: str
    columns: dict[str, dict[str, str]]
    commit: str = ""


def head() -> str:
    """The commit that is checked out, with a `+` if other files than the figures differ from it; to be asked first."""
    changed = _git(
        "status", "--porcelain", "--untracked-files=no", "--", ":!bench/results", f":!{PAGE.relative_to(ROOT)}"
    )
    return _git("rev-parse", "--short", "HEAD") + ("+" if changed else "")


def _git(*words: str) -> str:
    return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True).stdout.strip()


def keep(name: str, section: Section) -> None:
    """Keep a section's figures and write the page anew."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(section.model_dump_json(indent=2) + "\n", encoding="utf-8")
    PAGE.write_text(_page(), encoding="utf-8")


def read_rows(name: str) -> dict[str, dict[str, tuple[str, str]]]:
    """The rows of a summary by the part of the measurements that found them; none where nothing was measured yet."""
    file = RESULTS / f"{name}.rows"
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def write_rows(name: str, rows: dict[str, dict[str, tuple[str, str]]]) -> None:
    """Keep the rows of a summary."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.rows").write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


def _page() -> str:
    kept = [Section.model_validate(json.loads(f.read_text(encoding="utf-8"))) for f in RESULTS.glob("*.json")]
    return _HEAD + "".join(_markdown(section) for section in sorted(kept, key=lambda s: s.order))


def _markdown(section: Section) -> str:
    measures = list(dict.fromkeys(measure for column in section.columns.values() for measure in column))
    measured = f"    # at commit {section.commit}" if section.commit else ""
    lines = [f"\n## {section.title}\n", section.note, f"\n    {section.command}{measured}\n"]
    lines.append("| | " + " | ".join(section.columns) + " |")
    lines.append("|---|" + "---|" * len(section.columns))
    for measure in measures:
        cells = [column.get(measure, "–") for column in section.columns.values()]
        lines.append(f"| {measure} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
