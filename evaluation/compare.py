"""Runs a file of questions from every form of knowledge, and reports: what `kgqa evaluate --formats` does."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evaluation.fingerprint import of_models, of_retrieval
from evaluation.format_errors import Loss, losses
from evaluation.formats import Form, Outcomes, Tried, compare, sampled
from evaluation.formats_report import FormsReport, figures
from evaluation.in_process import Models, language_models, retrieval
from evaluation.run import Progress
from question_sets.records import read_questions
from services.rewriter.cache.memory import InMemoryTextCache
from services.rewriter.pipeline import Rewriter


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """What to compare. `sample`: so many questions, drawn by `seed`; `outcomes`: the file to keep each outcome in.

    `qa_model`, `base`: names on the servers of the answerer and the rewriter; see `language_models`.
    """

    graph: str
    retriever: Path
    questions: Path
    forms: tuple[Form, ...]
    outcomes: Path
    topic: Literal["given", "linked"]
    qa_model: str | None
    base: str | None
    beam: int
    max_paths: int
    sample: int | None
    seed: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """The figures, and the questions behind those that are not perfect."""

    report: FormsReport
    losses: list[Loss]


async def compare_forms(options: CompareOptions, progress: Progress) -> Comparison:
    """Ask every question from every form, one at a time.

    Goes on where it was broken off. Raises NotFoundError or InvalidInputError for a graph, model or file that is
    missing or damaged, DependencyError if a language model stays away.
    """
    records = sampled(read_questions(options.questions), options.sample, options.seed)
    async with (
        retrieval(options.graph, options.retriever) as opened,
        language_models(options.graph, options.qa_model, options.base) as models,
    ):
        rewriter, with_topic = Rewriter(models.verbaliser, InMemoryTextCache(0)), options.topic == "given"
        tried = Tried(
            opened.retriever, rewriter, models.base, models.qa_model, options.beam, options.max_paths, with_topic
        )
        with Outcomes(options.outcomes, _compared(options, await opened.store.version(), models)) as outcomes:
            await compare(records, options.forms, tried, outcomes, progress)
    numbers = [number for number, _ in records]
    asked = [outcome for form in options.forms for outcome in outcomes.of(numbers, form)]
    report = figures(outcomes, numbers, options.forms, _described(options, models))
    return Comparison(report, losses(asked, outcomes.of(numbers, Form.TRIPLES), dict(records)))


def _compared(options: CompareOptions, graph_version: str, models: Models) -> dict[str, str]:
    """All that an outcome depends on."""
    return {
        **of_retrieval(graph_version, options.retriever, options.questions),
        **of_models(options.graph, models),
        "topic": options.topic,
        "beam": str(options.beam),
        "paths": str(options.max_paths),
    }


def _described(options: CompareOptions, models: Models) -> dict[str, str]:
    return {
        "graph": options.graph,
        "retriever": str(options.retriever),
        "questions_file": str(options.questions),
        "sample": f"{options.sample} by seed {options.seed}" if options.sample else "all",
        "topic": options.topic,
        "beam": str(options.beam),
        "max_paths": str(options.max_paths),
        "rewriter_model": models.verbaliser.name,
        "base_model": models.base.name,
        "qa_model": models.qa_model.name,
    }
