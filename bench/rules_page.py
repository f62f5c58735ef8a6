"""Write the tables of the rules about plans into docs/concepts/predicted-plans.md, from the registries of the rules.

python -m bench.rules_page            # write the tables
python -m bench.rules_page --check    # return 1 if the page has other ones
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill

from services.retriever.plans.judging.doubt import Doubt, Effect
from services.retriever.plans.judging.registry import DOUBTS
from services.retriever.plans.rewriting.registry import REWRITES
from services.retriever.plans.rules import Rule

PAGE = Path(__file__).parent.parent / "docs" / "concepts" / "predicted-plans.md"
BEGIN = "<!-- `python -m bench.rules_page` writes what follows. -->"
END = "<!-- This is the end of what it writes. -->"
_WIDTH = 120
_EFFECTS = {
    Effect.WRONG: (
        "Plans that are wrong",
        "A wrong plan ranks below complete ones, and is less trusted. The four doubts that compare words by their "
        "vectors do not make it incomplete.",
    ),
    Effect.INCOMPLETE: (
        "Plans that are incomplete",
        "An incomplete plan ranks below complete ones, and is less trusted.",
    ),
    Effect.DOUBTED: ("Plans that are doubted", "A doubted plan is less trusted."),
    Effect.LAST: (
        "Plans that come last",
        "Such a plan comes after all others, and keeps its confidence. The first of these rules weighs most.",
    ),
}


def tables() -> str:
    """Return the tables of all rules, in Markdown."""
    parts = [_section("Rewrites", "They apply to a predicted plan in this order.", REWRITES)]
    for effect, (title, note) in _EFFECTS.items():
        parts.append(_section(title, note, [one for one in DOUBTS if one.effect is effect]))
    return "\n".join(parts)


def _section(title: str, note: str, rules: Sequence[Rule]) -> str:
    last = "becomes" if any(one.example.becomes is not None for one in rules) else "rows"
    columns = ["rule", "looks at", "what it does", "for example, where the question is", "and the plan"]
    rows = [_cells(rule) for rule in rules]
    if any(row[-1] for row in rows):
        columns.append(last)
    else:
        rows = [row[:-1] for row in rows]
    table = [columns, ["---"] * len(columns), *rows]
    return "\n".join([f"### {title}", "", fill(note, _WIDTH), "", *map(_line, table), ""])


def _cells(rule: Rule) -> list[str]:
    """Return the cells of a rule; the last one is what the plan becomes, or the rows that it gives, if that matters."""
    example = rule.example
    last = f"`{example.becomes}`" if example.becomes is not None else ""
    if isinstance(rule, Doubt):
        last = ", ".join(map(_written, rule.example.rows))
    return [f"`{rule.name}`", rule.looks_at, rule.does, example.question, f"`{example.plan}`", last]


def _line(cells: Sequence[str]) -> str:
    escaped = (cell.replace("|", r"\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"


def _written(row: Sequence[object]) -> str:
    return f"`({', '.join('null' if cell is None else str(cell) for cell in row)})`"


def page() -> str:
    """Return the page with the tables of the rules.

    Raises:
        ValueError: The page does not say where the tables are.
    """
    before, begin, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{PAGE} needs the lines {BEGIN!r} and {END!r}, between which the tables are")
    return f"{before}{BEGIN}\n\n{tables()}\n{END}{after}"


def main() -> int:
    """Write the tables; with `--check`, write nothing, and return 1 if the page has other ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, but say whether the page is up to date")
    if not parser.parse_args().check:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") == page():
        return 0
    print(f"{PAGE.name} lists other rules than the code; run python -m bench.rules_page")
    return 1


if __name__ == "__main__":
    sys.exit(main())
