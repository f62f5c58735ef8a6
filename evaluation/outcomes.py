"""Record the system's answer to a question together with the question's gold record."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from contracts.answers import UNFAITHFUL_TEXT, UNSUPPORTED_ANSWER, answer_names
from contracts.ask import AskResponse
from contracts.retrieve import RetrieveResponse
from evaluation.gold_tables import has_gold_rows
from evaluation.metrics import strict_hit
from graph.plan.value_text import value_text
from question_sets.records import QuestionRecord
from shared.exact_match import exact

_CONFIDENT = 0.8
_TRUTH = {"true": "yes", "false": "no"}
_DECIMAL = re.compile(r"-?\d+\.\d+")
_REPLACEMENTS = (UNSUPPORTED_ANSWER, UNFAITHFUL_TEXT)
# If a response has one of these, its answer is not the QA model's own text.
_REPLACED_TEXT = {"qa_model", UNSUPPORTED_ANSWER}


@dataclass(frozen=True, slots=True)
class Outcome:
    """Record the system's answer to one question; answering took `ms` milliseconds.

    Attributes:
        text: the QA model's own text; empty if the service replaced it, None if the model was not asked.
        in_evidence: whether a gold answer occurs in the evidence.
        failed: whether there is no answer because a dependency failed.
        degraded: the parts that the response lists as unavailable or replaced, such as `qa_model`.
        hops: the most probable number of hops; 0 for the reply of a plan, which predicts none.
        next_best: the relation path of the most likely alternative interpretation.
        is_exact: whether the whole answer set is right, or a column of the table; all rows if there is a gold table.
    """

    record: QuestionRecord
    topic: str | None
    hops: int
    path: tuple[str, ...]
    answers: tuple[str, ...]
    text: str | None
    ms: float
    confidence: float = 0.0
    in_evidence: bool = False
    failed: bool = False
    degraded: tuple[str, ...] = ()
    next_best: tuple[str, ...] = ()
    is_exact: bool = False

    @property
    def is_confidently_wrong(self) -> bool:
        """Return whether the system gave wrong answers with a high confidence."""
        return bool(self.answers) and not self.is_exact and self.confidence >= _CONFIDENT

    @property
    def is_correct(self) -> bool:
        """Return whether the top answer is a gold answer (strict hit@1). A failure is never a correct abstention."""
        return not self.failed and strict_hit(self.answers, self.record.answers)

    @property
    def abstained(self) -> bool:
        """Return whether the system chose not to answer. A failure does not count as an abstention."""
        return not self.answers and not self.failed


class NumberedOutcome(BaseModel, extra="forbid", frozen=True):
    """Pair an outcome with the question's number in the file, from 0, as one line of a journal."""

    number: int
    outcome: Outcome


def outcome_of(record: QuestionRecord, response: AskResponse | RetrieveResponse, ms: float) -> Outcome:
    """Build the outcome of a question whose response took `ms` milliseconds."""
    asked = None if isinstance(response, RetrieveResponse) else response
    shown = {exact(end) for item in response.evidence for t in item.triples for end in (t.subject, t.object)}
    replaced = tuple(one.kind for one in asked.warnings if one.kind in _REPLACEMENTS) if asked else ()
    degraded = (*asked.degraded, *replaced) if asked else ()
    return Outcome(
        record=record,
        topic=response.topic_entities[0].entity if response.topic_entities else None,
        hops=response.hops.predicted if response.hops else 0,
        path=tuple(response.relation_paths[0].relations) if response.relation_paths else (),
        answers=_answers(record, response),
        text=("" if _REPLACED_TEXT & set(degraded) else asked.answer) if asked else None,
        ms=ms,
        confidence=response.confidence,
        in_evidence=any(exact(answer) in shown for answer in record.answers),
        degraded=degraded,
        next_best=tuple(response.alternatives[0].relations) if response.alternatives else (),
        is_exact=_is_exact(record, response),
    )


def _answers(record: QuestionRecord, response: AskResponse | RetrieveResponse) -> tuple[str, ...]:
    """Return the answers; true and false are `yes` and `no` if the gold answer is one of these."""
    answers = answer_names(response.answers)
    gold = {exact(one) for one in record.answers}
    if len(answers) == 1 and gold and gold <= set(_TRUTH.values()):
        return (_TRUTH.get(exact(answers[0]), answers[0]),)
    return tuple(answers)


def _is_exact(record: QuestionRecord, response: AskResponse | RetrieveResponse) -> bool:
    """Return whether the answers, or a column of the table, are the gold answers (execution accuracy).

    If the question has a gold table, the rows of the table have to be its rows.
    """
    answers = answer_names(response.answers)
    if record.rows and answers:
        return has_gold_rows(record.rows, response.rows)
    if not answers or not record.answers:
        return not answers and not record.answers
    path = response.relation_paths[0].relations if response.relation_paths else ()
    gold = {exact(one) for one in record.answers}
    columns = [{exact(value_text(row[place])) for row in response.rows} for place in range(len(response.columns))]
    is_said_otherwise = _is_rounded(record.answers, answers) or _is_truth(gold, answers)
    return record.is_answered_by(answers, path) or gold in columns or is_said_otherwise


def _is_truth(gold: Collection[str], answers: Sequence[str]) -> bool:
    """Return whether the gold answer is `yes` or `no`, and the answer is true or false."""
    return len(answers) == 1 and list(gold) == [_TRUTH.get(exact(answers[0]))]


def _is_rounded(gold: Sequence[str], answers: Sequence[str]) -> bool:
    """Return whether the gold answer is the answer, rounded to some decimal places."""
    if len(gold) != 1 or len(answers) != 1 or not _DECIMAL.fullmatch(gold[0]):
        return False
    places = len(gold[0].partition(".")[2])
    return bool(_DECIMAL.fullmatch(answers[0])) and round(float(answers[0]), places) == float(gold[0])


def unanswered(record: QuestionRecord, ms: float, with_text: bool, failed: bool = False) -> Outcome:
    """Build the outcome of a question without a response, such as a question whose topic is not in the graph."""
    return Outcome(
        record,
        topic=None,
        hops=-1,
        path=(),
        answers=(),
        text="" if with_text else None,
        ms=ms,
        failed=failed,
        is_exact=not record.answers and not failed,
    )
