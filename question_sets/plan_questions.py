"""Hold questions with the plans that they ask for, over one or many schemas, and store them as JSON Lines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from graph.plan.algebra import Plan
from graph.plan.checks import check_plan
from graph.plan.directions import refuse_impossible_relationships
from graph.plan.schema import GraphSchema
from graph.plan.unknown_properties import refuse_unknown_properties
from question_sets.records import open_text
from shared.errors import InvalidInputError, NotFoundError


@dataclass(frozen=True, slots=True)
class PlanQuestion:
    """Pair a question with its plan; `schema` names the schema of the plan, `source` the set that it comes from."""

    __pydantic_config__ = ConfigDict(extra="forbid")
    question: str
    plan: Plan
    schema: str
    source: str
    type: Literal["question"] = "question"


@dataclass(frozen=True)
class PlanQuestionSet:
    """Hold plan questions with their schemas; `skipped` counts the questions without a plan, by reason."""

    schemas: Mapping[str, GraphSchema]
    questions: Sequence[PlanQuestion]
    skipped: Mapping[str, int] = field(default_factory=dict)

    def write(self, file: Path) -> None:
        """Write the schemas, then the questions, one JSON object per line; `skipped` is not written."""
        with file.open("w", encoding="utf-8") as out:
            for name, schema in self.schemas.items():
                out.write(_LINE.dump_json(_SchemaLine(name, schema)).decode() + "\n")
            for question in self.questions:
                out.write(_LINE.dump_json(question).decode() + "\n")

    @classmethod
    def read(cls, file: Path) -> "PlanQuestionSet":
        """Read a file that `write` wrote.

        Raises NotFoundError if there is no such file, and InvalidInputError if a line is invalid.
        """
        if not file.is_file():
            raise NotFoundError(f"file of plan questions not found: {file}")
        schemas: dict[str, GraphSchema] = {}
        questions: list[PlanQuestion] = []
        with open_text(file) as lines:
            for number, line in enumerate(lines, 1):
                try:
                    found = _LINE.validate_json(line)
                except ValidationError as error:
                    problem = error.errors()[0]
                    place = ".".join(map(str, problem["loc"])) or "line"
                    raise InvalidInputError(f"{file}, line {number}, {place}: {problem['msg']}") from error
                if isinstance(found, _SchemaLine):
                    schemas[found.name] = found.schema
                elif found.schema not in schemas:
                    raise InvalidInputError(f"{file}, line {number}: no line before it has the schema {found.schema!r}")
                else:
                    questions.append(found)
        return cls(schemas, questions)


def require_fit(plan: Plan, schema: GraphSchema) -> None:
    """Raise InvalidInputError if a plan does not fit a schema, or names properties or relationships that it lacks."""
    check_plan(plan, schema)
    refuse_unknown_properties(plan, schema)
    refuse_impossible_relationships(plan, schema)


@dataclass(frozen=True, slots=True)
class _SchemaLine:
    name: str
    schema: GraphSchema
    type: Literal["schema"] = "schema"


_LINE: TypeAdapter[PlanQuestion | _SchemaLine] = TypeAdapter(
    Annotated[PlanQuestion | _SchemaLine, Field(discriminator="type")]
)
