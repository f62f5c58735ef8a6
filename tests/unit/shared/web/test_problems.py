import pytest
from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import TypeAdapter, ValidationError

from shared.web.problems import error_field, unexpected_error_response

MARKER = "who-is-my-neighbour"


def test_truncates_a_long_field_name() -> None:
    name = error_field({"type": "extra_forbidden", "loc": ("body", "x" * 20_000)})
    assert name == "x" * 99 + "…"


@pytest.mark.parametrize("is_group", [False, True])
def test_a_traceback_does_not_quote_the_request(caplog: pytest.LogCaptureFixture, is_group: bool) -> None:
    try:
        try:
            TypeAdapter(int).validate_python(MARKER)
        except ValidationError as error:
            raise RequestValidationError(error.errors(), body=MARKER) from error
    except RequestValidationError as error:
        failure = RuntimeError("the defect")
        failure.__context__ = error
        raised = ExceptionGroup("several", [failure]) if is_group else failure
    unexpected_error_response(Request({"type": "http", "path": "/", "headers": [], "server": ("x", 80)}), raised)
    assert MARKER not in caplog.text
    assert "RuntimeError: the defect" in caplog.text
    assert "RequestValidationError: (message omitted" in caplog.text
