"""Plan how to train the answerer's adapter."""

from collections.abc import Sequence
from pathlib import Path

from question_sets.records import QuestionRecord, read_questions
from shared.errors import InvalidInputError
from shared.triple import Triple
from training.answerer.examples import training_examples
from training.lora.plan import (
    AdapterOptions,
    AdapterTraining,
    plan_from_generated_pairs,
    read_facts,
    require_train_extra,
)


def plan_answerer(options: AdapterOptions, questions: Path | None) -> AdapterTraining:
    """Plan to train on examples generated from the graph, from questions about it, and from invented graphs.

    Args:
        options: What to train, and where to write it.
        questions: A file of questions with topics, paths, and answers; None generates questions from the graph.

    Returns:
        The plan, for `training.lora.adapter.train_adapter`.

    Raises:
        NotFoundError: The file or the graph does not exist.
        InvalidInputError: The file is invalid, or its questions are not about this graph.
        DependencyError: The train extra is not installed, or the graph store does not respond.
    """
    require_train_extra()
    wordings = options.read_wordings()
    records = read_questions(questions) if questions else []
    asked = [record for record in records if record.path and record.topic and record.answers]
    # Each question yields at least one example, so at most `count` are needed. Take them evenly from the whole file.
    asked = asked[:: max(1, len(asked) // max(1, options.count))][: options.count]
    facts, version = read_facts(options, asked)
    if questions:
        _check_topics(asked, facts, questions)
    return plan_from_generated_pairs(
        "answerer",
        options,
        lambda count, seed: training_examples(count, facts, asked, seed, wordings),
        {"version": version, "questions": questions.name if questions else "made from the graph"},
    )


def _check_topics(asked: Sequence[QuestionRecord], facts: Sequence[Triple], questions: Path) -> None:
    names = {name for fact in facts for name in (fact.subject, fact.object)}
    if not any(record.topic in names for record in asked):
        raise InvalidInputError(
            f"{questions}: no question has a path, answers, and a topic of this graph; are they about another graph? "
            "Omit --questions to generate questions from the graph"
        )
