"""Define the JSON messages of `POST /ask`."""

from typing import Any

from pydantic import Field, ValidationInfo, field_validator

from contracts.answers import Answer, AnswerType, Evidence, ReplyWarning
from contracts.base import (
    DEFAULT_BEAM,
    DEFAULT_MAX_EVIDENCE,
    DEFAULT_MAX_PATHS,
    Among,
    Beam,
    Contract,
    CostOfWrong,
    EntityName,
    GraphName,
    MaxEvidence,
    MaxPaths,
    Means,
    MinConfidence,
    Probability,
    QuestionText,
    Strategy,
    Text,
    config,
)
from contracts.examples import ASK_EXAMPLE
from contracts.plans import QueryPlan
from contracts.retrieve import Alternative, Clarification, Hops, ScoredPath, TopicEntity
from contracts.rewrite import KnowledgeFormat, TokenUsage
from shared.triple import Triple


class AskRequest(Contract):
    """A question in plain language.

    Attributes:
        means: Which nodes names of the question mean, by their ids, as choices of a `clarification` have them.
        among: The ids of the only nodes that the question asks about, such as earlier answers; by default, all nodes.
        max_evidence: The maximum number of items of evidence in the reply.
        min_confidence: The confidence below which the system abstains; by default, it follows from the cost.
        cost_of_wrong: How many right answers a wrong one outweighs; by default, what the API key or the service says.
        explain: Whether the reply includes the query that ran in the graph store.
        strategy: How to look for answers; see `docs/concepts/strategies.md`.
        graph: The name of the graph to ask; by default, the only one, or the first one that the caller may ask.
    """

    model_config = config(question="Which countries border France?", explain=True, cost_of_wrong=1)

    question: QuestionText
    topic_entity: EntityName | None = None
    means: Means = Field(default={})
    among: Among = ()
    format: KnowledgeFormat = KnowledgeFormat.TEXT
    beam: Beam = DEFAULT_BEAM
    max_paths: MaxPaths = DEFAULT_MAX_PATHS
    max_evidence: MaxEvidence = DEFAULT_MAX_EVIDENCE
    min_confidence: MinConfidence | None = None
    cost_of_wrong: CostOfWrong | None = None
    explain: bool = False
    strategy: Strategy = Strategy.PLAN
    graph: GraphName | None = None

    @field_validator("cost_of_wrong")
    @classmethod
    def _without_min_confidence(cls, cost: float | None, info: ValidationInfo) -> float | None:
        if cost is not None and info.data.get("min_confidence") is not None:
            raise ValueError("leave it out, or leave out min_confidence, which says the same in another way")
        return cost


class Timings(Contract):
    """Duration of each step, in milliseconds."""

    link: float
    retrieve: float
    rewrite: float
    answer: float
    total: float


class Citation(Contract):
    """A place in an answer at which an item of evidence is cited.

    Attributes:
        evidence: The index of the item in the reply's `evidence`; its mark is this index plus one, in brackets.
        at: The number of characters (Unicode code points) of `answer` before the mark.
    """

    evidence: int
    at: int


class AskResponse(Contract):
    """The answer to a question, with its evidence and confidence.

    Attributes:
        answer: A sentence: the QA model's text, or one that grammar writes.
        cited_answer: `answer` with marks, such as `[1]` for the first item of `evidence`, behind what an item supports.
        citations: Where the marks are, in the order of the text.
        answer_type: What the answers are; null if the system abstained.
        answers: The answer set, in the order of the graph.
        columns: The names of the columns, if the answer has several.
        rows: The rows, if the answer has several columns. A node is its name.
        truncated: Whether the answer set contains more answers than are listed.
        confidence: Probability that the answer set is correct.
        alternatives: Other readings of the question. If `abstained`, the best reading is among them.
        unread: The words of the question that the plan does not account for.
        trusted: The name of the trusted question that answers, if one does.
        plan: The plan that produced the answers; null if there are none.
        hops: The predicted number of hops; null for the reply of a plan, which predicts none.
        evidence: What supports the answers.
        omitted_evidence: The number of further items of evidence.
        warnings: What the reader should know.
        degraded: The parts that failed or were unavailable.
        usage: Tokens that the texts and the answer took.
        strategy: The strategy that answered, or whose readings are listed if the system abstained.
        strategy_reason: Why this strategy.
        said: What the owner of the graph calls the elements in the reply, by their stored names.
        clarification: What to ask whoever asked, since a name stands for several things; null if the names are clear.
    """

    model_config = config(**ASK_EXAMPLE)

    answer: str
    cited_answer: Text = ""
    citations: list[Citation] = Field(default=[])
    answer_type: AnswerType | None
    answers: list[Answer]
    columns: list[str]
    rows: list[list[Any]]
    truncated: bool
    confidence: Probability
    abstained: bool
    alternatives: list[Alternative]
    unread: list[str] = Field(default=[])
    trusted: str | None = None
    plan: QueryPlan | None
    topic_entities: list[TopicEntity]
    hops: Hops | None
    relation_paths: list[ScoredPath]
    evidence: list[Evidence]
    omitted_evidence: int
    warnings: list[ReplyWarning]
    degraded: list[str]
    usage: TokenUsage = TokenUsage()
    strategy: Strategy = Strategy.PLAN
    strategy_reason: Text = ""
    said: dict[str, str] = Field(default={})
    clarification: Clarification | None = None
    timings_ms: Timings
    request_id: str


class CitedEvidence(Contract):
    """The evidence that a citation of a chat reply refers to.

    Attributes:
        question: The question that was answered.
        answers: The answers that the evidence supports.
        text: A text that states the facts.
        triples: The facts. Empty if the answer follows from the absence of facts.
        omitted: The number of further matches that are not listed.
        plan: The plan that found the answers, on one line.
    """

    question: str
    answers: list[str]
    text: Text
    triples: list[Triple]
    omitted: int = 0
    plan: str | None = None
