import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.retriever.prediction.microbatching import ReadTogether
from services.retriever.prediction.path_predictor import Asked, PredictedPath, Reading
from shared.errors import DeadlineExceededError, DependencyError
from shared.request_context import remaining_time, time_limit

WIDTH = 3
# More requests than are ever read together.
_CROWD = 50


class RecordingPredictor:
    """Says of each question what it was; `calls` keeps texts and width. It reads nothing before `gate` is open."""

    def __init__(self) -> None:
        self.calls: list[tuple[tuple[str, ...], int]] = []
        self.is_reading = asyncio.Event()
        self.gate = asyncio.Event()
        self.gate.set()
        self.errors: dict[str, Exception] = {}

    async def read(self, asked: Sequence[Asked], width: int) -> list[Reading]:
        texts = tuple(question.text for question in asked)
        self.calls.append((texts, width))
        self.is_reading.set()
        await asyncio.sleep(0)
        await self.gate.wait()
        for text in texts:
            if text in self.errors:
                raise self.errors[text]
        return [said_of(text) for text in texts]


def said_of(text: str) -> Reading:
    return Reading((0.0, 1.0), 0.0, (PredictedPath((text,), 1.0),))


def about(*texts: str) -> list[Asked]:
    return [Asked(text, None, text) for text in texts]


Waiting = asyncio.Task[list[Reading]]


async def started(reading: ReadTogether, *requests: tuple[str, ...], width: int = WIDTH) -> list[Waiting]:
    """The requests, one after the other, so far that they wait for their readings."""
    tasks = []
    for texts in requests:
        tasks.append(asyncio.create_task(reading.read(about(*texts), width)))
        await asyncio.sleep(0)
    return tasks


async def busy() -> tuple[RecordingPredictor, ReadTogether, Waiting]:
    """A predictor that reads the question `first` until its gate is opened."""
    predictor = RecordingPredictor()
    predictor.gate.clear()
    reading = ReadTogether(predictor)
    [first] = await started(reading, ("first",))
    await predictor.is_reading.wait()
    return predictor, reading, first


async def test_a_lone_request_is_answered_at_once_and_so_is_the_next() -> None:
    predictor = RecordingPredictor()
    reading = ReadTogether(predictor)

    assert await reading.read(about("a", "b"), WIDTH) == [said_of("a"), said_of("b")]
    assert await reading.read(about("c"), WIDTH) == [said_of("c")]
    assert predictor.calls == [(("a", "b"), WIDTH), (("c",), WIDTH)]


async def test_what_comes_while_one_is_read_is_read_in_one_call() -> None:
    predictor, reading, first = await busy()
    others = await started(reading, ("a", "b"), ("c",), ("a",))

    predictor.gate.set()

    assert await first == [said_of("first")]
    assert await asyncio.gather(*others) == [[said_of("a"), said_of("b")], [said_of("c")], [said_of("a")]]
    assert predictor.calls == [(("first",), WIDTH), (("a", "b", "c", "a"), WIDTH)]


async def test_other_widths_are_read_by_themselves() -> None:
    predictor, reading, _ = await busy()
    narrow = await started(reading, ("a",), width=1)
    wide = await started(reading, ("b",), width=5)
    narrow += await started(reading, ("c",), width=1)

    predictor.gate.set()

    assert await asyncio.gather(*narrow, *wide) == [[said_of("a")], [said_of("c")], [said_of("b")]]
    assert predictor.calls[1:] == [(("a", "c"), 1), (("b",), 5)]


async def test_a_crowd_is_read_in_turns() -> None:
    predictor = RecordingPredictor()
    reading = ReadTogether(predictor)
    texts = [str(number) for number in range(_CROWD)]

    found = await asyncio.gather(*(reading.read(about(text), WIDTH) for text in texts))

    assert found == [[said_of(text)] for text in texts]
    assert [text for call, _ in predictor.calls for text in call] == texts
    assert 2 <= len(predictor.calls) <= _CROWD / 2


async def test_a_request_that_fails_fails_no_other() -> None:
    predictor, reading, first = await busy()
    predictor.errors["b"] = DependencyError("the graph does not answer")
    good, bad, also_good = await started(reading, ("a",), ("b", "c"), ("d",))

    predictor.gate.set()

    assert await first == [said_of("first")]
    assert await good == [said_of("a")]
    assert await also_good == [said_of("d")]
    with pytest.raises(DependencyError, match="the graph does not answer"):
        await bad
    assert predictor.calls[1:] == [(texts, WIDTH) for texts in [("a", "b", "c", "d"), ("a",), ("b", "c"), ("d",)]]


async def test_after_a_failure_the_next_request_is_read() -> None:
    predictor = RecordingPredictor()
    predictor.errors["a"] = DependencyError("the graph does not answer")
    reading = ReadTogether(predictor)

    with pytest.raises(DependencyError):
        await reading.read(about("a"), WIDTH)

    assert await reading.read(about("b"), WIDTH) == [said_of("b")]


async def test_a_mistake_of_the_program_reaches_all_who_were_read_together() -> None:
    predictor, reading, first = await busy()
    predictor.errors["b"] = ZeroDivisionError("by mistake")
    together = await started(reading, ("a",), ("b",))

    predictor.gate.set()

    assert await first == [said_of("first")]
    for task in together:
        with pytest.raises(ZeroDivisionError, match="by mistake"):
            await task
    assert await reading.read(about("c"), WIDTH) == [said_of("c")]


@pytest.mark.parametrize("waited", [True, False])
async def test_who_goes_away_takes_nobody_along(waited: bool) -> None:
    predictor, reading, first = await busy()
    gone, stays = await started(reading, ("a",), ("b",))

    (gone if waited else first).cancel()
    await asyncio.sleep(0)
    predictor.gate.set()

    assert await stays == [said_of("b")]
    with pytest.raises(asyncio.CancelledError):
        await (gone if waited else first)
    assert await reading.read(about("c"), WIDTH) == [said_of("c")]


@given(requests=st.lists(st.tuples(st.integers(0, 4), st.integers(1, 2), st.integers(0, 6)), max_size=30))
def test_every_request_gets_its_own_readings_in_order(requests: list[tuple[int, int, int]]) -> None:
    """A request: how many questions, of which width, and after how many turns of the loop it comes."""
    asked = [(tuple(f"{place}.{i}" for i in range(size)), width) for place, (size, width, _) in enumerate(requests)]

    async def read_all() -> tuple[list[list[Reading]], list[tuple[tuple[str, ...], int]]]:
        predictor = RecordingPredictor()
        reading = ReadTogether(predictor)

        async def come(texts: tuple[str, ...], width: int, turns: int) -> list[Reading]:
            for _ in range(turns):
                await asyncio.sleep(0)
            return await reading.read(about(*texts), width)

        coming = [come(texts, width, turns) for (texts, width), (_, _, turns) in zip(asked, requests, strict=True)]
        return await asyncio.gather(*coming), predictor.calls

    found, calls = asyncio.run(read_all())

    assert found == [[said_of(text) for text in texts] for texts, _ in asked]
    read = [(text, width) for texts, width in calls for text in texts]
    assert sorted(read) == sorted((text, width) for texts, width in asked for text in texts)


class SlowPredictor:
    """Asks something that takes a tenth of a second, as a store does, with what time is left."""

    async def read(self, asked: Sequence[Asked], width: int) -> list[Reading]:
        async with asyncio.timeout(remaining_time(60.0)):
            await asyncio.sleep(0.1)
        return [said_of(question.text) for question in asked]


async def test_one_who_has_no_time_takes_none_of_the_others() -> None:
    reading = ReadTogether(SlowPredictor())

    async def read(text: str, seconds: float) -> list[Reading]:
        with time_limit(seconds):
            return await reading.read(about(text), WIDTH)

    hasty = asyncio.create_task(read("hasty", 0.02))
    await asyncio.sleep(0.01)
    patient = [asyncio.create_task(read(text, 30.0)) for text in "ab"]

    with pytest.raises(DeadlineExceededError):
        await hasty
    assert [await task for task in patient] == [[said_of("a")], [said_of("b")]]
