"""Render the sections of bench/results: docs/benchmarks.md with the main figures, and a page for each topic."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pydantic import BaseModel

from bench.main_figures import ANSWERS, OTHERS, Figure
from bench.readme import HITS, Row


class Section(BaseModel):
    """Represent one table, with a row per measure and a column per run.

    Sections are sorted by `order`. `commit` is the commit that was measured, and `date` the day; both are empty for
    summaries. `remarks` are listed below the table.
    """

    order: int
    title: str
    note: str
    command: str
    columns: dict[str, dict[str, str]]
    commit: str = ""
    date: str = ""
    remarks: list[str] = []


@dataclass(frozen=True, slots=True)
class Page:
    """Name a page, and the sections on it, by how the names of their files start."""

    name: str
    title: str
    about: str
    starts: tuple[str, ...]


PAGES = (
    Page("reading", "Reading questions as plans", "questions read as query plans, mostly on graphs without training",
         ("predicted-", "stranger-graphs", "trained-strangers", "trusted_questions", "everyday", "rules", "meaning",
          "confirmed")),
    Page("paths", "Trained relation paths", "questions read as relation paths, on the published data sets",
         ("retriever",)),
    Page("strategies", "Strategies", "the retrieval strategies beside published methods, and what their facts are "
         "worth to a QA model", ("strategies-", "dense", "knowledge")),
    Page("cypher", "Cypher", "Cypher that people and models wrote: read as plans, run, and compared",
         ("gold_plans", "cypher-speed", "corpus-cypher", "random-cypher", "spcql", "written-cypher")),
    Page("stores", "Graph stores", "SQLite and Neo4j: the same results, and their times",
         ("stores", "plans", "random-plans", "shortest-paths")),
    Page("texts", "Texts", "the sentences of replies: names, values, omissions, and the WebNLG challenge",
         ("texts", "gold-texts", "exact-names", "webnlg")),
    Page("adapters", "Language model", "the adapters of the embedded language model, and their training",
         ("models-", "tuning")),
    Page("serving", "Serving", "the running services: the whole pipeline, speed, load, faults, and attacks",
         ("world", "start", "ask-speed", "production", "streams", "faults", "abuse", "fuzz", "replies")),
    Page("files", "Files", "graph files that are odd, damaged, or from public bug reports",
         ("odd-files", "public-cases", "rdf-suites")),
    Page("code", "Source", "the structure of the source", ("structure",)),
)  # fmt: skip

_HEAD = """# Benchmarks

How often kgqa answers right, how often a confident answer is wrong, how fast it is, and what it withstands.
`python -m bench.results` wrote this page from the figures of runs; none was typed by hand. Each figure has the day and
the commit that was measured, and links to its page, which has the command that measures it again.

All were measured on a machine with 2 cores and without a GPU; notes say where training used one. Intervals of 95 % over
the questions are in parentheses. **Stale** figures are of a commit that is no longer in the history, or that more than
{limit} commits to the measured code have followed: measure again before you rely on them.

## What is measured

| page | what is measured | tables | newest |
|---|---|---|---|
"""
_ANSWERS_HEAD = """
## Answers

Right: the answers, or a column of the table, are the gold answers; where relation paths are trained, the first answer
is one. Wrong: of the answers with a confidence of 0.5 or more.

| questions | right | wrong, though confident | measured |
|---|---|---|---|
"""
_OTHERS_HEAD = """
## Everything else

| what | figure | measured |
|---|---|---|
"""
_DETAILS = """# Benchmarks: {title}

{about}.

[Benchmarks](../benchmarks.md) has the main figures, and says how to read them. [Measures](../reference/measures.md)
explains the names of rows.
"""
_RATE = re.compile(r"\d\.\d+")

Sections = Mapping[str, Section]
Mark = Callable[[str], str]
"""Takes a commit; returns what to write behind it if its figures are stale, or an empty text."""


def rendered(sections: Sections, mark: Mark, limit: int) -> dict[str, str]:
    """Return the texts of the pages, keyed by their path below docs/.

    Args:
        sections: The sections of bench/results, keyed by the names of their files.
        mark: Marks the commits whose figures are stale.
        limit: The number of later commits up to which figures are not stale.
    """
    pages = {page: _sections_of(page, sections) for page in _pages(sections)}
    overview = "".join(_overview_row(page, list(own.values()), mark) for page, own in pages.items())
    answers = "".join(_answers_row(row, sections, mark) for row in ANSWERS)
    others = "".join(_figure_row(figure, sections, mark) for figure in OTHERS)
    head = _HEAD.format(limit=limit) + overview
    texts = {"benchmarks.md": head + _ANSWERS_HEAD + answers + _OTHERS_HEAD + others}
    for page, own in pages.items():
        about = page.about[0].upper() + page.about[1:]
        tables = "".join(_table(section, mark) for section in own.values())
        texts[f"benchmarks/{page.name}.md"] = _DETAILS.format(title=page.title, about=about) + tables
    return texts


def _pages(sections: Sections) -> list[Page]:
    """Return the pages, with one more for each section that none of them has."""
    listed = [name for page in PAGES for name in _sections_of(page, sections)]
    return [*PAGES, *(Page(name, sections[name].title, sections[name].title, (name,))
                      for name in sorted(sections) if name not in listed)]  # fmt: skip


def _sections_of(page: Page, sections: Sections) -> dict[str, Section]:
    own = {name: section for name, section in sections.items() if name.startswith(page.starts)}
    return dict(sorted(own.items(), key=lambda named: (named[1].order, named[0])))


def _page_of(name: str) -> str:
    return next((page.name for page in PAGES if name.startswith(page.starts)), name)


def _overview_row(page: Page, own: list[Section], mark: Mark) -> str:
    stale = sum(bool(mark(section.commit)) for section in own)
    newest = max((section.date for section in own), default="")
    marked = f" **Stale: {stale} of {len(own)}**" if stale else ""
    return f"| [{page.title}](benchmarks/{page.name}.md) | {page.about} | {len(own)} | {newest}{marked} |\n"


def _answers_row(row: Row, sections: Sections, mark: Mark) -> str:
    section = sections[row.section]
    figures = section.columns[row.column]
    right = figures[row.right]
    if row.right == HITS:
        number, *interval = (100 * float(rate) for rate in _RATE.findall(right))
        right = f"{number:.2f} % ({' to '.join(f'{end:.1f}' for end in interval)})"
    wrong = figures[row.wrong] if row.wrong else "–"
    return f"| {row.label} | {right} | {wrong} | {_measured(row.section, section, mark)} |\n"


def _figure_row(figure: Figure, sections: Sections, mark: Mark) -> str:
    section = sections[figure.section]
    written = figure.written(section.columns)
    return f"| {figure.label} | {written} | {_measured(figure.section, section, mark)} |\n"


def _measured(name: str, section: Section, mark: Mark) -> str:
    link = f"[{section.date}](benchmarks/{_page_of(name)}.md#{_anchor(section.title)})"
    return f"{link}, {section.commit}{mark(section.commit)}"


def _anchor(title: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def _table(section: Section, mark: Mark) -> str:
    measures = list(dict.fromkeys(measure for column in section.columns.values() for measure in column))
    lines = [f"\n## {section.title}\n", _from_folder(section.note), f"\n    {section.command}\n"]
    if section.commit:
        day = f" on {section.date}" if section.date else ""
        lines.append(f"Measured{day} at commit {section.commit}.{mark(section.commit)}\n")
    lines.append("| | " + " | ".join(section.columns) + " |")
    lines.append("|---|" + "---|" * len(section.columns))
    for measure in measures:
        cells = [column.get(measure, "–") for column in section.columns.values()]
        lines.append(f"| {measure} | " + " | ".join(cells) + " |")
    lines += ["", *(f"- {_from_folder(remark)}" for remark in section.remarks)] if section.remarks else []
    return "\n".join(lines) + "\n"


def _from_folder(text: str) -> str:
    """Let links that are relative to docs/ start in docs/benchmarks/."""
    return re.sub(r"\]\((?![a-z]+:|#)", "](../", text)
