"""Drafts of completions, and requests that share a call."""

import asyncio

from shared.llm.drafts import Broadcast, current_listener, heard_by
from shared.llm.request_coalescing import CoalescingModel
from tests.fakes.llm import DraftingModel
from tests.support.waiting import until


async def test_all_who_wait_for_a_call_hear_its_drafts() -> None:
    gate = asyncio.Event()
    model = DraftingModel(["Par", "Paris"], gate)
    shared = CoalescingModel(model, max_in_flight=1)
    first, late = list[str](), list[str]()

    async def ask(heard: list[str]) -> str:
        with heard_by(heard.append):
            return await shared.complete("?", max_tokens=9)

    asked = [asyncio.create_task(ask(first))]
    await until(lambda: first == ["Par", "Paris"])
    asked.append(asyncio.create_task(ask(late)))
    await until(lambda: late == ["Paris"])
    gate.set()
    assert await asyncio.gather(*asked) == ["Paris", "Paris"]
    assert model.calls == 1


async def test_a_shared_call_goes_on_if_one_listener_leaves() -> None:
    gate = asyncio.Event()
    model = DraftingModel(["Paris"], gate)
    shared = CoalescingModel(model, max_in_flight=1)
    heard = list[str]()
    with heard_by(heard.append):
        leaving = asyncio.create_task(shared.complete("?", max_tokens=9))
    await until(lambda: heard)
    staying = asyncio.create_task(shared.complete("?", max_tokens=9))
    await asyncio.sleep(0)
    leaving.cancel()
    gate.set()
    assert await staying == "Paris"
    assert model.stopped == 0


def test_nobody_hears_by_default_and_after_the_end() -> None:
    drafts, heard = Broadcast(), list[str]()
    with heard_by(heard.append):
        with heard_by(None):
            assert current_listener() is None
        assert current_listener() is not None
    assert current_listener() is None
    with drafts.heard_by(heard.append):
        drafts.publish("a")
    drafts.publish("b")
    assert heard == ["a"]
