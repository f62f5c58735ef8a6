"""`kgqa ask` sends what its options say."""

import json
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from kgqa.ask import ask_service
from shared.contracts import KnowledgeFormat, Strategy
from shared.errors import InvalidInputError
from tests.fakes.serving import serving


async def test_the_strategy_is_sent_and_an_unavailable_one_is_an_error() -> None:
    asked: list[dict[str, Any]] = []

    async def refuse(request: Request) -> Response:
        asked.append(json.loads(await request.body()))
        problem = {"type": "urn:kgqa:error:invalid-input", "title": "Invalid input", "status": 422}
        detail = {"detail": "the strategy 'cypher' is not available for this graph"}
        return JSONResponse({**problem, **detail}, 422, media_type="application/problem+json")

    async with serving(Starlette(routes=[Route("/ask", refuse, methods=["POST"])])) as url:
        with pytest.raises(InvalidInputError, match="'cypher' is not available"):
            await ask_service(url, "Who?", None, KnowledgeFormat.TEXT, strategy=Strategy.CYPHER)

    assert [one["strategy"] for one in asked] == ["cypher"]
