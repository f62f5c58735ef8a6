"""Plans of callers run in places of their own, and never keep questions from the store."""

import asyncio
from pathlib import Path

import httpx
import pytest

from graph.plan.algebra import Plan
from graph.plan.result import PlanResult
from graph.sqlite.store import SqliteGraphStore
from graph.store import PLAN_PLACES, QUESTION_PLACES
from ingestion.importer import import_files
from services.retriever.app import create_app
from services.retriever.execution.plan_places import PlanPlaces
from services.retriever.settings import RetrieverSettings
from shared.errors import BusyError, DeadlineExceededError
from shared.paths import graph_file
from shared.request_context import time_limit
from tests.support.command_line import WORLD
from tests.support.waiting import until

_PLAN = {"steps": [{"op": "match", "nodes": [{"variable": "a"}]}]}


class Holder:
    """Hold places until told to leave."""

    def __init__(self, places: PlanPlaces) -> None:
        self._places = places
        self.may_leave = asyncio.Event()
        self.held = 0

    async def hold(self) -> None:
        async with self._places.place():
            self.held += 1
            await self.may_leave.wait()
            self.held -= 1


async def test_plans_beyond_the_places_wait_and_more_are_refused() -> None:
    places = PlanPlaces(places=2, max_waiting=1)
    holder = Holder(places)
    async with asyncio.TaskGroup() as tasks:
        for _ in range(3):
            tasks.create_task(holder.hold())
        await until(lambda: holder.held == 2)
        with pytest.raises(BusyError, match="1 query plans are already waiting"):
            await holder.hold()
        assert holder.held == 2
        holder.may_leave.set()
    assert holder.held == 0


async def test_a_plan_that_waits_in_vain_is_refused() -> None:
    places = PlanPlaces(places=0, patience_s=0.001)
    with pytest.raises(BusyError, match="other query plans take all places"):
        await Holder(places).hold()
    with time_limit(0.001), pytest.raises(DeadlineExceededError):
        await Holder(PlanPlaces(places=0)).hold()


async def test_plans_leave_all_places_of_questions_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path / "home"))
    source = tmp_path / "films.tsv"
    source.write_text("Alien\tdirected_by\tRidley Scott\n", encoding="utf-8")
    graph_file("films").parent.mkdir(parents=True)
    import_files([source], graph_file("films"))
    running, most, may_end = 0, 0, asyncio.Event()
    run = SqliteGraphStore.run

    async def slow(store: SqliteGraphStore, plan: Plan, max_rows: int = 10) -> PlanResult:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await may_end.wait()
        running -= 1
        return await run(store, plan, max_rows)

    app = create_app(RetrieverSettings(graph="films", model=WORLD / "retriever"))
    monkeypatch.setattr(SqliteGraphStore, "run", slow)
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        sent = [asyncio.create_task(client.post("/plan", json={"plan": _PLAN})) for _ in range(8)]
        await until(lambda: running == PLAN_PLACES)
        described = await client.get("/schema")
        may_end.set()
        replies = await asyncio.gather(*sent)

    assert described.status_code == 200
    assert most == PLAN_PLACES < QUESTION_PLACES
    assert {reply.status_code for reply in replies} == {200}
