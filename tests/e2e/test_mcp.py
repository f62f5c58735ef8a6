"""The SDK's own client connects to a running `kgqa up`, over HTTP and by `kgqa mcp`, and learns from the guide."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp_types import TextContent

from services.answerer.mcp.guide import guide
from tests.fakes.serving import NOBODY
from tests.support.command_line import Running

_PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "mcp.md"
_PLANS = re.compile(r"```json\n(.*?)```", re.DOTALL)


def over_http(running: Running) -> str:
    return f"{running.urls['answerer']}/mcp"


def over_stdio(running: Running) -> StdioServerParameters:
    return StdioServerParameters(command=sys.executable, args=["-m", "kgqa", "mcp"], env=running.environment)


each_way = pytest.mark.parametrize("reach", [over_http, over_stdio])


async def called(agent: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await agent.call_tool(tool, arguments)
    [content] = result.content
    assert isinstance(content, TextContent)
    assert not result.is_error, content.text
    return dict(result.structured_content)


@each_way
async def test_an_agent_answers_a_question_with_evidence(
    running: Running, reach: Callable[[Running], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    async with Client(reach(running)) as agent:
        assert agent.instructions is not None
        assert next(tool.name for tool in (await agent.list_tools()).tools) == "ask"

        reply = await called(agent, "ask", question="What is the capital of France?")
        assert [one["value"] for one in reply["answers"]] == ["Paris"]
        facts = await called(agent, "evidence", id=reply["evidence"][0]["id"])
        assert {"subject": "France", "relation": "capital", "object": "Paris"} in facts["triples"]

        unknown = await called(agent, "ask", question="Who is the president of Atlantis?")
        assert (unknown["abstained"], unknown["answers"]) == (True, [])

        around = await called(agent, "neighbours", entity="Monaco", relations=["borders"])
        assert {one["node"]["name"] for one in around["neighbours"]} == {"France"}

        wrong = await agent.call_tool("neighbours", {"entity": "Frence"})
        assert wrong.is_error
        assert "did you mean 'France'" in wrong.content[0].text  # type: ignore[union-attr]


async def test_the_plans_of_the_guide_run(running: Running) -> None:
    neighbours, count, most = map(json.loads, _PLANS.findall(guide()))
    async with Client(over_stdio(running)) as agent:
        rows = (await called(agent, "plan", plan=neighbours))["rows"]
        assert {"Spain", "Monaco"} < {node["name"] for [node] in rows}
        [[countries]] = (await called(agent, "plan", plan=count))["rows"]
        schema = await called(agent, "schema")
        assert countries == schema["kinds"]["Country"]["count"]
        assert len((await called(agent, "plan", plan=most))["rows"]) == 3


async def test_an_answerer_that_is_not_there_is_explained(running: Running) -> None:
    environment = {**running.environment, "KGQA_URL": NOBODY}
    server = StdioServerParameters(command=sys.executable, args=["-m", "kgqa", "mcp"], env=environment)
    async with Client(server) as agent:
        result = await agent.call_tool("ask", {"question": "What is the capital of France?"})
    assert result.is_error
    assert "Start it with: kgqa up" in result.content[0].text  # type: ignore[union-attr]


def test_the_sample_prints_what_its_page_says(running: Running) -> None:
    [(sample, printed)] = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", _PAGE.read_text("utf-8"), re.DOTALL)
    code = sample.replace("http://127.0.0.1:8000", running.urls["answerer"])
    environment = {**running.environment, "NO_PROXY": "127.0.0.1"}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr) == (printed, "")
