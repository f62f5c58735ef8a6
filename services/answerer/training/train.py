"""Train the QA model's adapter: `python -m services.answerer.training.train --help`."""

import argparse
from collections.abc import Sequence

from services.answerer.training.examples import training_examples
from shared.llm.training.command import MakePairs, read_facts, run
from shared.questions import read_questions


def main(arguments: Sequence[str] | None = None) -> None:
    """Make examples of facts, question and answer, fine-tune on them, export the adapter."""
    run("answerer", _examples, arguments)


def _examples(options: argparse.Namespace) -> MakePairs:
    facts, questions = read_facts(options.graph), read_questions(options.questions)
    return lambda count, seed: training_examples(count, facts, questions, seed)


if __name__ == "__main__":
    main()
