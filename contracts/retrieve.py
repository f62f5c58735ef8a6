"""Define the JSON messages of `POST /retrieve`."""

from typing import Any

from pydantic import Field

from contracts.answers import Answer, AnswerType, Evidence, EvidenceTriples, ReplyWarning
from contracts.base import (
    DEFAULT_BEAM,
    DEFAULT_MAX_PATHS,
    Among,
    Beam,
    Contract,
    EntityName,
    GraphName,
    GraphScope,
    MaxPaths,
    Means,
    MinConfidence,
    Probability,
    QuestionText,
    Strategy,
    Text,
    config,
)
from contracts.plans import QueryPlan


class TopicEntity(Contract):
    """An entity that the question may be about.

    Attributes:
        id: The store's id of the entity.
        detail: What tells the entity apart from other candidates with the same name; null if it is not needed.
        mention: The part of the question that names the entity, if any.
    """

    entity: str
    id: str
    detail: str | None = None
    mention: str | None
    score: Probability


class Hops(Contract):
    """Prediction of the number of hops (RRA eq. 1-4), which only relation paths make.

    `probabilities[h]` is P(h) for h = 0..H; 0 hops means that the graph cannot answer the question.
    """

    predicted: int = Field(ge=0)
    probabilities: list[Probability]


class ScoredPath(Contract):
    """A relation path that starts at the chosen topic entity and exists in the graph.

    The best path's `score` is the confidence. The other scores are proportional to the product of the topic entity's
    link score and the probabilities of the path's relations and of stopping after them (RRA eq. 15).
    """

    relations: list[str]
    score: Probability


class Alternative(Contract):
    """Another reading of the question: a topic entity, a relation path from it, and a preview of what it reaches.

    Attributes:
        plan: The reading as a query plan, on one line.
        score: The probability of the reading.
        answers: The first names that it reaches, at most three.
        more: The number of further answers.
        steps: The plan as JSON, which `POST /plan` accepts.
    """

    plan: str
    topic_entity: str
    relations: list[str]
    score: Probability
    answers: list[str]
    more: int
    steps: list[dict[str, Any]] = Field(default=[])


class Choice(Contract):
    """One of several things that a question may be about.

    Attributes:
        text: What it is, as people tell it from the others.
        means: What to ask the question again with, as `means`, if this is meant.
    """

    text: Text
    means: Means


class Clarification(Contract):
    """What to ask whoever asked, since a name of the question stands for several things, and nothing tells which."""

    question: Text
    choices: list[Choice]


class RetrieveRequest(Contract):
    """Request for the reasoning paths of a question; the retriever finds the topic entity if none is given.

    Attributes:
        means: Which nodes names of the question mean, by their ids; by default, any nodes with these names.
        among: The ids of the only nodes that the question asks about, such as earlier answers; by default, all nodes.
        min_confidence: The confidence below which there is no answer; by default, the thresholds of the models.
        is_default_confidence: Whether `min_confidence` is the default of a service. Strategies without a calibrated
            confidence, if the request names one, and paper mode then keep their own thresholds.
        graph: The name of the graph; by default, the first one that the retriever serves.
        scope: Conditions that limit what is visible of the graph.
    """

    model_config = config(question="Which countries border France?", beam=3, max_paths=5)

    question: QuestionText
    topic_entity: EntityName | None = None
    means: Means = Field(default={})
    among: Among = ()
    beam: Beam = DEFAULT_BEAM
    max_paths: MaxPaths = DEFAULT_MAX_PATHS
    min_confidence: MinConfidence | None = None
    is_default_confidence: bool = False
    explain: bool = False
    strategy: Strategy = Strategy.PLAN
    graph: GraphName | None = None
    scope: GraphScope = ()


class RetrieveResponse(Contract):
    """Answers and evidence that the graph contains for a question, best relation path first.

    Attributes:
        answers: The answer set. Empty if the confidence is too low.
        other_answers: Answers of other readings with a probability of at least 1%, best first.
        hops: The predicted number of hops; null for the reply of a plan, which predicts none.
        evidence: In the order in which `answers` and then `other_answers` refer to it; the first `max_paths` items are
            for the QA model.
        plan: The plan that produced the answers; null if there are none.
        confidence: Probability that the answer set is correct.
        alternatives: Up to three other readings with a probability of at least 1%. If there are no answers, the most
            probable reading comes first.
        truncated: Whether the graph contains more answers than are listed.
        warnings: What the reader of the answers should know.
        answer_type: What the answers are; null if there are none.
        columns: The names of the columns, if the answer has several.
        rows: The rows, if the answer has several columns. A node is its name.
        plan_evidence: What supports the answers, if their plan is not a relation path; `evidence` is then empty.
        unread: The words of the question that the plan does not account for.
        durations: The keys of the properties in the plan that hold durations.
        trusted: The name of the trusted question that answers, if one does.
        strategy: The strategy that answered, or whose readings are listed if there are no answers.
        strategy_reason: Why this strategy.
        said: What the owner of the graph calls the elements in the reply, by their stored names.
        clarification: What to ask back; null if the names of the question are clear.
    """

    topic_entities: list[TopicEntity]
    hops: Hops | None
    relation_paths: list[ScoredPath]
    answers: list[Answer]
    other_answers: list[Answer]
    evidence: list[EvidenceTriples]
    plan: QueryPlan | None
    confidence: Probability
    alternatives: list[Alternative]
    truncated: bool
    warnings: list[ReplyWarning]
    graph_version: str
    link_ms: float
    retrieve_ms: float
    answer_type: AnswerType | None = None
    columns: list[str] = Field(default=[])
    rows: list[list[Any]] = Field(default=[])
    plan_evidence: list[Evidence] = Field(default=[])
    unread: list[str] = Field(default=[])
    durations: list[str] = Field(default=[])
    trusted: str | None = None
    strategy: Strategy = Strategy.PLAN
    strategy_reason: Text = ""
    said: dict[str, str] = Field(default={})
    clarification: Clarification | None = None
