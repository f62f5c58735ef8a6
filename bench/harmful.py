"""The page of questions that the QA model answers from triples and not from text, each with the reason."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from evaluation.formats import Form
from evaluation.losses import Loss

_HEAD = """# Questions lost by putting facts into words

All harmful cases of `text` against `triples` in the comparison of forms of knowledge in [benchmarks.md](benchmarks.md):
questions that the QA model (SmolLM2-135M) answers from triples and not from the text of the same facts. Written by

    python -m bench.models DATA --home DIR --only formats

"""
_MOST_ANSWERS = 3


def write_harmful(losses: Sequence[Loss], page: Path) -> None:
    """Write the page; how many there are for each reason comes first."""
    harmful = [loss for loss in losses if loss.form is Form.TEXT and loss.harmful]
    counts = Counter(loss.why.value for loss in harmful)
    lines = [f"{len(harmful)} questions.\n"]
    if harmful:
        lines += ["| why | questions |", "|---|---|"]
        lines += [f"| {why} | {count} |" for why, count in counts.most_common()]
    for loss in harmful:
        answers = ", ".join(loss.answers[:_MOST_ANSWERS]) + (", …" if len(loss.answers) > _MOST_ANSWERS else "")
        lines += [
            f"\n**{_inline(loss.question)}** {loss.why.value}.\n",
            f"- gold: {_inline(answers)}",
            f"- text: {_inline(loss.knowledge)}",
            f"- said from the text: {_inline(loss.said)}",
            f"- said from triples: {_inline(loss.said_from_triples)}",
        ]
    page.write_text(_HEAD + "\n".join(lines) + "\n", encoding="utf-8")


def _inline(text: str) -> str:
    """One line that Markdown shows as it is."""
    line = " ".join(text.split())
    return "".join(f"\\{sign}" if sign in r"\`*_[]<>|#" else sign for sign in line)
