"""Define the JSON messages that services exchange and that `POST /ask` returns.

Every model forbids unknown fields, so a misspelled option raises an error instead of silently selecting the default.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    TypeAdapter,
    WithJsonSchema,
    model_validator,
)

from contracts.examples import ASK_EXAMPLE, PLAN_EXAMPLE
from graph.plan.algebra import Plan, Step
from graph.plan.result import DEFAULT_MAX_ROWS
from graph.plan.value_text import value_text
from graph.plan.values import to_json
from shared.paths import GRAPH_NAME_PATTERN
from shared.text import PLAIN, VISIBLE
from shared.triple import Triple

MAX_QUESTION_CHARACTERS = 1000
MAX_NAME_CHARACTERS = 500
# The paper calls these K and M.
DEFAULT_BEAM, MAX_BEAM = 3, 10
DEFAULT_MAX_PATHS, MAX_MAX_PATHS = 5, 50
MAX_MAX_ROWS = 10_000
DEFAULT_MAX_EVIDENCE, MAX_MAX_EVIDENCE = 50, 500


def _stripped(max_length: int) -> StringConstraints:
    return StringConstraints(strip_whitespace=True, min_length=1, max_length=max_length)


Question = Annotated[str, _stripped(MAX_QUESTION_CHARACTERS), VISIBLE, PLAIN]
FeedbackAnswer = (
    Annotated[bool, Field(strict=True)]
    | Annotated[int, Field(strict=True)]
    | Annotated[float, Field(strict=True, allow_inf_nan=False)]
    | Annotated[str, _stripped(MAX_NAME_CHARACTERS), VISIBLE]
)
EntityName = Annotated[str, _stripped(MAX_NAME_CHARACTERS), VISIBLE]
# Conditions such as `Document.tenant = 42`; `graph.scope_conditions` reads them.
GraphScope = Annotated[
    tuple[Annotated[str, StringConstraints(min_length=1, max_length=500)], ...], Field(max_length=20)
]
GraphName = Annotated[str, StringConstraints(pattern=f"^{GRAPH_NAME_PATTERN}$")]
# Pydantic rejects lone surrogates, which cannot be encoded, only in fields with a length constraint.
Text = Annotated[str, StringConstraints(min_length=0)]
Probability = Annotated[float, Field(ge=0.0, le=1.0)]
MinConfidence = Annotated[float, Field(ge=0.0, le=1.0, strict=True)]
Beam = Annotated[int, Field(ge=1, le=MAX_BEAM, strict=True)]
MaxRows = Annotated[int, Field(ge=1, le=MAX_MAX_ROWS, strict=True)]
MaxEvidence = Annotated[int, Field(ge=0, le=MAX_MAX_EVIDENCE, strict=True)]
MaxPaths = Annotated[int, Field(ge=1, le=MAX_MAX_PATHS, strict=True)]


def _config(**example: Any) -> ConfigDict:
    config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)
    return config | ConfigDict(json_schema_extra={"examples": [example]}) if example else config


class Contract(BaseModel):
    """Base class of all messages between services."""

    model_config = _config()


class KnowledgeFormat(StrEnum):
    """Format in which the QA model sees the evidence (RRA, section 5; YAML is from Bridging the Gap)."""

    TEXT = "text"
    TEMPLATE = "template"
    TRIPLES = "triples"
    YAML = "yaml"
    NONE = "none"


class Strategy(StrEnum):
    """A way in which the retriever looks for answers; `auto` tries the available ones, cheapest first."""

    AUTO = "auto"
    PLAN = "plan"
    NEIGHBOURHOOD = "neighbourhood"
    CYPHER = "cypher"
    DENSE = "dense"


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
    """Prediction of the number of hops (RRA eq. 1-4).

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
    steps: list[dict[str, Any]] = []


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


class ExecutedQuery(Contract):
    """The query that ran in the graph store, in SQL or Cypher, with its parameters."""

    text: str
    parameters: dict[str, Any]

    @classmethod
    def of(cls, text: str, parameters: Mapping[str, Any]) -> "ExecutedQuery":
        """Describe a query whose parameters are values."""
        return cls(text=text, parameters={name: to_json(value) for name, value in parameters.items()})


class QueryPlan(Contract):
    """The plan that produced the answers.

    Attributes:
        text: The plan on one line, for people.
        steps: The plan as JSON, which `POST /plan` accepts.
        query: The query that ran; null unless the request asks for an explanation.
    """

    text: str
    steps: list[dict[str, Any]]
    query: ExecutedQuery | None = None


# Kinds of warnings about a text of the language model that something else replaced.
UNSUPPORTED_ANSWER, UNFAITHFUL_TEXT = "unsupported_answer", "unfaithful_text"
# The kind of the warning that says why the strategy `cypher` gave up.
NO_QUERY = "no_query"
# The kind of the warning that says why the strategy `auto` left one out, and what to do about it.
STRATEGY_UNAVAILABLE = "strategy_unavailable"
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


class RetrieveRequest(Contract):
    """Request for the reasoning paths of a question; the retriever finds the topic entity if none is given.

    Attributes:
        graph: The name of the graph; by default, the first one that the retriever serves.
        scope: Conditions that limit what is visible of the graph.
    """

    model_config = _config(question="Which countries border France?", beam=3, max_paths=5)

    question: Question
    topic_entity: EntityName | None = None
    beam: Beam = DEFAULT_BEAM
    max_paths: MaxPaths = DEFAULT_MAX_PATHS
    min_confidence: MinConfidence | None = None
    explain: bool = False
    strategy: Strategy = Strategy.PLAN
    graph: GraphName | None = None
    scope: GraphScope = ()


class RetrieveResponse(Contract):
    """Answers and evidence that the graph contains for a question, best relation path first.

    Attributes:
        answers: The answer set. Empty if the confidence is too low.
        other_answers: Answers of other readings with a probability of at least 1%, best first.
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
    """

    topic_entities: list[TopicEntity]
    hops: Hops
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
    columns: list[str] = []
    rows: list[list[Any]] = []
    plan_evidence: list[Evidence] = []
    unread: list[str] = []
    durations: list[str] = []
    trusted: str | None = None
    strategy: Strategy = Strategy.PLAN
    strategy_reason: Text = ""


# Tools that read an OpenAPI document handle recursive schemas poorly: some generate requests for minutes.
_PLAN_SCHEMA = {
    "type": "object",
    "description": "Steps in the order in which they run; docs/reference/query-plans.md defines each step.",
    "required": ["steps"],
    "properties": {
        "steps": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["op"],
                "properties": {"op": {"enum": list(TypeAdapter(Step).json_schema()["discriminator"]["mapping"])}},
            },
        }
    },
}


class FeedbackRequest(Contract):
    """Correct an answer: give the right answers, or the right plan, which may be the plan of the reply.

    Answers that are an empty list say that the graph does not have the answer.
    """

    model_config = _config(question="How many countries border Germany?", answers=[9])

    question: Question
    answers: Annotated[list[FeedbackAnswer], Field(max_length=1000)] | None = None
    plan: Annotated[Plan, WithJsonSchema(_PLAN_SCHEMA)] | None = None
    graph: GraphName | None = None

    @model_validator(mode="after")
    def _says_something(self) -> "FeedbackRequest":
        if self.answers is None and self.plan is None:
            raise ValueError("give `answers`, or the `plan` that finds them")
        return self


class FeedbackResponse(Contract):
    """Confirmation that feedback was kept for the next training."""

    kept: bool


class PlanRequest(Contract):
    """A query plan to run on the graph; see `docs/reference/query-plans.md`."""

    model_config = _config(plan=PLAN_EXAMPLE, max_rows=1000)

    plan: Annotated[Plan, WithJsonSchema(_PLAN_SCHEMA)]
    max_rows: MaxRows = DEFAULT_MAX_ROWS
    max_evidence: MaxEvidence = DEFAULT_MAX_EVIDENCE
    graph: GraphName | None = None


class ScopedPlanRequest(PlanRequest):
    """A query plan to run on the part of a graph that is visible within a scope; between services only."""

    scope: GraphScope = ()


class PlanResponse(Contract):
    """The result of a query plan.

    Attributes:
        plan: The plan on one line, for people.
        columns: The names of the columns.
        rows: The rows, in an order that does not depend on the store. A node is `{"id", "name", "kinds"}`, a
            relationship `{"id", "type"}`, a date `{"date": "1996-08-01"}`, and a missing value null.
        answer_type: `entities` for one column of nodes, `values` for one column of values, `number` or `boolean` for a
            single value, and `rows` for everything else.
        evidence: What supports the rows.
        row_evidence: For each row, the indexes of its evidence.
        warnings: What the reader should know, such as rows that tie with the last one within a limit.
        query: The query that ran.
    """

    plan: str
    columns: list[str]
    rows: list[list[Any]]
    answer_type: AnswerType
    evidence: list[Evidence]
    row_evidence: list[list[int]]
    warnings: list[ReplyWarning]
    query: ExecutedQuery
    graph_version: str
    run_ms: float


class RewriteRequest(Contract):
    """Request for one text per item of evidence, in the same order."""

    model_config = _config(
        evidence=[{"triples": [{"subject": "France", "relation": "capital", "object": "Paris"}]}],
        format="text",
        graph_version="0",
    )

    evidence: list[EvidenceTriples] = Field(max_length=50)
    format: KnowledgeFormat = KnowledgeFormat.TEXT
    graph_version: Text = ""


class TokenUsage(Contract):
    """Tokens that language models read and wrote for a reply, as their servers count them; 0 if they do not."""

    prompt_tokens: int = Field(default=0, ge=0)
    completion_tokens: int = Field(default=0, ge=0)


class RewriteResponse(Contract):
    """Texts in the order of the request: `texts[i]` verbalises `evidence[i]`.

    Attributes:
        text: One text that verbalises all the evidence, which states each fact once.
        degraded: Components that the rewriter did without because they were unavailable.
        cached: Number of texts that came from the cache.
        by_template: Number of texts for which grammar replaced the model's output.
        usage: Tokens that the texts took; texts from the cache take none.
    """

    texts: list[str]
    text: str = ""
    degraded: list[str]
    cached: int
    by_template: int = 0
    usage: TokenUsage = TokenUsage()


class AskRequest(Contract):
    """A question in plain language.

    Attributes:
        max_evidence: The maximum number of items of evidence in the reply.
        min_confidence: The confidence below which the system abstains; by default, the threshold of the retriever.
        explain: Whether the reply includes the query that ran in the graph store.
        strategy: How to look for answers; see `docs/concepts/strategies.md`.
        graph: The name of the graph to ask; by default, the only one, or the first one that the caller may ask.
    """

    model_config = _config(question="Which countries border France?", explain=True)

    question: Question
    topic_entity: EntityName | None = None
    format: KnowledgeFormat = KnowledgeFormat.TEXT
    beam: Beam = DEFAULT_BEAM
    max_paths: MaxPaths = DEFAULT_MAX_PATHS
    max_evidence: MaxEvidence = DEFAULT_MAX_EVIDENCE
    min_confidence: MinConfidence | None = None
    explain: bool = False
    strategy: Strategy = Strategy.PLAN
    graph: GraphName | None = None


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
        evidence: What supports the answers.
        omitted_evidence: The number of further items of evidence.
        warnings: What the reader should know.
        degraded: The parts that failed or were unavailable.
        usage: Tokens that the texts and the answer took.
        strategy: The strategy that answered, or whose readings are listed if the system abstained.
        strategy_reason: Why this strategy.
    """

    model_config = _config(**ASK_EXAMPLE)

    answer: str
    cited_answer: Text = ""
    citations: list[Citation] = []
    answer_type: AnswerType | None
    answers: list[Answer]
    columns: list[str]
    rows: list[list[Any]]
    truncated: bool
    confidence: Probability
    abstained: bool
    alternatives: list[Alternative]
    unread: list[str] = []
    trusted: str | None = None
    plan: QueryPlan | None
    topic_entities: list[TopicEntity]
    hops: Hops
    relation_paths: list[ScoredPath]
    evidence: list[Evidence]
    omitted_evidence: int
    warnings: list[ReplyWarning]
    degraded: list[str]
    usage: TokenUsage = TokenUsage()
    strategy: Strategy = Strategy.PLAN
    strategy_reason: Text = ""
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
