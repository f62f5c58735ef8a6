"""`kgqa ask` sends what its options say."""

import json
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from contracts.answers import ReplyWarning
from contracts.ask import AskResponse
from contracts.base import Strategy
from contracts.examples import ASK_EXAMPLE
from contracts.rewrite import KnowledgeFormat
from kgqa.ask import ask_service, show_answer
from shared.errors import InvalidInputError
from tests.fakes.serving import serving


async def test_the_options_are_sent_and_an_unavailable_strategy_is_an_error() -> None:
    asked: list[dict[str, Any]] = []

    async def refuse(request: Request) -> Response:
        asked.append(json.loads(await request.body()))
        problem = {"type": "urn:kgqa:error:invalid-input", "title": "Invalid input", "status": 422}
        detail = {"detail": "the strategy 'cypher' is not available for this graph"}
        return JSONResponse({**problem, **detail}, 422, media_type="application/problem+json")

    async with serving(Starlette(routes=[Route("/ask", refuse, methods=["POST"])])) as url:
        with pytest.raises(InvalidInputError, match="'cypher' is not available"):
            await ask_service(url, "Who?", None, KnowledgeFormat.TEXT, strategy=Strategy.CYPHER, cost_of_wrong=2)

    assert [(one["strategy"], one["cost_of_wrong"]) for one in asked] == [("cypher", 2)]


@pytest.mark.parametrize("abstained", [False, True])
def test_the_strategies_that_were_tried_are_shown_with_the_warnings(
    capsys: pytest.CaptureFixture[str], abstained: bool
) -> None:
    warning = ReplyWarning(kind="strategy_failed", text="cypher failed: retry.")
    reason = {"strategy_reason": "plan abstained; cypher failed", "warnings": [warning], "abstained": abstained}
    response = AskResponse.model_validate(ASK_EXAMPLE).model_copy(update=reason)

    show_answer(response)
    by_plan = capsys.readouterr().out
    show_answer(response, tried_several=True)
    by_auto = capsys.readouterr().out

    assert "strategy" not in by_plan
    assert "strategy    plan: plan abstained; cypher failed\n" in by_auto
    assert all("warning     cypher failed: retry.\n" in shown for shown in (by_plan, by_auto))
