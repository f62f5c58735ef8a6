"""Define answers, the evidence for them, and warnings, which several replies have."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from pydantic import Field

from contracts.base import Contract, Probability, Text
from graph.plan.value_text import value_text
from shared.triple import Triple


class Answer(Contract):
    """One answer, with the indexes of the evidence that supports it.

    Attributes:
        value: The name of a node exactly as the graph spells it, or a value.
        id: The store's id of the node; null for a value.
        kind: The kind of the node; null if the graph has no kinds.
        detail: What tells the node apart from others with the same name, such as `born 1956`; null if it is not needed.
    """

    value: Any
    id: str | None = None
    kind: str | None = None
    detail: str | None = None
    score: Probability
    evidence: list[int]

    def said_as(self, value: Any) -> "Answer":
        """Return the answer with another value."""
        return Answer(
            value=value, id=self.id, kind=self.kind, detail=self.detail, score=self.score, evidence=self.evidence
        )

    def supported_by(self, evidence: Sequence[int]) -> "Answer":
        """Return the answer with the indexes of other evidence."""
        return Answer(
            value=self.value, id=self.id, kind=self.kind, detail=self.detail, score=self.score, evidence=[*evidence]
        )


def answer_names(answers: Sequence[Answer]) -> list[str]:
    """Return the answers as text, in order."""
    return [value_text(answer.value) for answer in answers]


class AnswerType(StrEnum):
    """What the answer to a question, or the result of a plan, is."""

    ENTITIES = "entities"
    NUMBER = "number"
    BOOLEAN = "boolean"
    VALUES = "values"
    ROWS = "rows"
    PATHS = "paths"


# Kinds of warnings about a text of the language model that something else replaced.
UNSUPPORTED_ANSWER, UNFAITHFUL_TEXT = "unsupported_answer", "unfaithful_text"
# The kind of the warning that a name stands for several entities.
AMBIGUOUS_NAME = "ambiguous_name"
# The kind of the warning that says why the strategy `cypher` gave up.
NO_QUERY = "no_query"
# The kind of the warning that says why the strategy `auto` left one out, and what to do about it.
STRATEGY_UNAVAILABLE = "strategy_unavailable"
# The kind of the warning that a reading is no answer only because a wrong answer would cost too much.
WITHHELD = "withheld"
# What `degraded` lists, and the kind of the warning that says why, if the QA model fails.
QA_MODEL = "qa_model"


class ReplyWarning(Contract):
    """Something that the reader of a reply should know; `kind` is for programs, and `text` for people."""

    kind: str
    text: str


TRUNCATED = ReplyWarning(kind="truncated", text="The graph has more answers than the reply lists.")


class EvidenceTriples(Contract):
    """Reasoning paths that share all but their last triple, as one list of distinct facts."""

    triples: list[Triple] = Field(min_length=1, max_length=2000)


class Evidence(Contract):
    """What supports an answer or a row.

    Attributes:
        triples: The facts. Empty if the answer follows from the absence of facts.
        text: A text that states the facts, what was counted, and which patterns do not match.
        summary: What was counted or aggregated, with the first names, or the description of an entity; empty otherwise.
        omitted: The number of further matches that are not listed.
    """

    triples: list[Triple]
    text: Text
    summary: Text = ""
    omitted: int = 0
