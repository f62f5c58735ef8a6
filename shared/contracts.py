"""The JSON that services exchange and that `POST /ask` answers with.

Every model forbids unknown fields, so that a misspelt option is an error and not a silent default.
"""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from shared.invisible import VISIBLE
from shared.triple import Triple

MAX_QUESTION_CHARACTERS = 1000
MAX_NAME_CHARACTERS = 500
# K and M of the paper.
DEFAULT_BEAM, MAX_BEAM = 3, 10
DEFAULT_MAX_PATHS, MAX_MAX_PATHS = 5, 50

Question = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_QUESTION_CHARACTERS), VISIBLE
]
EntityName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_NAME_CHARACTERS), VISIBLE
]
# A constraint of any length makes lone surrogates an error: no encoder could write them.
Text = Annotated[str, StringConstraints(min_length=0)]
Probability = Annotated[float, Field(ge=0.0, le=1.0)]


class Contract(BaseModel):
    """Base of everything that travels between services."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


def _example(**fields: Any) -> ConfigDict:
    return ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, json_schema_extra={"examples": [fields]})


class KnowledgeFormat(StrEnum):
    """How evidence is put before the QA model (RRA, section 5; YAML: Bridging the Gap)."""

    TEXT = "text"
    TEMPLATE = "template"
    TRIPLES = "triples"
    YAML = "yaml"
    NONE = "none"


class TopicEntity(Contract):
    """An entity that the question may be about. `mention`: the words of the question that name it, if any."""

    entity: str
    mention: str | None
    score: Probability


class Hops(Contract):
    """Hop prediction (RRA eq. 1-4). `probabilities[h]` is P(h) for h = 0..H; 0 means: the graph can't answer it."""

    predicted: int = Field(ge=0)
    probabilities: list[Probability]


class ScoredPath(Contract):
    """A relation path that the graph has, from the chosen topic entity.

    `score`: of the best one the confidence, of the others in proportion, by the topic entity's link score x the
    probabilities of the path's relations and of stopping after them (RRA eq. 15).
    """

    relations: list[str]
    score: Probability


class Reading(Contract):
    """What else a question may mean: a topic entity, a relation path from it, and how likely that is."""

    topic_entity: str
    relations: list[str]
    score: Probability


class Answer(Contract):
    """An entity that the graph reaches, with the indexes of the evidence that shows it."""

    entity: str
    score: Probability
    evidence: list[int]


def answer_set(answers: list[Answer]) -> list[str]:
    """The entities with the top score, in order: what the best relation path reaches."""
    return [answer.entity for answer in answers if answer.score == answers[0].score]


class EvidenceTriples(Contract):
    """Reasoning paths that share all but their last triple, as one list of facts without repeats."""

    triples: list[Triple] = Field(min_length=1, max_length=2000)


class Evidence(EvidenceTriples):
    """Facts with their verbalisation; `text` is empty where the facts were not put before the QA model."""

    text: str


class RetrieveRequest(Contract):
    """Question in, reasoning paths out. Without `topic_entity` the topic is linked from the question."""

    model_config = _example(question="Which countries border France?", beam=3, max_paths=5)

    question: Question
    topic_entity: EntityName | None = None
    beam: int = Field(default=DEFAULT_BEAM, ge=1, le=MAX_BEAM, strict=True)
    max_paths: int = Field(default=DEFAULT_MAX_PATHS, ge=1, le=MAX_MAX_PATHS, strict=True)


class RetrieveResponse(Contract):
    """What the graph holds for the question, best relation path first.

    `answers`: those with the top score are the answer set, the others belong to other readings. `evidence` is ordered
    as the answers use it; the first `max_paths` items are meant for the QA model. `confidence`: the probability that
    the answer set is right; where it is too low, there are no answers. `next_best`: up to three other readings that
    are likely by one per cent or more; without answers, the best ones. `truncated`: the graph reaches more answers
    than are listed.
    """

    topic_entities: list[TopicEntity]
    hops: Hops
    relation_paths: list[ScoredPath]
    answers: list[Answer]
    evidence: list[EvidenceTriples]
    confidence: Probability
    next_best: list[Reading]
    truncated: bool
    graph_version: str
    link_ms: float
    retrieve_ms: float


class RewriteRequest(Contract):
    """Evidence in, text out: one text for each item, in the same order."""

    model_config = _example(
        evidence=[{"triples": [{"subject": "France", "relation": "capital", "object": "Paris"}]}],
        format="text",
        graph_version="0",
    )

    evidence: list[EvidenceTriples] = Field(max_length=50)
    format: KnowledgeFormat = KnowledgeFormat.TEXT
    graph_version: Text = ""


class RewriteResponse(Contract):
    """`texts[i]` verbalises `evidence[i]`; `degraded` names what had to be done without.

    `cached` counts the texts from the cache, `by_template` those that a template had to say in the model's place.
    """

    texts: list[str]
    degraded: list[str]
    cached: int
    by_template: int = 0


class AskRequest(Contract):
    """A question in plain language."""

    model_config = _example(question="Which countries border France?")

    question: Question
    topic_entity: EntityName | None = None
    format: KnowledgeFormat = KnowledgeFormat.TEXT
    beam: int = Field(default=DEFAULT_BEAM, ge=1, le=MAX_BEAM, strict=True)
    max_paths: int = Field(default=DEFAULT_MAX_PATHS, ge=1, le=MAX_MAX_PATHS, strict=True)


class Timings(Contract):
    """Milliseconds that each step took."""

    link: float
    retrieve: float
    rewrite: float
    answer: float
    total: float


class AskResponse(Contract):
    """The answer, what supports it, and how sure the system is.

    `answer` is the QA model's text. `answers` is grounded in the graph: those with the top score are the answer set,
    those of other readings that are likely by one per cent or more follow. `truncated`: the set is longer than what is
    listed. `confidence`: the probability that the answer set is right. `next_best`: what else the question may mean; if
    `abstained`, all that it may.
    """

    answer: str
    answers: list[Answer]
    truncated: bool
    confidence: Probability
    abstained: bool
    next_best: list[Reading]
    topic_entities: list[TopicEntity]
    hops: Hops
    relation_paths: list[ScoredPath]
    evidence: list[Evidence]
    degraded: list[str]
    timings_ms: Timings
    request_id: str


class Problem(BaseModel):
    """An error as RFC 9457 problem+json."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    request_id: str
    errors: list[dict[str, str]] = []
