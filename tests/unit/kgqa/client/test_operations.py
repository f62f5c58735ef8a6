"""The options of the client's methods are the fields of the requests, so that neither lacks what the other has."""

import inspect
from collections.abc import Callable
from typing import get_type_hints

import pytest
from pydantic import BaseModel

from contracts.feedback import FeedbackRequest
from contracts.graphs import NeighboursRequest
from contracts.plans import PlanRequest
from kgqa.client import AskRequest, AskResponse, AsyncClient, Client, Strategy
from kgqa.client.operations import AskOptions, Operation, ask, ask_stream

METHODS: tuple[tuple[str, type[BaseModel]], ...] = (
    ("plan", PlanRequest),
    ("neighbours", NeighboursRequest),
    ("feedback", FeedbackRequest),
)


def test_the_options_of_a_question_are_the_fields_of_the_request() -> None:
    assert {"question", *get_type_hints(AskOptions)} == set(AskRequest.model_fields)


@pytest.mark.parametrize("client", [Client, AsyncClient])
@pytest.mark.parametrize(("method", "request_model"), METHODS)
def test_the_arguments_of_other_methods_are_the_fields_of_their_requests(
    client: type[Client] | type[AsyncClient], method: str, request_model: type[BaseModel]
) -> None:
    assert _arguments(getattr(client, method)) == set(request_model.model_fields)


@pytest.mark.parametrize("operation", [ask, ask_stream])
def test_a_strategy_is_sent(operation: Callable[[str, AskOptions], Operation[AskResponse]]) -> None:
    sent = operation("capital of France?", {"strategy": Strategy.DENSE}).content
    assert AskRequest.model_validate_json(sent or b"").strategy is Strategy.DENSE


def _arguments(method: Callable[..., object]) -> set[str]:
    return set(inspect.signature(method).parameters) - {"self"}
