"""Attribute each wrong answer to a pipeline step, or to a knowledge format (the harmful cases in RRA)."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from pydantic import BaseModel
from rapidfuzz import fuzz

from evaluation.formats import ComparedFormat, FormatOutcome
from evaluation.outcomes import Outcome
from graph.store import GraphStore, RelationPath, WalkRule
from question_sets.records import QuestionRecord
from services.answerer.prompts import I_DO_NOT_KNOW
from shared.exact_match import exact, named
from shared.text import normalise

_SIMILAR = 70.0


class Cause(StrEnum):
    """Name the cause of a wrong top answer. If several causes apply, the first one in this order counts."""

    FAILED = "a dependency failed"
    ANSWERED = "answered an unanswerable question"
    GRAPH = "the graph lacks the answer"
    LINKED = "wrong topic entity"
    SILENT = "abstained"
    PLAN = "wrong query plan"
    PATH = "wrong relation path"
    ORDER = "another answer ranked first"


class FormatCause(StrEnum):
    """Name the cause of a wrong answer by the QA model. If several causes apply, the first one in this order counts.

    `LACKING` applies only to formats whose text a language model writes.
    """

    UNKNOWN = "the QA model answers an unanswerable question"
    LACKING = "the knowledge does not name the answer"
    SILENT = "the QA model says that it does not know"
    MISSPELT = "the QA model spells the answer differently from the knowledge"
    BESIDE = "the QA model names another entity from the knowledge"
    OTHER = "the QA model says something else"


class PipelineError(BaseModel):
    """Describe a question whose top answer is not a gold answer.

    If the system abstained, `predicted` and `confidence` describe the best interpretation that it rejected.
    """

    question: str
    why: Cause
    topic: str | None
    linked: str | None
    path: RelationPath | None
    predicted: RelationPath
    confidence: float
    answers: tuple[str, ...]
    answered: tuple[str, ...]


class FormatError(BaseModel, extra="forbid", frozen=True):
    """Describe a question that the QA model answers incorrectly when its knowledge is in the format `form`.

    `harmful` is True if the QA model answers the question correctly from triples, and None if triples were not tried.
    """

    question: str
    form: ComparedFormat
    why: FormatCause
    harmful: bool | None
    answers: tuple[str, ...]
    said: str
    said_from_triples: str
    knowledge: str


async def pipeline_errors(outcomes: Sequence[Outcome], store: GraphStore, rule: WalkRule) -> list[PipelineError]:
    """Describe each outcome that is not a strict hit, with its cause, in order; `rule` is the retriever's walk rule."""
    return [
        PipelineError(
            question=outcome.record.question,
            why=_cause(outcome, await _is_answered_by_graph(outcome.record, store, rule)),
            topic=outcome.record.topic,
            linked=outcome.topic,
            path=outcome.record.path,
            predicted=outcome.path or outcome.next_best,
            confidence=round(outcome.confidence, 4),
            answers=outcome.record.answers,
            answered=outcome.answers,
        )
        for outcome in outcomes
        if not outcome.is_correct
    ]


def _cause(outcome: Outcome, is_answered_by_graph: bool) -> Cause:
    record = outcome.record
    if outcome.failed:
        return Cause.FAILED
    if not record.answers:
        return Cause.ANSWERED
    if not is_answered_by_graph:
        return Cause.GRAPH
    if record.topic is not None and outcome.topic != record.topic:
        return Cause.LINKED
    if not outcome.answers:
        return Cause.SILENT
    if not outcome.path:
        return Cause.PLAN  # no path answered
    return Cause.PATH if outcome.path != record.path else Cause.ORDER


async def _is_answered_by_graph(record: QuestionRecord, store: GraphStore, rule: WalkRule) -> bool:
    """Return whether the gold path leads from the gold topic to a gold answer; True if the path or topic is unknown."""
    if record.topic is None or not record.path:
        return True
    [matches] = await store.entities_named([record.topic])
    starts = [(match.entity, record.path) for match in matches]
    walks = await store.walk(starts, rule) if starts else []
    gold = {exact(answer) for answer in record.answers}
    return any(walk.unfinished or any(exact(end.entity.name) in gold for end in walk.reached) for walk in walks)


def format_errors(
    outcomes: Iterable[FormatOutcome], from_triples: Iterable[FormatOutcome], records: Mapping[int, QuestionRecord]
) -> list[FormatError]:
    """Describe each outcome that is not a hit, with its cause, in order; `records` are keyed by question number."""
    triples = {outcome.number: outcome for outcome in from_triples}
    return [
        FormatError(
            question=outcome.question,
            form=outcome.form,
            why=_format_cause(outcome, records[outcome.number].answers),
            harmful=other.hit if other and outcome.form is not ComparedFormat.TRIPLES else None,
            answers=records[outcome.number].answers,
            said=outcome.said,
            said_from_triples=other.said if other else "",
            knowledge=outcome.knowledge,
        )
        for outcome in outcomes
        for other in [triples.get(outcome.number)]
        if not outcome.hit
    ]


def _format_cause(outcome: FormatOutcome, answers: Sequence[str]) -> FormatCause:
    if not answers:
        return FormatCause.UNKNOWN
    if outcome.form.is_model_text and not named(outcome.knowledge, answers):
        return FormatCause.LACKING
    said = normalise(outcome.said)
    if not outcome.said or said == normalise(I_DO_NOT_KNOW):
        return FormatCause.SILENT
    # Compare substrings, because the text may abbreviate a name or contain several names.
    if any(fuzz.partial_ratio(said, normalise(answer)) >= _SIMILAR for answer in answers):
        return FormatCause.MISSPELT
    return FormatCause.BESIDE if said in normalise(outcome.knowledge) else FormatCause.OTHER
