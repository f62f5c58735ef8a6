import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.retriever.paths.microbatching import BatchingPredictor
from services.retriever.paths.path_predictor import PathPrediction, PathQuery, PredictedPath
from shared.errors import DeadlineExceededError, DependencyError
from shared.request_context import remaining_time, time_limit

WIDTH = 3
# More requests than fit into one batch.
_CROWD = 50


class RecordingPredictor:
    """Predict a path that repeats the question; record each call in `calls`, and wait until `gate` is open."""

    def __init__(self) -> None:
        self.calls: list[tuple[tuple[str, ...], int]] = []
        self.is_busy = asyncio.Event()
        self.gate = asyncio.Event()
        self.gate.set()
        self.errors: dict[str, Exception] = {}

    async def predict(self, queries: Sequence[PathQuery], beam_width: int) -> list[PathPrediction]:
        texts = tuple(query.masked_question for query in queries)
        self.calls.append((texts, beam_width))
        self.is_busy.set()
        await asyncio.sleep(0)
        await self.gate.wait()
        for text in texts:
            if text in self.errors:
                raise self.errors[text]
        return [prediction_of(text) for text in texts]


def prediction_of(text: str) -> PathPrediction:
    return PathPrediction((0.0, 1.0), 0.0, (PredictedPath((text,), 1.0),))


def about(*texts: str) -> list[PathQuery]:
    return [PathQuery(text, None, text) for text in texts]


Waiting = asyncio.Task[list[PathPrediction]]


async def started(batching: BatchingPredictor, *requests: tuple[str, ...], width: int = WIDTH) -> list[Waiting]:
    """Start the requests one after the other, so that each waits for its predictions."""
    tasks = []
    for texts in requests:
        tasks.append(asyncio.create_task(batching.predict(about(*texts), width)))
        await asyncio.sleep(0)
    return tasks


async def busy() -> tuple[RecordingPredictor, BatchingPredictor, Waiting]:
    """Return a predictor that works on the question `first` until its gate is opened."""
    predictor = RecordingPredictor()
    predictor.gate.clear()
    batching = BatchingPredictor(predictor)
    [first] = await started(batching, ("first",))
    await predictor.is_busy.wait()
    return predictor, batching, first


async def test_a_lone_request_does_not_wait() -> None:
    predictor = RecordingPredictor()
    batching = BatchingPredictor(predictor)

    assert await batching.predict(about("a", "b"), WIDTH) == [prediction_of("a"), prediction_of("b")]
    assert await batching.predict(about("c"), WIDTH) == [prediction_of("c")]
    assert predictor.calls == [(("a", "b"), WIDTH), (("c",), WIDTH)]


async def test_requests_that_arrive_while_the_predictor_is_busy_share_one_call() -> None:
    predictor, batching, first = await busy()
    others = await started(batching, ("a", "b"), ("c",), ("a",))

    predictor.gate.set()

    assert await first == [prediction_of("first")]
    a, b, c = (prediction_of(text) for text in "abc")
    assert await asyncio.gather(*others) == [[a, b], [c], [a]]
    assert predictor.calls == [(("first",), WIDTH), (("a", "b", "c", "a"), WIDTH)]


async def test_each_beam_width_has_its_own_batches() -> None:
    predictor, batching, _ = await busy()
    narrow = await started(batching, ("a",), width=1)
    wide = await started(batching, ("b",), width=5)
    narrow += await started(batching, ("c",), width=1)

    predictor.gate.set()

    assert await asyncio.gather(*narrow, *wide) == [[prediction_of("a")], [prediction_of("c")], [prediction_of("b")]]
    assert predictor.calls[1:] == [(("a", "c"), 1), (("b",), 5)]


async def test_many_requests_take_several_batches() -> None:
    predictor = RecordingPredictor()
    batching = BatchingPredictor(predictor)
    texts = [str(number) for number in range(_CROWD)]

    found = await asyncio.gather(*(batching.predict(about(text), WIDTH) for text in texts))

    assert found == [[prediction_of(text)] for text in texts]
    assert [text for call, _ in predictor.calls for text in call] == texts
    assert 2 <= len(predictor.calls) <= _CROWD / 2


async def test_a_failing_request_fails_no_other() -> None:
    predictor, batching, first = await busy()
    predictor.errors["b"] = DependencyError("the graph does not answer")
    good, bad, also_good = await started(batching, ("a",), ("b", "c"), ("d",))

    predictor.gate.set()

    assert await first == [prediction_of("first")]
    assert await good == [prediction_of("a")]
    assert await also_good == [prediction_of("d")]
    with pytest.raises(DependencyError, match="the graph does not answer"):
        await bad
    assert predictor.calls[1:] == [(texts, WIDTH) for texts in [("a", "b", "c", "d"), ("a",), ("b", "c"), ("d",)]]


async def test_requests_after_a_failure_are_served() -> None:
    predictor = RecordingPredictor()
    predictor.errors["a"] = DependencyError("the graph does not answer")
    batching = BatchingPredictor(predictor)

    with pytest.raises(DependencyError):
        await batching.predict(about("a"), WIDTH)

    assert await batching.predict(about("b"), WIDTH) == [prediction_of("b")]


async def test_an_unexpected_error_reaches_every_request_of_the_batch() -> None:
    predictor, batching, first = await busy()
    predictor.errors["b"] = ZeroDivisionError("a bug")
    together = await started(batching, ("a",), ("b",))

    predictor.gate.set()

    assert await first == [prediction_of("first")]
    for task in together:
        with pytest.raises(ZeroDivisionError, match="a bug"):
            await task
    assert await batching.predict(about("c"), WIDTH) == [prediction_of("c")]


@pytest.mark.parametrize("waited", [True, False])
async def test_a_cancelled_request_does_not_affect_others(waited: bool) -> None:
    predictor, batching, first = await busy()
    gone, stays = await started(batching, ("a",), ("b",))

    (gone if waited else first).cancel()
    await asyncio.sleep(0)
    predictor.gate.set()

    assert await stays == [prediction_of("b")]
    with pytest.raises(asyncio.CancelledError):
        await (gone if waited else first)
    assert await batching.predict(about("c"), WIDTH) == [prediction_of("c")]


@given(requests=st.lists(st.tuples(st.integers(0, 4), st.integers(1, 2), st.integers(0, 6)), max_size=30))
def test_every_request_gets_its_own_predictions_in_order(requests: list[tuple[int, int, int]]) -> None:
    """Start requests, each given by (number of questions, beam width, event loop turns to wait); check the replies."""
    asked = [(tuple(f"{place}.{i}" for i in range(size)), width) for place, (size, width, _) in enumerate(requests)]

    async def predict_all() -> tuple[list[list[PathPrediction]], list[tuple[tuple[str, ...], int]]]:
        predictor = RecordingPredictor()
        batching = BatchingPredictor(predictor)

        async def come(texts: tuple[str, ...], width: int, turns: int) -> list[PathPrediction]:
            for _ in range(turns):
                await asyncio.sleep(0)
            return await batching.predict(about(*texts), width)

        coming = [come(texts, width, turns) for (texts, width), (_, _, turns) in zip(asked, requests, strict=True)]
        return await asyncio.gather(*coming), predictor.calls

    found, calls = asyncio.run(predict_all())

    assert found == [[prediction_of(text) for text in texts] for texts, _ in asked]
    predicted = [(text, width) for texts, width in calls for text in texts]
    assert sorted(predicted) == sorted((text, width) for texts, width in asked for text in texts)


class SlowPredictor:
    """Wait for a tenth of a second within the deadline, as if calling a store."""

    async def predict(self, queries: Sequence[PathQuery], beam_width: int) -> list[PathPrediction]:
        async with asyncio.timeout(remaining_time(60.0)):
            await asyncio.sleep(0.1)
        return [prediction_of(query.masked_question) for query in queries]


async def test_an_expired_deadline_does_not_affect_other_requests() -> None:
    batching = BatchingPredictor(SlowPredictor())

    async def predict(text: str, seconds: float) -> list[PathPrediction]:
        with time_limit(seconds):
            return await batching.predict(about(text), WIDTH)

    hasty = asyncio.create_task(predict("hasty", 0.02))
    await asyncio.sleep(0.01)
    patient = [asyncio.create_task(predict(text, 30.0)) for text in "ab"]

    with pytest.raises(DeadlineExceededError):
        await hasty
    assert [await task for task in patient] == [[prediction_of("a")], [prediction_of("b")]]


async def test_nobody_waits_for_a_batch_that_was_cancelled() -> None:
    recorder, batching, first = await busy()
    (second,) = await started(batching, ("second",))

    worker = batching._worker
    assert worker is not None
    worker.cancel()
    ended = await asyncio.gather(first, second, return_exceptions=True)

    assert [type(one) for one in ended] == [asyncio.CancelledError] * 2
    recorder.gate.set()
    assert await batching.predict(about("third"), WIDTH) == [prediction_of("third")]
