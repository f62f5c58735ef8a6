"""The OpenAPI documents list every response of the services."""

import pytest
from fastapi import FastAPI

from services.answerer.app import create_app as answerer
from services.answerer.settings import AnswererSettings
from services.rewriter.app import create_app as rewriter
from services.rewriter.settings import RewriterSettings
from tests.fakes.llm import ScriptedModel

CHAT = "/v1/chat/completions"


@pytest.mark.parametrize(
    ("app", "routes"),
    [
        (
            answerer(AnswererSettings(), ScriptedModel([])),
            {
                **dict.fromkeys(("/ask", "/ask/stream", "/ask/batch", "/plan", "/neighbours", CHAT), "200"),
                "/feedback": "201",
            },
        ),
        (rewriter(RewriterSettings(), ScriptedModel([])), {"/rewrite": "200"}),
    ],
)
def test_every_operation_documents_its_problems(app: FastAPI, routes: dict[str, str]) -> None:
    document = app.openapi()
    others = {"/v1/models", "/evidence/{id}", "/graphs", "/schema"} if CHAT in routes else set()
    assert set(document["paths"]) == {*routes, *others, "/healthz", "/readyz", "/metrics"}
    for route, done in routes.items():
        posted = document["paths"][route]["post"]
        invalid = {"400", "403", "404", "405", "408", "413", "422", "429", "431", "500", "503"} - (
            {"422"} if route == CHAT else set()
        )
        assert {done, *invalid} == set(posted["responses"])
        assert {parameter["name"] for parameter in posted["parameters"]} == {"X-Request-ID", "X-Timeout-Ms"}
    if CHAT in routes:
        assert {"403", "404", "422", "429", "503"} <= set(document["paths"]["/schema"]["get"]["responses"])
    for route, operations in document["paths"].items():
        for operation in operations.values():
            assert {"400", "408", "431", "500"} <= set(operation["responses"])
            for status, response in operation["responses"].items():
                (media_type, content), *_ = response["content"].items()
                if status not in ("200", "201", "503"):
                    is_openai = route.startswith("/v1/")
                    assert media_type == ("application/json" if is_openai else "application/problem+json")
                    assert content["schema"]["$ref"].endswith("/OpenAIError" if is_openai else "/Problem")
    assert "Problem" in document["components"]["schemas"]
    assert "HTTPValidationError" not in str(document)
    unready = document["paths"]["/readyz"]["get"]["responses"]["503"]
    assert unready["content"]["application/json"]["schema"]["$ref"].endswith("/ReadinessReport")
