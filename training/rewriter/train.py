"""Plan how to train the rewriter's adapter."""

from collections.abc import Sequence
from pathlib import Path

from training.lora.plan import (
    AdapterOptions,
    AdapterTraining,
    plan_from_file_pairs,
    plan_from_generated_pairs,
    read_facts,
    require_train_extra,
)
from training.rewriter.pairs import read_pairs, training_pairs


def plan_rewriter(options: AdapterOptions, pair_files: Sequence[Path]) -> AdapterTraining:
    """Plan to train on pairs from files or, if there are none, generated from the graph and from invented graphs.

    Args:
        options: What to train, and where to write it.
        pair_files: Files in a format that `training.rewriter.pairs.read_pairs` reads.

    Returns:
        The plan, for `training.lora.adapter.train_adapter`.

    Raises:
        NotFoundError: A file or the graph does not exist.
        InvalidInputError: A file is invalid.
        DependencyError: The train extra is not installed, or the graph store does not respond.
    """
    require_train_extra()
    if pair_files:
        pairs = [pair for file in pair_files for pair in read_pairs(file)]
        data = {"pairs": ", ".join(file.name for file in pair_files)}
        return plan_from_file_pairs("rewriter", options, pairs, data)
    wordings = options.read_wordings()
    facts, version = read_facts(options, [])
    return plan_from_generated_pairs(
        "rewriter", options, lambda count, seed: training_pairs(count, facts, seed, wordings), {"version": version}
    )
