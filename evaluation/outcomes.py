"""What came of one question: the system's answer beside the gold record."""

from dataclasses import dataclass

from evaluation.metrics import strict_hit
from question_sets.records import QuestionRecord
from shared.contracts import AskResponse, RetrieveResponse, answer_set
from shared.exact_match import exact

_NOT_THE_MODELS_TEXT = {"qa_model", "unsupported_answer"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question's outcome. `answers`: the answer set; `text`: the QA model's text, None if it was not asked for.

    `in_evidence`: whether a gold answer occurs in the evidence. `confidence`: the probability, by the system, that the
    answer set is right. `next_best`: the relation path of the likeliest other reading. `failed`: the system could not
    answer for want of something that it depends on.
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

    @property
    def is_right(self) -> bool:
        """Whether the top answer is a gold one (strict hit@1); a failure is wrong, even where silence is right."""
        return not self.failed and strict_hit(self.answers, self.record.answers)

    @property
    def abstained(self) -> bool:
        """Whether the system chose not to answer, other than by failing."""
        return not self.answers and not self.failed


def outcome_of(record: QuestionRecord, response: AskResponse | RetrieveResponse, ms: float) -> Outcome:
    """The outcome of a question that took `ms` milliseconds."""
    return Outcome(
        record=record,
        topic=response.topic_entities[0].entity if response.topic_entities else None,
        hops=response.hops.predicted,
        path=tuple(response.relation_paths[0].relations) if response.relation_paths else (),
        answers=tuple(answer_set(response.answers)),
        text=_model_text(response),
        ms=ms,
        confidence=response.confidence,
        in_evidence=_in_evidence(record, response),
        next_best=tuple(response.next_best[0].relations) if response.next_best else (),
        degraded=() if isinstance(response, RetrieveResponse) else tuple(response.degraded),
    )


def unanswered(record: QuestionRecord, ms: float, with_text: bool, failed: bool = False) -> Outcome:
    """The outcome of a question that the system refused, such as one whose topic the graph does not have."""
    return Outcome(
        record, topic=None, hops=-1, path=(), answers=(), text="" if with_text else None, ms=ms, failed=failed
    )


def _in_evidence(record: QuestionRecord, response: AskResponse | RetrieveResponse) -> bool:
    shown = {exact(end) for item in response.evidence for t in item.triples for end in (t.subject, t.object)}
    return any(exact(answer) in shown for answer in record.answers)


def _model_text(response: AskResponse | RetrieveResponse) -> str | None:
    if isinstance(response, RetrieveResponse):
        return None
    return "" if _NOT_THE_MODELS_TEXT & set(response.degraded) else response.answer
