"""Write the pairs of knowledge-graph tuning to a file that `kgqa train answerer --pairs` reads."""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ingestion.atomic_write import atomic_write
from question_sets.records import read_questions
from shared.errors import InvalidInputError
from training.lora.plan import read_facts
from training.synthetic.relations import read_wordings
from training.tuning.task import Task
from training.tuning.tasks import TuningTasks


@dataclass(frozen=True, slots=True)
class TuningOptions:
    """Choose what to write.

    `count` is the number of pairs of each task. Reasoning learns from `questions` with relation paths, if there are
    any, and from made-up ones. `wordings` is a file of hand-written wordings of relations.
    """

    graph: str
    out: Path
    tasks: Sequence[Task] = tuple(Task)
    count: int = 1_000
    questions: Path | None = None
    wordings: Path | None = None
    seed: int = 13


def write_tuning_corpus(options: TuningOptions) -> Mapping[Task, int]:
    """Write the pairs in random order, as a JSON list in the format of Stanford Alpaca; return how many of each task.

    Raises:
        NotFoundError: The graph or a file does not exist.
        InvalidInputError: A file is invalid, or the graph has no facts.
        DependencyError: The graph store does not respond.
    """
    records = list(read_questions(options.questions)) if options.questions else []
    asked = [record for record in records if record.topic and record.path and record.answers]
    random.Random(options.seed).shuffle(asked)
    asked = asked[: options.count]
    facts, _ = read_facts(options.graph, asked, options.seed)
    if not facts:
        raise InvalidInputError(f"the graph {options.graph!r} has no facts to learn from")
    tasks = TuningTasks(facts, asked, options.seed, read_wordings(options.wordings))
    pairs = [(task, pair) for task in options.tasks for pair in tasks.pairs(task, options.count)]
    random.Random(options.seed).shuffle(pairs)
    lines = [
        {"instruction": pair.prompt, "input": "", "output": pair.completion, "task": task.value} for task, pair in pairs
    ]
    with atomic_write(options.out) as unfinished:
        unfinished.write_text(json.dumps(lines, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    return {task: sum(one is task for one, _ in pairs) for task in options.tasks}
