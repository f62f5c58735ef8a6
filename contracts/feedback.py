"""Define the JSON messages of `POST /feedback`."""

from typing import Annotated, Any

from pydantic import (
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)

from contracts.base import Contract, GraphName, QuestionText, config, stripped
from contracts.plans import GivenPlan
from shared.text import MAX_NAME_CHARACTERS, VISIBLE
from shared.validation import error_text


def _with_one_error(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:
    """Say what is wrong with an answer in one error, where pydantic has one for each type that the answer lacks."""
    try:
        return validate(value)
    except ValidationError as error:
        if isinstance(value, str):
            raise ValueError(error_text(error.errors()[-1])) from None
        raise ValueError("expected a string, a number, or a boolean") from None


FeedbackAnswer = Annotated[
    Annotated[bool, Field(strict=True)]
    | Annotated[int, Field(strict=True)]
    | Annotated[float, Field(strict=True, allow_inf_nan=False)]
    | Annotated[str, stripped(MAX_NAME_CHARACTERS), VISIBLE],
    WrapValidator(_with_one_error),
]


class FeedbackRequest(Contract):
    """Correct an answer: give the right answers, or the right plan, which may be the plan of the reply.

    Answers that are an empty list say that the graph does not have the answer.
    """

    model_config = config(question="How many countries border Germany?", answers=[9])

    question: QuestionText
    answers: Annotated[list[FeedbackAnswer], Field(max_length=1000)] | None = None
    plan: GivenPlan | None = None
    graph: GraphName | None = None

    @model_validator(mode="after")
    def _says_something(self) -> "FeedbackRequest":
        if self.answers is None and self.plan is None:
            raise ValueError("give `answers`, or the `plan` that finds them")
        return self


class FeedbackResponse(Contract):
    """Confirmation that feedback was kept for the next training."""

    kept: bool
