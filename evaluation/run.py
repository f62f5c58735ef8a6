"""Ask the questions of a file, one at a time, and report: with the whole pipeline, or to compare formats of knowledge.

Shards are independent processes with a journal each, such as the pods of an indexed Kubernetes Job
(k8s/components/evaluation). Their figures are merged when every question has an outcome.
"""

import time
from collections import Counter
from collections.abc import Awaitable, Callable, Container, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from evaluation.error_analysis import FormatError, PipelineError, format_errors, pipeline_errors
from evaluation.fingerprint import model_fingerprint, retrieval_fingerprint
from evaluation.formats import ComparedFormat, FormatOutcome, FormatPipeline
from evaluation.in_process import Pipeline, open_pipeline
from evaluation.options import EvaluationOptions, OutputFiles
from evaluation.outcomes import NumberedOutcome, Outcome, outcome_of, unanswered
from evaluation.report import FormatsReport, Report, summarize, summarize_formats
from question_sets.journal import Journal, Shard
from question_sets.records import QuestionRecord, draw_sample, read_questions
from services.answerer.pipeline import Asker
from services.rewriter.cache.memory import InMemoryTextCache
from services.rewriter.pipeline import Rewriter
from shared.contracts import AskRequest, AskResponse, RetrieveRequest, RetrieveResponse
from shared.errors import KGQAError, TooManyPathsError, UnknownEntityError

_BLOCK = 10

Key = TypeVar("Key")
Result = TypeVar("Result")
Progress = Callable[[int, int], None]
"""Receives the number of finished questions, and of all."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The figures, and the questions that were answered wrong."""

    report: Report | FormatsReport
    errors: Sequence[PipelineError | FormatError]

    def write(self, files: OutputFiles) -> None:
        """Write the report, and the errors if a file is named for them."""
        files.report.write_text(self.report.model_dump_json(indent=2) + "\n", encoding="utf-8")
        if files.errors:
            files.errors.write_text("".join(f"{e.model_dump_json()}\n" for e in self.errors), encoding="utf-8")

    def error_counts(self) -> list[str]:
        """Return lines such as `9 wrong: path wrong`, most frequent first; none for answers without knowledge."""
        counts = Counter(
            error.label
            for error in self.errors
            if isinstance(error, PipelineError) or error.form is not ComparedFormat.NONE
        )
        return [f"{count:,} {label}" for label, count in counts.most_common()]


async def evaluate(options: EvaluationOptions, progress: Progress) -> Evaluation:
    """Ask every question. A question for which a dependency fails counts as failed.

    Raises:
        NotFoundError: the graph, the retriever, or the question file does not exist.
        InvalidInputError: one of them is damaged.
    """
    questions = list(enumerate(read_questions(options.questions)))
    async with _open(options) as pipeline:
        ask = partial(_ask, _respond_by(pipeline, options), options, KGQAError)
        results: list[NumberedOutcome] = []
        await ask_all(questions, {options.format: ask}, (), results.append, progress)
        return await _evaluation([result.outcome for result in results], pipeline, options)


async def evaluate_shard(options: EvaluationOptions, shard: Shard, journals: Path, progress: Progress) -> None:
    """Ask the questions of one shard that its journal does not hold yet.

    Args:
        options: what to evaluate.
        shard: which questions to ask.
        journals: base path of the shards' journals.
        progress: called after each question.

    Raises:
        NotFoundError: the graph, the retriever, or the question file does not exist.
        InvalidInputError: one of them is damaged, or the journal is that of another evaluation.
        DependencyError: a dependency failed. The outcomes so far are kept; the same call resumes from them.
    """
    questions = shard.part(list(enumerate(read_questions(options.questions))))
    async with _open(options) as pipeline:
        ask = partial(_ask, _respond_by(pipeline, options), options, TooManyPathsError)
        with Journal(shard.file(journals), await _shard_fingerprint(options, pipeline), NumberedOutcome) as journal:
            finished = {(line.number, options.format) for line in journal}
            await ask_all(questions, {options.format: ask}, finished, journal.add, progress)


async def merge_shards(options: EvaluationOptions, shards: int, journals: Path) -> Evaluation:
    """Return the figures of all shards. Raises InvalidInputError for a shard that is not finished."""
    numbers = range(len(read_questions(options.questions)))
    outcomes: dict[int, Outcome] = {}
    async with _open(options) as pipeline:
        fingerprint = await _shard_fingerprint(options, pipeline)
        for shard in Shard.all(shards):
            with Journal(shard.existing_file(journals), fingerprint, NumberedOutcome) as journal:
                outcomes |= {line.number: line.outcome for line in journal}
            shard.require_finished(sum(number not in outcomes for number in shard.part(numbers)))
        return await _evaluation([outcomes[number] for number in numbers], pipeline, options)


async def compare_formats(
    options: EvaluationOptions,
    formats: Sequence[ComparedFormat],
    journal_file: Path,
    progress: Progress,
    *,
    qa_model: str | None = None,
    base_model: str | None = None,
    sample: int | None = None,
    seed: int = 0,
) -> Evaluation:
    """Ask every question once with its knowledge in each format; resume from the journal.

    Args:
        options: what to evaluate; `format`, `with_answerer`, and `threshold` do not apply.
        formats: the formats to compare.
        journal_file: the journal of outcomes.
        progress: called after each outcome.
        qa_model: name of the QA model on its server; by default the answerer's.
        base_model: name of the rewriter's model without its adapter; by default the embedded one.
        sample: ask this many questions, drawn by `seed`; by default all.
        seed: seed of the sample.

    Raises:
        NotFoundError: the graph, the retriever, or the question file does not exist.
        InvalidInputError: one of them is damaged, or the journal is that of another comparison.
        DependencyError: a language model failed. The outcomes so far are kept.
    """
    questions = draw_sample(read_questions(options.questions), sample, seed)
    names = {"qa_model": qa_model, "base_model": base_model}
    async with open_pipeline(options.graph, options.retriever, **names) as pipeline:
        models = pipeline.models
        assert models is not None
        rewriter = Rewriter(models.rewriter, InMemoryTextCache(0))
        system = FormatPipeline(pipeline.retriever, rewriter, models.base, models.qa, options)
        settings = {"topic": options.topic, "beam": str(options.beam), "paths": str(options.max_paths)}
        fingerprint = await _fingerprint(options, pipeline) | settings
        with Journal(journal_file, fingerprint, FormatOutcome) as journal:
            await ask_in_formats(questions, formats, system, journal, progress)
            outcomes = {(line.number, line.form): line for line in journal}
    described = {
        "graph": options.graph,
        "retriever": str(options.retriever),
        "questions_file": str(options.questions),
        "sample": f"{sample} by seed {seed}" if sample else "all",
        "topic": options.topic,
        "beam": str(options.beam),
        "max_paths": str(options.max_paths),
        "rewriter_model": models.rewriter.name,
        "base_model": models.base.name,
        "qa_model": models.qa.name,
    }
    by_format = {
        form: [outcomes[number, form] for number, _ in questions if (number, form) in outcomes]
        for form in ComparedFormat
    }
    wrong = [outcome for form in formats for outcome in by_format[form]]
    return Evaluation(
        summarize_formats(by_format, formats, described),
        format_errors(wrong, by_format[ComparedFormat.TRIPLES], dict(questions)),
    )


async def ask_in_formats(
    questions: Sequence[tuple[int, QuestionRecord]],
    formats: Sequence[ComparedFormat],
    pipeline: FormatPipeline,
    journal: Journal[FormatOutcome],
    progress: Progress,
) -> None:
    """Ask each question in each format, unless the journal holds the outcome. Raises as `compare_formats`."""
    systems = {form: partial(pipeline.ask, form) for form in formats}
    finished = {(line.number, line.form) for line in journal}
    await ask_all(questions, systems, finished, journal.add, progress)


async def ask_all(
    questions: Sequence[tuple[int, QuestionRecord]],
    systems: Mapping[Key, Callable[[int, QuestionRecord], Awaitable[Result]]],
    finished: Container[tuple[int, Key]],
    keep: Callable[[Result], None],
    progress: Progress,
) -> None:
    """Put each question to each system, one at a time.

    A system is asked a block of questions before the next one, because a language model server caches what it computed
    for recent prompts, and two systems often put the same prompt for a question.

    Args:
        questions: the questions with their numbers in the file.
        systems: the systems by key.
        finished: numbers and keys to skip.
        keep: receives each result.
        progress: called after each question and system.
    """
    steps = 0
    for first in range(0, len(questions), _BLOCK):
        for key, ask in systems.items():
            for number, record in questions[first : first + _BLOCK]:
                if (number, key) not in finished:
                    keep(await ask(number, record))
                steps += 1
                progress(steps // len(systems), len(questions))


Respond = Callable[[QuestionRecord], Awaitable[AskResponse | RetrieveResponse]]


def _open(options: EvaluationOptions) -> AbstractAsyncContextManager[Pipeline]:
    return open_pipeline(
        options.graph, options.retriever, threshold=options.threshold, with_models=options.with_answerer
    )


def _respond_by(pipeline: Pipeline, options: EvaluationOptions) -> Respond:
    """Return the function that puts a question to the whole pipeline, or without models to the retriever."""
    models = pipeline.models
    if models is None:
        return lambda record: pipeline.retriever.retrieve(RetrieveRequest(**options.request(record)))
    rewriter = Rewriter(models.rewriter, InMemoryTextCache(models.cache_entries))
    asker = Asker(pipeline.retriever, rewriter, models.qa)
    return lambda record: asker.ask(
        AskRequest(**options.request(record), format=options.format), request_id="evaluation"
    )


async def _ask(
    respond: Respond, options: EvaluationOptions, tolerated: type[KGQAError], number: int, record: QuestionRecord
) -> NumberedOutcome:
    """Ask one question. An unknown topic is an outcome; a `tolerated` error is a failure; other errors propagate."""
    started = time.perf_counter()
    try:
        response = await respond(record)
    except (UnknownEntityError, tolerated) as error:
        is_failure = not isinstance(error, UnknownEntityError)
        outcome = unanswered(record, _ms_since(started), options.with_answerer, is_failure)
    else:
        outcome = outcome_of(record, response, _ms_since(started))
    return NumberedOutcome(number=number, outcome=outcome)


def _ms_since(started: float) -> float:
    return (time.perf_counter() - started) * 1000


async def _evaluation(outcomes: list[Outcome], pipeline: Pipeline, options: EvaluationOptions) -> Evaluation:
    described = {
        "graph": options.graph,
        "retriever": str(options.retriever),
        "questions_file": str(options.questions),
        "topic": options.topic,
        "format": options.format.value if options.with_answerer else "none",
    }
    errors = await pipeline_errors(outcomes, pipeline.store, pipeline.walk_rule)
    return Evaluation(summarize(outcomes, described), errors)


async def _shard_fingerprint(options: EvaluationOptions, pipeline: Pipeline) -> dict[str, str]:
    settings = {name: str(value) for name, value in asdict(options).items() if name not in ("retriever", "questions")}
    return settings | await _fingerprint(options, pipeline)


async def _fingerprint(options: EvaluationOptions, pipeline: Pipeline) -> dict[str, str]:
    """Identify what every outcome depends on."""
    retrieval = retrieval_fingerprint(await pipeline.store.version(), options.retriever, options.questions)
    return retrieval | (model_fingerprint(options.graph, pipeline.models) if pipeline.models else {})
