"""Write the table of the README from the figures in bench/results."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

BEGIN = "<!-- `python -m bench.results` writes what follows, up to the end of the table's note. -->"
END = "<!-- This is the end of what it writes. -->"
_HEAD = (
    "| questions | answered right | wrong, of the answers with a confidence of 0.5 or more |",
    "|---|---|---|",
)
_RIGHT, _WRONG = "execution accuracy", "confidence >= 0.5, of these wrong"
HITS = "strict_hits1"
STRANGERS, STRANGERS_RIGHT, STRANGERS_WRONG = "stranger-graphs", "right", "of these, wrong"


class Measured(Protocol):
    """Represent a section of bench/results."""

    @property
    def columns(self) -> Mapping[str, Mapping[str, str]]:
        """Return the figures, keyed by column and measure."""

    @property
    def commit(self) -> str:
        """Return the commit that was measured."""


@dataclass(frozen=True, slots=True)
class Row:
    """Say which figures make a row of a table; `wrong` is empty where it is not measured."""

    label: str
    section: str
    column: str
    right: str = _RIGHT
    wrong: str = _WRONG

    def written(self, sections: Mapping[str, Measured]) -> str:
        """Return the row of the README's table, without intervals."""
        figures = sections[self.section].columns[self.column]
        wrong = _figure(figures[self.wrong]) if self.wrong else "–"
        return f"| {self.label} | {_figure(figures[self.right])} | {wrong} |"


_TRAINED = "trained on its questions"
UNTRAINED = "without training"
_UNSEEN = (
    ("an invented law firm", "lawfirm"),
    ("an invented fire service, whose nodes have several labels", "rescue"),
    ("an invented cooperative, in the terse names of an old system", "cooperative"),
)
ROWS = (
    Row(f"MetaQA, 1 hop, {_TRAINED}", "retriever-metaqa", "1-hop, linked", HITS, ""),
    Row(f"MetaQA, 2 hops, {_TRAINED}", "retriever-metaqa", "2-hop, linked", HITS, ""),
    Row(f"MetaQA, 3 hops, {_TRAINED}", "retriever-metaqa", "3-hop, linked", HITS, ""),
    Row(f"MetaQA's graph, 100 free questions, {_TRAINED}", "retriever-free", "free questions", HITS, ""),
    Row("the demo graph, 200 questions with conditions", "predicted-demo", "demo"),
    Row(f"Neo4j's example graph Movies, 519 questions, {UNTRAINED}", "predicted-gold", "movies"),
    Row(f"Neo4j's example graph Northwind, 325 questions, {UNTRAINED}", "predicted-gold", "northwind"),
    Row(f"Neo4j's example graph StackOverflow, 234 questions, {UNTRAINED}", "predicted-gold", "stackoverflow"),
    Row(f"the graph of an invented hospital, 70 everyday questions, {UNTRAINED}", STRANGERS, "hospital",
        STRANGERS_RIGHT, STRANGERS_WRONG),
    Row(f"the graph of an invented software company, 70 everyday questions, {UNTRAINED}", STRANGERS, "software",
        STRANGERS_RIGHT, STRANGERS_WRONG),
    *(
        Row(f"the graph of {what}, 70 everyday questions, {UNTRAINED}", STRANGERS, name,
            STRANGERS_RIGHT, STRANGERS_WRONG)
        for what, name in _UNSEEN
    ),
    Row(f"the graph of an invented firm, 100 everyday questions, {UNTRAINED}", "predicted-company",
        "no training"),
    Row("the same, trained on the graph alone", "predicted-company", "from the graph alone"),
    Row("the same, trained with 150 other questions", "predicted-company", "150 questions, seed 1"),
    Row("the same, trained with them once more from another seed", "predicted-company", "150 questions, seed 2"),
)  # fmt: skip


def with_table(readme: str, sections: Mapping[str, Measured]) -> str:
    """Return the text of the README with the table that these sections give.

    Args:
        readme: The text, with both marks.
        sections: The sections of bench/results, keyed by the names of their files.
    """
    before, _, rest = readme.partition(BEGIN)
    after = rest.partition(END)[2]
    commits = list(dict.fromkeys(sections[row.section].commit for row in ROWS))
    note = "Answers below the confidence that the default cost of a wrong answer asks for count as well. "
    note += f"Measured at {'commit' if len(commits) == 1 else 'the commits'} {', '.join(commits)}."
    lines = [BEGIN, "", *_HEAD, *(row.written(sections) for row in ROWS), "", note, "", END]
    return before + "\n".join(lines) + after


def _figure(measured: str) -> str:
    """Write a measured figure without its interval: a rate from 0 to 1 in percent, and others as they are.

    Example:
        >>> _figure("0.9714 (0.968 to 0.975)"), _figure("79.6 % (75.9 to 82.8)"), _figure("9 (12.7 %)")
        ('97.14 %', '79.6 %', '12.7 %')
    """
    figure, _, behind = measured.partition(" (")
    if behind.endswith(" %)"):
        return behind.removesuffix(")")
    if "." in figure and not figure.endswith("%"):
        return f"{100 * float(figure):.2f}".rstrip("0").rstrip(".") + " %"
    return figure
