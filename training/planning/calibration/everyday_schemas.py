"""Read everyday questions over schemas that no model was trained on, and fill these schemas with made-up rows."""

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ingestion.property_graph import write_graph_file
from question_sets.conversion import read_objects
from question_sets.plan_questions import PlanQuestion, PlanQuestionSet
from question_sets.schema_corpus import EVERYDAY, read_schema_corpus
from training.planning.calibration.schema_rows import RowMaker
from training.planning.refilling import NamePool

_SEED = 1
_WHETHER = "> 0"


@dataclass(frozen=True)
class SchemaQuestions:
    """Hold the questions about one schema: those with a plan, those that ask whether, and those without an answer."""

    name: str
    questions: PlanQuestionSet
    whether: frozenset[str]
    unanswerable: Sequence[str]


def read_everyday(data: Path, most: int | None = None, only_dev: bool = True) -> list[SchemaQuestions]:
    """Read everyday questions, schema by schema; at most `most` of those with a plan.

    Args:
        data: The folder of the data sets, with the folder `schema_corpus`.
        most: The number of questions of each schema, chosen at random; by default, all.
        only_dev: Whether to read the questions to develop with instead of those to train on.
    """
    asked = read_schema_corpus(data / "schema_corpus", EVERYDAY, only_dev=only_dev)
    rows = list(read_objects(data / "schema_corpus" / EVERYDAY, "questions.jsonl", EVERYDAY))
    by_schema: dict[str, list[PlanQuestion]] = defaultdict(list)
    for one in asked.questions:
        by_schema[one.schema].append(one)
    return [
        SchemaQuestions(
            name,
            replace(asked, schemas={name: asked.schemas[name]}, questions=_some(questions, most)),
            frozenset(row["question"] for row in rows if _WHETHER in row.get("as_written", "")),
            [row["question"] for row in rows if row["schema"] == name and row.get("verdict") == "unanswerable"],
        )
        for name, questions in by_schema.items()
    ]


def _some(found: list[PlanQuestion], most: int | None) -> list[PlanQuestion]:
    return found if most is None or len(found) <= most else random.Random(_SEED).sample(found, most)


def name_pool(data: Path, only_dev: bool = True) -> NamePool:
    """Return the names from which the rows of all schemas take theirs."""
    return NamePool.of(read_schema_corpus(data / "schema_corpus", EVERYDAY, only_dev=only_dev).schemas)


def write_rows(asked: SchemaQuestions, pool: NamePool, file: Path) -> None:
    """Write a graph file with made-up rows for a schema."""
    plans = [one.plan for one in asked.questions.questions]
    schema = asked.questions.schemas[asked.name]
    write_graph_file(RowMaker(schema, plans, random.Random(_SEED), pool).graph(), file)
