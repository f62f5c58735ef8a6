"""Requests are sent again when that can help, and not more often than asked for."""

from collections.abc import Callable, Sequence

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.examples import ASK_EXAMPLE
from kgqa.client import AsyncClient, BusyError, Client, ClientError, ConnectionFailedError, Retries
from kgqa.client.errors import problem_error
from shared.problem import Problem
from tests.unit.kgqa.client.test_errors import problem

AT_ONCE = Retries(attempts=3, first_delay_s=0.0)


def fails(status: int, kind: str, **headers: str) -> Callable[[], httpx.Response]:
    return lambda: httpx.Response(status, json=problem(kind, status), headers=headers)


BUSY, MISSING = fails(429, "busy", **{"Retry-After": "0"}), fails(503, "dependency-unavailable")
LATE, WRONG = fails(503, "deadline-exceeded"), fails(422, "invalid-input")


def answered() -> httpx.Response:
    return httpx.Response(200, json=ASK_EXAMPLE)


class Script(httpx.MockTransport):
    """Reply with one outcome after the other."""

    def __init__(self, outcomes: Sequence[Callable[[], httpx.Response] | type[httpx.TransportError]]) -> None:
        self.left = list(outcomes)
        super().__init__(self._next)

    def _next(self, request: httpx.Request) -> httpx.Response:
        outcome = self.left.pop(0)
        if isinstance(outcome, type) and issubclass(outcome, httpx.TransportError):
            raise outcome("no")
        return outcome()  # type: ignore[return-value]


@pytest.mark.parametrize(
    "failures",
    [[BUSY], [MISSING], [httpx.ConnectError, httpx.ReadError], [httpx.RemoteProtocolError], [BUSY, MISSING]],
)
async def test_what_may_pass_is_tried_again(failures: list[Callable[[], httpx.Response]]) -> None:
    script = Script([*failures, answered])
    with Client("http://127.0.0.1", retries=AT_ONCE, transport=script) as client:
        assert client.ask("?").answer
    async with AsyncClient("http://127.0.0.1", retries=AT_ONCE, transport=Script([*failures, answered])) as patient:
        assert (await patient.ask("?")).answer
    assert script.left == []


@pytest.mark.parametrize(
    ("failures", "used"),
    [([BUSY] * 5, 3), ([LATE] * 5, 1), ([WRONG] * 5, 1), ([httpx.ReadTimeout] * 5, 1), ([httpx.ConnectTimeout] * 5, 3)],
)
def test_what_cannot_help_is_not_tried(failures: list[Callable[[], httpx.Response]], used: int) -> None:
    script = Script(failures)
    with Client("http://127.0.0.1", retries=AT_ONCE, transport=script) as client, pytest.raises(ClientError):
        client.ask("?")
    assert len(failures) - len(script.left) == used


@pytest.mark.parametrize(("failure", "used"), [(httpx.ReadError, 1), (MISSING, 1), (httpx.ConnectError, 3), (BUSY, 3)])
def test_feedback_is_never_kept_twice(failure: Callable[[], httpx.Response], used: int) -> None:
    script = Script([failure] * 5)
    with Client("http://127.0.0.1", retries=AT_ONCE, transport=script) as client, pytest.raises(ClientError):
        client.feedback("?", answers=[])
    assert 5 - len(script.left) == used


@given(st.integers(1, 9), st.floats(0, 60), st.floats(0, 10))
def test_pauses_grow_up_to_a_limit_and_honour_the_service(failures: int, wanted: float, first: float) -> None:
    retries = Retries(attempts=10, first_delay_s=first, max_delay_s=20.0)
    error = problem_error(Problem.model_validate(problem("busy", 429)), str(int(wanted)))
    assert isinstance(error, BusyError)

    delay = retries.delay(error, failures, is_repeatable=True)

    if int(wanted) > 20:
        assert delay is None
    else:
        assert delay is not None
        assert max(int(wanted), min(20.0, first * 2 ** (failures - 1)) / 2) <= delay <= 20.0
    assert retries.delay(error, 10, is_repeatable=True) is None


def test_the_service_may_name_a_date() -> None:
    past = problem_error(Problem.model_validate(problem("busy", 429)), "Wed, 21 Oct 2015 07:28:00 GMT")
    nonsense = problem_error(Problem.model_validate(problem("busy", 429)), "soon")
    assert (past.retry_after_s, nonsense.retry_after_s) == (0.0, None)


def test_a_broken_connection_says_whether_it_may_have_been_read() -> None:
    for failure, was_sent in ((httpx.ConnectError, False), (httpx.ReadError, True)):
        broken = Client("http://127.0.0.1", retries=Retries(1), transport=Script([failure]))
        with broken as client, pytest.raises(ConnectionFailedError) as raised:
            client.schema()
        assert raised.value.was_sent == was_sent
