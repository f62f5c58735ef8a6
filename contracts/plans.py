"""Define the JSON messages of `POST /plan`, and how replies describe the plan behind their answers."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, TypeAdapter, WithJsonSchema

from contracts.answers import AnswerType, Evidence, ReplyWarning
from contracts.base import DEFAULT_MAX_EVIDENCE, Contract, GraphName, GraphScope, MaxEvidence, MaxRows, config
from contracts.examples import PLAN_EXAMPLE
from graph.plan.algebra import Plan, Step
from graph.plan.result import DEFAULT_MAX_ROWS
from graph.plan.values import to_json


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


# Tools that read an OpenAPI document handle recursive schemas poorly: some generate requests for minutes.
PLAN_SCHEMA = {
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


def _only_steps(given: Any) -> Any:
    """Return the steps of a plan as replies have it; other data stays as it is."""
    if isinstance(given, QueryPlan):
        return {"steps": given.steps}
    if isinstance(given, Mapping) and {"text", "steps"} <= given.keys() <= QueryPlan.model_fields.keys():
        return {"steps": given["steps"]}
    return given


GivenPlan = Annotated[Plan, BeforeValidator(_only_steps), WithJsonSchema(PLAN_SCHEMA)]
"""A plan that a caller sends: its steps alone, or all that the reply of `POST /ask` has as its plan."""


class PlanRequest(Contract):
    """A query plan to run on the graph; see `docs/reference/query-plans.md`."""

    model_config = config(plan=PLAN_EXAMPLE, max_rows=1000)

    plan: GivenPlan
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
