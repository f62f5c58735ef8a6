"""Write docs/harmful.md, which lists the questions answered correctly from triples but not from text, with causes."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from evaluation.error_analysis import FormatError
from evaluation.formats import ComparedFormat
from evaluation.metrics import lenient_hit

_HEAD = """# Questions lost by putting facts into words

All harmful cases of `text` against `triples` in the comparison of knowledge formats on
[benchmarks.md](benchmarks.md): questions that the QA model (SmolLM2-135M) answers from triples but not from the text of
the same facts. This command writes the page:

    python -m bench.adapters.models DATA --home DIR --only harmful

Each of these texts names gold answers. A model of this size reads a triple, whose last element is the answer, more
reliably than a sentence. The comparison takes the QA model's words as they are. `POST /ask` does not: if its text names
none of the grounded answers, the service asks again with the bare triples of the best path, and if that fails too, it
replaces the text with the answers.

"""
_MAX_ANSWERS = 3


def harmful_texts(errors: Sequence[FormatError]) -> list[FormatError]:
    """Return the errors for questions that are answered correctly from `triples` but incorrectly from `text`."""
    return [error for error in errors if error.form is ComparedFormat.TEXT and error.harmful]


def write_harmful(harmful: Sequence[FormatError], served: Mapping[str, str], page: Path) -> None:
    """Write the number of errors by cause, then every error; `served` maps questions to the answers of `/ask`."""
    counts = Counter(error.why.value for error in harmful)
    rescued = sum(lenient_hit(served[error.question], error.answers) for error in harmful)
    lines = [f"{len(harmful)} questions; the text of `/ask` names a gold answer for {rescued} of them.\n"]
    if harmful:
        lines += ["| cause | questions |", "|---|---|"]
        lines += [f"| {cause} | {count} |" for cause, count in counts.most_common()]
    for error in harmful:
        answers = ", ".join(error.answers[:_MAX_ANSWERS]) + (", …" if len(error.answers) > _MAX_ANSWERS else "")
        lines += [
            f"\n**{_inline(error.question)}** {error.why.value}.\n",
            f"- gold: {_inline(answers)}",
            f"- text: {_inline(error.knowledge)}",
            f"- from the text: {_inline(error.said)}",
            f"- from triples: {_inline(error.said_from_triples)}",
            f"- from `/ask`: {_inline(served[error.question])}",
        ]
    page.write_text(_HEAD + "\n".join(lines) + "\n", encoding="utf-8")


def _inline(text: str) -> str:
    """Return the text on one line, escaped for Markdown."""
    line = " ".join(text.split())
    return "".join(f"\\{sign}" if sign in r"\`*_[]<>|#" else sign for sign in line)
