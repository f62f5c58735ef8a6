"""Define the arguments and results of the tools. They are shorter than in the HTTP API: agents pay by the word."""

from typing import Annotated, Any

from pydantic import Field, SerializerFunctionWrapHandler, WithJsonSchema, model_serializer

from contracts.base import Contract, CostOfWrong, EntityName, GraphName, Means, QuestionText
from contracts.plans import PlanRequest
from contracts.retrieve import Clarification
from graph.plan.algebra import Plan
from graph.plan.limits import MAX_PATH_LENGTH, MAX_PATHS

DEFAULT_MAX_EVIDENCE, MAX_MAX_EVIDENCE = 5, 50
DEFAULT_MAX_ROWS, MAX_MAX_ROWS = 100, 1000
_PLAN_SCHEMA = PlanRequest.model_json_schema()["properties"]["plan"]

MaxEvidence = Annotated[
    int,
    Field(ge=0, le=MAX_MAX_EVIDENCE, strict=True, description="How many items of evidence the result lists, at most."),
]


Graph = Annotated[
    GraphName | None, Field(description="The graph to ask, if there are several; by default, the first one.")
]


class AskArguments(Contract):
    """Arguments of the tool `ask`."""

    question: Annotated[QuestionText, Field(description="One whole question, with names as the graph spells them.")]
    topic_entity: Annotated[
        EntityName | None, Field(description="The entity that the question is about, if its name is ambiguous.")
    ] = None
    means: Annotated[
        Means, Field(description="Which nodes names of the question mean, as a choice of `clarification` has it.")
    ] = Field(default={})
    max_evidence: MaxEvidence = DEFAULT_MAX_EVIDENCE
    cost_of_wrong: Annotated[
        CostOfWrong | None,
        Field(
            description="How many right answers a wrong one outweighs, such as 10 if nobody checks the answer, or 1 if "
            "someone does; answers below a confidence of c / (1 + c) are withheld."
        ),
    ] = None
    graph: Graph = None


class PlanArguments(Contract):
    """Arguments of the tool `plan`."""

    plan: Annotated[
        Plan,
        WithJsonSchema(_PLAN_SCHEMA),
        Field(description='`{"steps": [...]}`, such as `plan_steps` of the tool `ask`; kgqa://guide has examples.'),
    ]
    max_rows: Annotated[
        int, Field(ge=1, le=MAX_MAX_ROWS, strict=True, description="A result with more rows is an error.")
    ] = DEFAULT_MAX_ROWS
    max_evidence: MaxEvidence = DEFAULT_MAX_EVIDENCE
    graph: Graph = None


class ConnectArguments(Contract):
    """Arguments of the tool `connect`."""

    source: Annotated[EntityName, Field(description="The name of one entity, as the graph spells it.")]
    target: Annotated[EntityName, Field(description="The name of the other entity.")]
    relations: Annotated[
        tuple[EntityName, ...], Field(max_length=50, description="The relationship types to follow; by default, all.")
    ] = ()
    max_length: Annotated[
        int, Field(ge=1, le=MAX_PATH_LENGTH, strict=True, description="The most relationships of a path.")
    ] = 4
    limit: Annotated[int, Field(ge=1, le=MAX_PATHS, strict=True, description="The most paths.")] = 3
    graph: Graph = None


class SchemaArguments(Contract):
    """Arguments of the tool `schema`."""

    kinds: Annotated[
        tuple[EntityName, ...],
        Field(max_length=50, description="Describe only these kinds of nodes, in more detail; by default, the graph."),
    ] = ()
    graph: Graph = None


class EvidenceArguments(Contract):
    """Arguments of the tool `evidence`."""

    id: Annotated[str, Field(min_length=1, max_length=64, description="The `id` of an item of evidence.")]


class ListedAnswer(Contract):
    """An answer: a node with its `id` and `kind`, or a value. `detail` tells nodes with the same name apart."""

    value: Any
    id: str | None
    kind: str | None
    detail: str | None


class ListedEvidence(Contract):
    """The support of an answer, as a text; the tool `evidence` returns the facts behind an `id`."""

    id: str
    text: str


class Reading(Contract):
    """Another reading of the question, its probability, and the first names that it finds."""

    plan: str
    score: float
    answers: list[str]


class AskResult(Contract):
    """Result of the tool `ask`.

    Attributes:
        answer: The answer in words, or "I don't know."
        abstained: Whether the graph does not have the answer, or it is not certain enough; `warnings` says so then, and
            `alternatives` has readings to ask back with.
        confidence: Probability that `answers` is correct.
        truncated: Whether there are more answers or rows than are listed.
        unread: Words of the question that the answer ignores; a reason to doubt it.
        trusted: The name that the owner of the graph gave to this question, and vouches for.
        clarification: What to ask whoever wants to know, since a name stands for several entities. Ask again with the
            `means` of their choice.
        plan: How the answers were found, on one line, and as the argument of the tool `plan`: `plan_steps`.
    """

    answer: str
    abstained: bool
    confidence: float
    answers: list[ListedAnswer]
    columns: list[str]
    rows: list[list[Any]]
    truncated: bool
    unread: list[str]
    trusted: str | None
    clarification: Clarification | None
    warnings: list[str]
    evidence: list[ListedEvidence]
    alternatives: list[Reading]
    plan: str | None
    plan_steps: list[dict[str, Any]]


class PlanResult(Contract):
    """Result of the tool `plan`: all rows, or an error. A node is `{"id", "name", "kinds"}`."""

    plan: str
    columns: list[str]
    rows: list[list[Any]]
    warnings: list[str]
    evidence: list[ListedEvidence]


class ListedPath(Contract):
    """A path from one entity to the other: as a text, and with the id of its facts for the tool `evidence`.

    `degrees` says how many relationships each node between the ends has: a node with very many connects almost all.
    """

    text: str
    degrees: list[int]
    evidence: str


class ConnectResult(Contract):
    """Result of the tool `connect`.

    Attributes:
        paths: The shortest paths, those through nodes with few relationships first; none if nothing connects the two
            entities within `max_length` relationships.
        namesakes: How many other entities have the name of the source, and of the target; paths lead between any of up
            to three that have a name.
    """

    paths: list[ListedPath]
    namesakes: tuple[int, int]


class _Summary(Contract):
    """Part of a schema; `means` says what its owner wrote down, and is left out if that is nothing."""

    means: str = ""

    @model_serializer(mode="wrap")
    def _without_nothing(self, serialised: SerializerFunctionWrapHandler) -> dict[str, Any]:
        found: dict[str, Any] = serialised(self)
        return {name: value for name, value in found.items() if value or name != "means"}


class PropertySummary(_Summary):
    """A property: its type in plans, how many nodes or relationships have it, and some values."""

    type: str
    count: int
    samples: list[Any]


class KindSummary(_Summary):
    """The nodes of a kind; `named_by` is the property with their names."""

    count: int
    named_by: str | None
    properties: dict[str, PropertySummary]


class RelationshipSummary(_Summary):
    """The relationships of a type; `connects` has the kinds at their sources and targets."""

    count: int
    connects: list[tuple[str, str]]
    properties: dict[str, PropertySummary]


class SchemaResult(Contract):
    """Result of the tool `schema`: the most frequent kinds and types, and how many are left out.

    `graphs` has the names of all graphs, the default one first, if there are several.
    """

    kinds: dict[str, KindSummary]
    relationships: dict[str, RelationshipSummary]
    kinds_left_out: int
    relationships_left_out: int
    graphs: tuple[str, ...] = ()
