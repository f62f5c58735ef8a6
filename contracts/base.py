"""Define what messages have in common: their base class, and the fields that several of them have.

Every model forbids unknown fields, so a misspelled option raises an error instead of silently selecting the default.
"""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from shared.cost_of_wrong import MAX_COST_OF_WRONG
from shared.paths import GRAPH_NAME_PATTERN
from shared.text import MAX_NAME_CHARACTERS, PLAIN, VISIBLE

MAX_QUESTION_CHARACTERS = 1000
# The paper calls these K and M.
DEFAULT_BEAM, MAX_BEAM = 3, 10
DEFAULT_MAX_PATHS, MAX_MAX_PATHS = 5, 50
MAX_MAX_ROWS = 10_000
DEFAULT_MAX_EVIDENCE, MAX_MAX_EVIDENCE = 50, 500


def stripped(max_length: int) -> StringConstraints:
    """Return the constraints of a text that is neither empty nor too long without the spaces around it."""
    return StringConstraints(strip_whitespace=True, min_length=1, max_length=max_length)


QuestionText = Annotated[str, stripped(MAX_QUESTION_CHARACTERS), VISIBLE, PLAIN]
EntityName = Annotated[str, stripped(MAX_NAME_CHARACTERS), VISIBLE]
# Conditions such as `Document.tenant = 42`; `graph.scope_conditions` reads them.
GraphScope = Annotated[
    tuple[Annotated[str, StringConstraints(min_length=1, max_length=500)], ...], Field(max_length=20)
]
NodeId = Annotated[str, StringConstraints(min_length=1, max_length=500)]
# The ids of the nodes that names of a question mean, by the names as the question has them.
Means = Annotated[dict[EntityName, NodeId], Field(max_length=20)]
# The ids of the only nodes that a question asks about.
Among = Annotated[tuple[NodeId, ...], Field(max_length=1000)]
GraphName = Annotated[str, StringConstraints(pattern=f"^{GRAPH_NAME_PATTERN}$")]
# Pydantic rejects lone surrogates, which cannot be encoded, only in fields with a length constraint.
Text = Annotated[str, StringConstraints(min_length=0)]
Probability = Annotated[float, Field(ge=0.0, le=1.0)]
MinConfidence = Annotated[float, Field(ge=0.0, le=1.0, strict=True)]
CostOfWrong = Annotated[float, Field(ge=0.0, le=MAX_COST_OF_WRONG, strict=True)]
Beam = Annotated[int, Field(ge=1, le=MAX_BEAM, strict=True)]
MaxRows = Annotated[int, Field(ge=1, le=MAX_MAX_ROWS, strict=True)]
MaxEvidence = Annotated[int, Field(ge=0, le=MAX_MAX_EVIDENCE, strict=True)]
MaxPaths = Annotated[int, Field(ge=1, le=MAX_MAX_PATHS, strict=True)]


def config(**example: Any) -> ConfigDict:
    """Return the configuration of a message, with an example for the OpenAPI document."""
    base = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)
    return base | ConfigDict(json_schema_extra={"examples": [example]}) if example else base


class Contract(BaseModel):
    """Base class of all messages between services."""

    model_config = config()


class Strategy(StrEnum):
    """A way in which the retriever looks for answers; `auto` tries the available ones, cheapest first."""

    AUTO = "auto"
    PLAN = "plan"
    NEIGHBOURHOOD = "neighbourhood"
    CYPHER = "cypher"
    DENSE = "dense"
