"""`kgqa corpus build`: show the progress and the result of building a corpus."""

import asyncio

from rich.markup import escape

from kgqa.console import out, progress_bar, stoppable
from kgqa.tables import print_table
from training.rewriter.corpus.build import CorpusOptions, CorpusReport, build_corpus
from training.rewriter.corpus.journal import KEPT

_MILLION = 1_000_000


def run_build(options: CorpusOptions, prompt_price: float, completion_price: float) -> None:
    """Build a corpus and print a summary. Raises as `build_corpus` does.

    Args:
        options: What to build.
        prompt_price: The price of a million tokens in prompts, in any currency.
        completion_price: The price of a million tokens in completions.
    """
    with (
        stoppable(f"{options.own_journal} keeps what is done; the same command goes on from here"),
        progress_bar("building a corpus") as advance,
    ):
        report = asyncio.run(build_corpus(options, advance))
    print_table(("measure", "value"), _rows(report, prompt_price, completion_price))
    if report.pairs is None and options.shard:
        out.print(f"part {options.shard} is done; when all are, put them together with --merge {options.shard.of}")
    else:
        out.print(f"wrote {report.pairs:,} pairs to {escape(str(options.out))}")


def _rows(report: CorpusReport, prompt_price: float, completion_price: float) -> list[tuple[str, str]]:
    usage, verdicts, runs = report.cost.usage, report.verdicts, report.cost.runs
    cost = (usage.prompt_tokens * prompt_price + usage.completion_tokens * completion_price) / _MILLION
    return [
        ("questions", f"{report.questions:,}"),
        *((f"dropped: question {reason}", f"{count:,}") for reason, count in report.dropped.most_common()),
        ("subgraphs", f"{verdicts.total():,}"),
        *((f"dropped: subgraph {reason}", f"{count:,}") for reason, count in verdicts.most_common() if reason != KEPT),
        ("kept", f"{verdicts[KEPT]:,}"),
        ("calls of models", f"{usage.calls:,} in {runs} run{'s' * (runs != 1)}"),
        ("tokens", f"{usage.prompt_tokens:,} in prompts, {usage.completion_tokens:,} in completions"),
        ("cost", f"{cost:,.4f}" if prompt_price or completion_price else "no prices given"),
    ]
