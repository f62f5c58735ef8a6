"""The page of questions that the QA model answers from triples and not from text, each with the reason."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from evaluation.format_errors import Loss
from evaluation.formats import Form
from evaluation.metrics import lenient_hit

_HEAD = """# Questions lost by putting facts into words

All harmful cases of `text` against `triples` in the comparison of forms of knowledge in [benchmarks.md](benchmarks.md):
questions that the QA model (SmolLM2-135M) answers from triples and not from the text of the same facts. Written by

    python -m bench.models DATA --home DIR --only harmful

Each of these texts names gold answers. A model of this size reads a triple, whose last place is the answer, more surely
than a sentence. That comparison takes the QA model's words as they are; `POST /ask` does not: prose that names none of
the grounded answers is asked for again, from the bare triples of the best path, and then replaced by the answers.

"""
_MOST_ANSWERS = 3


def harmful_texts(losses: Sequence[Loss]) -> list[Loss]:
    """What was lost by text and not by triples."""
    return [loss for loss in losses if loss.form is Form.TEXT and loss.harmful]


def write_harmful(harmful: Sequence[Loss], served: Mapping[str, str], page: Path) -> None:
    """Write the page; how many there are for each reason comes first. `served`: what `/ask` answers, by question."""
    counts = Counter(loss.why.value for loss in harmful)
    rescued = sum(lenient_hit(served[loss.question], loss.answers) for loss in harmful)
    lines = [f"{len(harmful)} questions; the text that `/ask` answers names a gold answer for {rescued} of them.\n"]
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
            f"- answered by `/ask`: {_inline(served[loss.question])}",
        ]
    page.write_text(_HEAD + "\n".join(lines) + "\n", encoding="utf-8")


def _inline(text: str) -> str:
    """One line that Markdown shows as it is."""
    line = " ".join(text.split())
    return "".join(f"\\{sign}" if sign in r"\`*_[]<>|#" else sign for sign in line)
