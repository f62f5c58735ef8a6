"""Train the rewriter's adapter: `python -m services.rewriter.training.train --help`."""

import argparse
from collections.abc import Sequence

from services.rewriter.training.pairs import training_pairs
from shared.llm.training.command import MakePairs, read_facts, run


def main(arguments: Sequence[str] | None = None) -> None:
    """Make graph-text pairs, fine-tune on them, export the adapter."""
    run("rewriter", _pairs, arguments)


def _pairs(options: argparse.Namespace) -> MakePairs:
    facts = read_facts(options.graph)
    return lambda count, seed: training_pairs(count, facts, seed)


if __name__ == "__main__":
    main()
