import asyncio

import pytest

from shared.errors import DependencyError
from shared.llm.request_coalescing import CoalescingModel
from shared.request_context import time_limit
from tests.fakes.llm import FailingModel, ScriptedModel


async def test_identical_prompts_in_flight_share_a_call() -> None:
    gate = asyncio.Event()
    model = ScriptedModel(["Paris"], gate=gate)
    shared = CoalescingModel(model, max_in_flight=1)
    asked = [asyncio.create_task(shared.complete("capital?", max_tokens=9)) for _ in range(3)]
    await asyncio.sleep(0.01)
    gate.set()
    assert [await answer for answer in asked] == ["Paris"] * 3
    assert (shared.name, model.max_tokens) == ("scripted", [9])


async def test_a_later_prompt_is_a_new_call() -> None:
    model = ScriptedModel(["Paris", "Madrid"])
    shared = CoalescingModel(model, max_in_flight=1)
    assert await shared.complete("?", max_tokens=9) == "Paris"
    assert await shared.complete("?", max_tokens=9) == "Madrid"


async def test_the_first_request_may_be_cancelled() -> None:
    gate = asyncio.Event()
    shared = CoalescingModel(ScriptedModel(["Paris"], gate=gate), max_in_flight=1)
    first = asyncio.create_task(shared.complete("?", max_tokens=9))
    await asyncio.sleep(0.01)
    second = asyncio.create_task(shared.complete("?", max_tokens=9))
    await asyncio.sleep(0.01)
    first.cancel()
    gate.set()
    assert await second == "Paris"


async def test_cancels_a_call_that_no_request_waits_for() -> None:
    model = ScriptedModel(["never said", "Paris"], gate=asyncio.Event())
    shared = CoalescingModel(model, max_in_flight=1)
    asked = [asyncio.create_task(shared.complete("?", max_tokens=9)) for _ in range(2)]
    await asyncio.sleep(0.01)
    for one in asked:
        one.cancel()
    await asyncio.gather(*asked, return_exceptions=True)
    again = asyncio.create_task(shared.complete("?", max_tokens=9))
    await asyncio.sleep(0.01)
    assert len(model.max_tokens) == 2
    again.cancel()


async def test_rejects_prompts_beyond_the_limit() -> None:
    gate = asyncio.Event()
    shared = CoalescingModel(ScriptedModel(str.upper, gate=gate), max_in_flight=2)
    taken = [asyncio.create_task(shared.complete(prompt, max_tokens=9)) for prompt in "ab"]
    await asyncio.sleep(0.01)
    with pytest.raises(DependencyError, match="2 prompts are already waiting"):
        await shared.complete("c", max_tokens=9)
    gate.set()
    assert [await answer for answer in taken] == ["A", "B"]
    assert await shared.complete("c", max_tokens=9) == "C"


async def test_a_failure_reaches_all_waiting_requests_and_is_not_cached() -> None:
    model = FailingModel()
    shared = CoalescingModel(model, max_in_flight=1)
    asked = [asyncio.create_task(shared.complete("?", max_tokens=9)) for _ in range(2)]
    for answer in asked:
        with pytest.raises(DependencyError):
            await answer
    with pytest.raises(DependencyError):
        await shared.complete("?", max_tokens=9)
    assert model.calls == 2
    assert not await shared.ready()


async def test_a_request_waits_for_a_shared_call_only_until_its_own_deadline() -> None:
    gate = asyncio.Event()
    model = CoalescingModel(ScriptedModel(["Paris"], gate=gate), max_in_flight=5)

    async def ask(seconds: float) -> str:
        with time_limit(seconds):
            return await model.complete("x", max_tokens=5)

    hurried, patient = asyncio.create_task(ask(0.1)), asyncio.create_task(ask(5))
    with pytest.raises(DependencyError, match="did not respond in time"):
        await hurried
    gate.set()
    assert await patient == "Paris"
