"""Ask the questions in a file, one at a time, to evaluate the whole pipeline or to compare knowledge formats.

Each shard of the questions has its own journal and runs in an independent process, such as a pod of an indexed
Kubernetes Job (k8s/components/evaluation). The shards can be merged once every question has an outcome.
"""

import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Container, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from contracts.ask import AskRequest, AskResponse
from contracts.retrieve import RetrieveRequest, RetrieveResponse
from evaluation.error_analysis import FormatError, PipelineError, format_errors, pipeline_errors
from evaluation.formats import ComparedFormat, FormatOutcome, FormatPipeline, by_format
from evaluation.gold_answers import with_gold_answers
from evaluation.in_process import LanguageModels, LoadedRetriever, open_language_models, open_retriever, run_fingerprint
from evaluation.options import EvaluationOptions, OutputFiles
from evaluation.outcomes import NumberedOutcome, Outcome, outcome_of, unanswered
from evaluation.report import FormatsReport, Report, summarise, summarise_formats
from question_sets.journal import Journal, Shard
from question_sets.records import QuestionRecord, draw_sample, read_questions
from services.answerer.pipeline import Asker
from services.rewriter.cache.memory import InMemoryTextCache
from services.rewriter.pipeline import Rewriter
from shared.errors import KGQAError, TooManyPathsError, UnknownEntityError

_BLOCK = 10

Key = TypeVar("Key")
Result = TypeVar("Result")
Numbered = tuple[int, QuestionRecord]
"""A question's number in the file, from 0, and its record."""
Progress = Callable[[int, int], None]
"""Receives the number of finished units and the total number."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Hold the report, and the questions that were answered incorrectly."""

    report: Report | FormatsReport
    errors: Sequence[PipelineError | FormatError]

    def write(self, files: OutputFiles) -> None:
        """Write the report, and the errors if `files` names a file for them."""
        files.report.write_text(self.report.model_dump_json(indent=2) + "\n", encoding="utf-8")
        if files.errors:
            files.errors.write_text("".join(f"{e.model_dump_json()}\n" for e in self.errors), encoding="utf-8")

    def error_counts(self) -> list[str]:
        """Return lines such as `9 errors: wrong relation path`, most frequent first, omitting the format `none`."""
        counts: Counter[str] = Counter()
        for error in self.errors:
            if isinstance(error, PipelineError):
                counts[f": {error.why}"] += 1
            elif error.form is not ComparedFormat.NONE:
                counts[f" with {error.form}: {error.why}"] += 1
        return [f"{count:,} error{'s' * (count != 1)}{label}" for label, count in counts.most_common()]


async def evaluate(options: EvaluationOptions, progress: Progress) -> Evaluation:
    """Ask every question. If a dependency fails for a question, the question counts as failed."""
    results: list[NumberedOutcome] = []
    async with _open(options) as system:
        questions = list(enumerate(await system.questions()))
        ask = {options.format: partial(system.ask, KGQAError)}
        await ask_all(questions, ask, (), results.append, progress)
        return await system.evaluation([result.outcome for result in results])


async def evaluate_shard(options: EvaluationOptions, shard: Shard, journals: Path, progress: Progress) -> None:
    """Ask the questions in one shard that are not in its journal yet; `journals` is the base path of all journals.

    Raises InvalidInputError if the journal belongs to a different evaluation, and DependencyError if a dependency
    fails. The journal keeps the outcomes so far; call this function again to resume.
    """
    async with _open(options) as system:
        questions = shard.part(list(enumerate(await system.questions())))
        with Journal(shard.file(journals), await system.fingerprint(), NumberedOutcome) as journal:
            finished = {(line.number, options.format) for line in journal}
            ask = {options.format: partial(system.ask, TooManyPathsError)}
            await ask_all(questions, ask, finished, journal.add, progress)


async def merge_shards(options: EvaluationOptions, shards: int, journals: Path, progress: Progress) -> Evaluation:
    """Merge the outcomes of all shards. Raises InvalidInputError if a shard is not finished."""
    numbers = range(len(read_questions(options.questions)))
    outcomes: dict[int, Outcome] = {}
    async with _open(options) as system:
        fingerprint = await system.fingerprint()
        for shard in Shard.all(shards):
            with Journal(shard.existing_file(journals), fingerprint, NumberedOutcome) as journal:
                outcomes |= {line.number: line.outcome for line in journal}
            shard.require_finished(sum(number not in outcomes for number in shard.part(numbers)))
            progress(shard.index + 1, shards)
        return await system.evaluation([outcomes[number] for number in numbers])


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
    """Ask every question, or a random `sample`, once in each knowledge format; resume from the journal if it exists.

    `format`, `with_answerer`, and `threshold` in the options do not apply. See `open_language_models` for the models.
    Raises InvalidInputError if the journal belongs to a different comparison, and DependencyError if a language model
    fails; the journal keeps the outcomes so far.
    """
    async with (
        open_retriever(options.graph, options.retriever) as loaded,
        open_language_models(options.graph, qa_model, base_model) as models,
    ):
        records = await with_gold_answers(loaded.store, read_questions(options.questions))
        questions = draw_sample(records, sample, seed)
        rewriter = Rewriter(models.rewriter, InMemoryTextCache(0))
        pipeline = FormatPipeline(loaded.retriever, rewriter, models.base, models.qa, options)
        settings = {"topic": options.topic, "beam": str(options.beam), "paths": str(options.max_paths)}
        fingerprint = await run_fingerprint(options, loaded, models) | settings
        with Journal(journal_file, fingerprint, FormatOutcome) as journal:
            finished = {(line.number, line.form) for line in journal}
            systems = {form: partial(pipeline.ask, form) for form in formats}
            await ask_all(questions, systems, finished, journal.add, progress)
    described = {
        "sample": f"{sample} by seed {seed}" if sample else "all",
        "beam": str(options.beam),
        "max_paths": str(options.max_paths),
        "rewriter_model": models.rewriter.name,
        "base_model": models.base.name,
        "qa_model": models.qa.name,
    }
    outcomes = by_format(journal, [number for number, _ in questions])
    asked = [outcome for form in formats for outcome in outcomes[form]]
    return Evaluation(
        summarise_formats(outcomes, formats, options.described() | described),
        format_errors(asked, outcomes[ComparedFormat.TRIPLES], dict(questions)),
    )


async def ask_all(
    questions: Sequence[Numbered],
    systems: Mapping[Key, Callable[[int, QuestionRecord], Awaitable[Result]]],
    finished: Container[tuple[int, Key]],
    keep: Callable[[Result], None],
    progress: Progress,
) -> None:
    """Ask each system each question, one at a time; skip the `finished` pairs of question number and system key.

    Each system in turn is asked a block of questions. Two systems often send the same prompt for a question, and in
    short blocks a language model server still has its results for that prompt cached. `progress` counts skipped
    questions too.
    """
    steps = 0
    for first in range(0, len(questions), _BLOCK):
        for key, ask in systems.items():
            for number, record in questions[first : first + _BLOCK]:
                if (number, key) not in finished:
                    keep(await ask(number, record))
                steps += 1
                progress(steps // len(systems), len(questions))


@dataclass(frozen=True, slots=True)
class _System:
    """Ask the whole pipeline, or only the retriever if there are no language models."""

    options: EvaluationOptions
    loaded: LoadedRetriever
    models: LanguageModels | None
    asker: Asker | None

    async def questions(self) -> list[QuestionRecord]:
        """Return the questions of the file, all with gold answers."""
        return await with_gold_answers(self.loaded.store, read_questions(self.options.questions))

    async def ask(self, tolerated: type[KGQAError], number: int, record: QuestionRecord) -> NumberedOutcome:
        """Ask one question. An unknown topic or a `tolerated` error becomes an outcome; other errors propagate."""
        started = time.perf_counter()
        try:
            response = await self._respond(record)
        except (UnknownEntityError, tolerated) as error:
            is_failure = not isinstance(error, UnknownEntityError)
            outcome = unanswered(record, _ms_since(started), self.asker is not None, is_failure)
        else:
            outcome = outcome_of(record, response, _ms_since(started))
        return NumberedOutcome(number=number, outcome=outcome)

    async def _respond(self, record: QuestionRecord) -> AskResponse | RetrieveResponse:
        request = self.options.request(record)
        if self.asker is None:
            return await self.loaded.retriever.retrieve(RetrieveRequest(**request))
        return await self.asker.ask(AskRequest(**request, format=self.options.format), request_id="evaluation")

    async def fingerprint(self) -> dict[str, str]:
        """Return values that identify everything an outcome depends on."""
        fields = asdict(self.options).items()
        settings = {name: str(value) for name, value in fields if name not in ("retriever", "questions")}
        return settings | await run_fingerprint(self.options, self.loaded, self.models)

    async def evaluation(self, outcomes: Sequence[Outcome]) -> Evaluation:
        """Compute the report and the errors from all outcomes."""
        described = {"format": self.options.format.value if self.asker else "none"}
        errors = await pipeline_errors(outcomes, self.loaded.store, self.loaded.walk_rule)
        return Evaluation(summarise(outcomes, self.options.described() | described), errors)


@asynccontextmanager
async def _open(options: EvaluationOptions) -> AsyncIterator[_System]:
    async with (
        open_retriever(options.graph, options.retriever, options.threshold) as loaded,
        open_language_models(options.graph) if options.with_answerer else nullcontext() as models,
    ):
        asker = None
        if models is not None:
            rewriter = Rewriter(models.rewriter, InMemoryTextCache(models.cache_entries))
            asker = Asker(loaded.retriever, rewriter, models.qa)
        yield _System(options, loaded, models, asker)


def _ms_since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
