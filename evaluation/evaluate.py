"""Runs a file of questions through the services' public functions, in process, and reports."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evaluation.mistakes import Mistake, mistakes
from evaluation.outcomes import Outcome, outcome_of, unanswered
from evaluation.report import Report, summarise
from evaluation.wiring import language_models, retrieval
from services.answerer.ask import Asker
from services.retriever.retrieve import Retriever
from services.rewriter.rewrite import Rewriter
from shared.cache.memory import InMemoryTextCache
from shared.contracts import (
    DEFAULT_BEAM,
    DEFAULT_MAX_PATHS,
    AskRequest,
    AskResponse,
    KnowledgeFormat,
    RetrieveRequest,
    RetrieveResponse,
)
from shared.errors import KGQAError, UnknownEntityError
from shared.questions import QuestionRecord, read_questions

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
        if options.with_answerer:
            async with _asker(opened.retriever, options.graph) as asker:
                outcomes = [o async for o in _run(_Asking(asker, options), records, options, progress)]
        else:
            outcomes = [o async for o in _run(_Retrieving(opened.retriever, options), records, options, progress)]
        wrong = await mistakes(outcomes, opened.store, opened.walk_rule)
    return Evaluation(summarise(outcomes, _names(options)), wrong)


class _Asking:
    """Questions through the whole pipeline."""

    def __init__(self, asker: Asker, options: EvaluateOptions) -> None:
        self._asker = asker
        self._options = options

    async def __call__(self, question: str, topic: str | None) -> AskResponse:
        chosen = self._options
        request = AskRequest(
            question=question,
            topic_entity=topic,
            format=chosen.format,
            beam=chosen.beam,
            max_paths=chosen.max_paths,
        )
        return await self._asker.ask(request, request_id="evaluation")


class _Retrieving:
    """Questions through the retriever alone."""

    def __init__(self, retriever: Retriever, options: EvaluateOptions) -> None:
        self._retriever = retriever
        self._options = options

    async def __call__(self, question: str, topic: str | None) -> RetrieveResponse:
        beam, max_paths = self._options.beam, self._options.max_paths
        request = RetrieveRequest(question=question, topic_entity=topic, beam=beam, max_paths=max_paths)
        return await self._retriever.retrieve(request)


async def _run(
    system: _Asking | _Retrieving, records: list[QuestionRecord], options: EvaluateOptions, progress: Progress
) -> AsyncIterator[Outcome]:
    for done, record in enumerate(records, 1):
        topic = record.topic if options.topic == "given" else None
        started = time.perf_counter()
        try:
            response = await system(record.question, topic)
        except KGQAError as error:
            failed = not isinstance(error, UnknownEntityError)
            yield unanswered(record, _ms_since(started), options.with_answerer, failed)
        else:
            yield outcome_of(record, response, _ms_since(started))
        progress(done, len(records))


@asynccontextmanager
async def _asker(retriever: Retriever, graph: str) -> AsyncIterator[Asker]:
    async with language_models(graph) as models:
        cache = InMemoryTextCache(models.cache_entries)
        yield Asker(retriever, Rewriter(models.verbaliser, cache), models.qa_model)


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
