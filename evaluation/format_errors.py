"""The questions that the QA model gets wrong from a form of knowledge, and why: RRA's harmful cases explained."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from pydantic import BaseModel, ConfigDict
from rapidfuzz import fuzz

from evaluation.formats import TEXTS, Form, FormOutcome
from question_sets.records import QuestionRecord
from services.answerer.prompts import I_DO_NOT_KNOW
from shared.exact_match import named
from shared.text import normalise

_ALIKE = 70.0


class Why(StrEnum):
    """The first reason that holds, in this order; `LACKING` can be told of the forms that are a model's text alone."""

    UNKNOWN = "the QA model answers what the graph does not know"
    LACKING = "the knowledge does not name the answer"
    SILENT = "the QA model says that it does not know"
    MISSPELT = "the QA model does not spell the answer as the knowledge does"
    BESIDE = "the QA model names another entity of the knowledge"
    OTHER = "the QA model says something else"


class Loss(BaseModel):
    """A question that goes wrong from `form`. `harmful`: it goes well from triples, where those were asked from."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: str
    form: Form
    why: Why
    harmful: bool | None
    answers: tuple[str, ...]
    said: str
    said_from_triples: str
    knowledge: str


def losses(
    outcomes: Sequence[FormOutcome], from_triples: Sequence[FormOutcome], records: Mapping[int, QuestionRecord]
) -> list[Loss]:
    """The outcomes that go wrong, in their order; `records` by their number in the file of questions."""
    triples = {outcome.number: outcome for outcome in from_triples}
    return [
        _loss(outcome, records[outcome.number], triples.get(outcome.number)) for outcome in outcomes if not outcome.hit
    ]


def _loss(outcome: FormOutcome, record: QuestionRecord, triples: FormOutcome | None) -> Loss:
    return Loss(
        question=outcome.question,
        form=outcome.form,
        why=_why(outcome, record.answers),
        harmful=triples.hit if triples and outcome.form is not Form.TRIPLES else None,
        answers=record.answers,
        said=outcome.said,
        said_from_triples=triples.said if triples else "",
        knowledge=outcome.knowledge,
    )


def _why(outcome: FormOutcome, answers: Sequence[str]) -> Why:
    if not answers:
        return Why.UNKNOWN
    if outcome.form in TEXTS and not named(outcome.knowledge, answers):
        return Why.LACKING
    if not outcome.said or normalise(outcome.said) == normalise(I_DO_NOT_KNOW):
        return Why.SILENT
    # Either within the other: a name may be cut short, and a text name several.
    said = normalise(outcome.said)
    if any(fuzz.partial_ratio(said, normalise(answer)) >= _ALIKE for answer in answers):
        return Why.MISSPELT
    return Why.BESIDE if said in normalise(outcome.knowledge) else Why.OTHER
