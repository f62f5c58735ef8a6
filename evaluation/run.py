"""Runs a file of questions through the services' public functions, in process, and reports."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evaluation.in_process import Models, Opened, language_models, retrieval
from evaluation.mistakes import Mistake, mistakes
from evaluation.outcomes import Outcome, outcome_of, unanswered
from evaluation.report import Report, summarise
from question_sets.records import QuestionRecord, read_questions
from services.answerer.pipeline import Asker
from services.rewriter.cache.memory import InMemoryTextCache
from services.rewriter.pipeline import Rewriter
from shared.contracts import (
    DEFAULT_BEAM,
    DEFAULT_MAX_PATHS,
    AskRequest,
    AskResponse,
    KnowledgeFormat,
    RetrieveRequest,
    RetrieveResponse,
)
from shared.errors import KGQAError, TooManyPathsError, UnknownEntityError

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class EvaluateOptions:
    """What to evaluate: `topic` given takes the record's topic entity where it has one, linked never does.

    `beam` is K and `max_paths` M of the paper; below the confidence `threshold` the retriever abstains, by default
    below the model's own.
    """

    graph: str
    retriever: Path
    questions: Path
    topic: Literal["given", "linked"] = "given"
    format: KnowledgeFormat = KnowledgeFormat.TEXT
    with_answerer: bool = True
    beam: int = DEFAULT_BEAM
    max_paths: int = DEFAULT_MAX_PATHS
    threshold: float | None = None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The figures, and the questions behind those that are not perfect."""

    report: Report
    mistakes: list[Mistake]


async def evaluate(options: EvaluateOptions, progress: Progress) -> Evaluation:
    """Ask every question, one at a time, and summarise.

    Raises NotFoundError or InvalidInputError for a graph, model or question file that is missing or damaged.
    """
    records = read_questions(options.questions)
    async with retrieval(options.graph, options.retriever, options.threshold) as opened:
        async with asking(opened, options) as system:
            outcomes = []
            for done, record in enumerate(records, 1):
                outcomes.append(await outcome(system, options, record, tolerated=KGQAError))
                progress(done, len(records))
        return await evaluation_of(outcomes, opened, options)


async def evaluation_of(outcomes: list[Outcome], opened: Opened, options: EvaluateOptions) -> Evaluation:
    """The figures of all outcomes."""
    return Evaluation(summarise(outcomes, _names(options)), await mistakes(outcomes, opened.store, opened.walk_rule))


@dataclass(frozen=True, slots=True)
class System:
    """What questions are put to. `models`: those behind the whole pipeline, none behind the retriever alone."""

    respond: Callable[[str, str | None], Awaitable[AskResponse | RetrieveResponse]]
    models: Models | None


@asynccontextmanager
async def asking(opened: Opened, options: EvaluateOptions) -> AsyncIterator[System]:
    """The whole pipeline or the retriever alone, as the options want it."""
    beam, max_paths = options.beam, options.max_paths

    async def retrieve(question: str, topic: str | None) -> RetrieveResponse:
        return await opened.retriever.retrieve(
            RetrieveRequest(question=question, topic_entity=topic, beam=beam, max_paths=max_paths)
        )

    if not options.with_answerer:
        yield System(retrieve, None)
        return
    async with language_models(options.graph) as models:
        cache = InMemoryTextCache(models.cache_entries)
        asker = Asker(opened.retriever, Rewriter(models.verbaliser, cache), models.qa_model)

        async def ask(question: str, topic: str | None) -> AskResponse:
            request = AskRequest(
                question=question, topic_entity=topic, format=options.format, beam=beam, max_paths=max_paths
            )
            return await asker.ask(request, request_id="evaluation")

        yield System(ask, models)


async def outcome(
    system: System,
    options: EvaluateOptions,
    record: QuestionRecord,
    tolerated: type[KGQAError] = TooManyPathsError,
) -> Outcome:
    """Ask one question. Raises KGQAError that is not `tolerated` as a failure; an unknown topic is an answer."""
    topic = record.topic if options.topic == "given" else None
    started = time.perf_counter()
    try:
        response = await system.respond(record.question, topic)
    except (UnknownEntityError, tolerated) as error:
        failed = not isinstance(error, UnknownEntityError)
        return unanswered(record, _ms_since(started), options.with_answerer, failed)
    return outcome_of(record, response, _ms_since(started))


def _names(options: EvaluateOptions) -> dict[str, str]:
    return {
        "graph": options.graph,
        "retriever": str(options.retriever),
        "questions_file": str(options.questions),
        "topic": options.topic,
        "format": options.format.value if options.with_answerer else "none",
    }


def _ms_since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
