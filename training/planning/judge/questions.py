"""Read the questions that the judge learns from."""

import asyncio
import random
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from graph.sqlite.store import SqliteGraphStore
from language.english.english import english
from question_sets.plan_questions import PlanQuestionSet
from question_sets.repeated_questions import RepeatedQuestions
from question_sets.schema_corpus import EVERYDAY, read_schema_corpus
from services.retriever.plans.planner import Planner
from services.retriever.plans.schema.schema_elements import SchemaElements
from training.planning.base import examples_of, measured_questions, published_sets, some_of_set
from training.planning.calibration.everyday_schemas import SchemaQuestions, name_pool, read_everyday, write_rows
from training.planning.calibration.judging import TIMEOUT_S
from training.planning.examples import Example
from training.planning.judge.choices import Choice, SearchFor, predicted
from training.planning.kindless import kindless_questions
from training.planning.refilling import refilled_questions
from training.planning.renaming import renamed_questions

_EVERYDAY, _RENAMED, _PUBLISHED, _KINDLESS = 0.44, 0.25, 0.26, 0.05  # of the questions
_REFILLED, _NAMINGS = 0.4, 8


def read_answerable(folder: Path, count: int, seed: int) -> list[Example]:
    """Return examples of about `count` questions, everyday and published ones, in any order.

    Args:
        folder: The folder of the data sets.
        count: The number of questions; some of them cannot become examples.
        seed: The seed of all choices.
    """
    asked = read_schema_corpus(folder / "schema_corpus", EVERYDAY)
    published = published_sets(folder)
    each = round(_PUBLISHED * count / len(published))
    sets: list[PlanQuestionSet] = [
        refilled_questions(some_of_set(asked, round(_EVERYDAY * count), seed), _REFILLED, seed),
        renamed_questions(some_of_set(asked, round(_RENAMED * count), seed + 1), _NAMINGS, 1, seed),
        kindless_questions(some_of_set(asked, round(_KINDLESS * count), seed + 2), 1.0, seed),
        *(some_of_set(one, each, seed) for one in published),
    ]
    repeated = RepeatedQuestions(measured_questions(folder))
    found = [one for each_set in sets for one in examples_of(each_set, seed) if one.question not in repeated]
    random.Random(seed).shuffle(found)
    return found


def unanswerable(folder: Path, search_for: SearchFor) -> Iterator[Choice]:
    """Yield the everyday questions that the schema cannot answer, with the plans that the plan model takes for likely.

    Args:
        folder: The folder of the data sets.
        search_for: Returns the search of the plan model over a schema.
    """
    pool, repeated = name_pool(folder, only_dev=False), RepeatedQuestions(measured_questions(folder))
    with tempfile.TemporaryDirectory() as scratch:
        for one in read_everyday(folder, only_dev=False):
            file = Path(scratch) / f"{one.name}.sqlite"
            write_rows(one, pool, file)
            one = replace(one, unanswerable=[asked for asked in one.unanswerable if asked not in repeated])
            yield from asyncio.run(_choices_over(file, one, search_for))


async def _choices_over(file: Path, asked: SchemaQuestions, search_for: SearchFor) -> Sequence[Choice]:
    store = SqliteGraphStore(file, TIMEOUT_S)
    planner = Planner(store, search_for)
    elements = SchemaElements.of((await planner.view()).schema)
    search = search_for(elements)
    found = []
    for question in asked.unanswerable:
        values = await planner.values(english(question).in_known_words)
        if plans := predicted(question, values, search):
            found.append(Choice(question, elements, tuple(values), tuple(plans), is_answerable=False))
    await store.close()
    return found
