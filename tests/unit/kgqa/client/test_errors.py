"""One class for each type of problem, and understandable errors for everything else."""

from collections.abc import Iterator

import httpx
import pytest

import services.answerer.app
import services.retriever.app  # noqa: F401 - and those of the retriever
from contracts.examples import ASK_EXAMPLE
from kgqa.client import NO_RETRIES, Client, InternalError, InvalidInputError, ProblemError, UnexpectedReplyError
from kgqa.client import errors as client_errors
from kgqa.client.errors import PROBLEMS
from shared.errors import KGQAError
from shared.web.problems import _HTTP_KINDS


def kinds(error: type[KGQAError]) -> Iterator[tuple[str, int]]:
    """Yield the kinds of an error and of those below it, without those of commands, which no service reports."""
    if not error.__module__.startswith(("kgqa.", "services.launcher")):
        yield error.kind, error.status
    for more_special in error.__subclasses__():
        yield from kinds(more_special)


SERVED = {*kinds(KGQAError), *((kind, status) for status, (kind, _) in _HTTP_KINDS.items() if status != 400)}
SERVED |= {("bad-request", 400), ("request-header-fields-too-large", 431)}


def replying(status: int, **content: object) -> Client:
    def reply(_: httpx.Request) -> httpx.Response:
        return httpx.Response(status, **content)  # type: ignore[arg-type]

    return Client("http://127.0.0.1", retries=NO_RETRIES, transport=httpx.MockTransport(reply))


def problem(kind: str, status: int) -> dict[str, object]:
    return {
        "type": f"urn:kgqa:error:{kind}", "title": "T", "status": status, "detail": "D", "instance": "/ask",
        "request_id": "id", "errors": [{"field": "question", "message": "M"}], "added_later": 1,
    }  # fmt: skip


def test_each_problem_has_a_class_and_each_class_a_problem() -> None:
    assert {kind for kind, _ in SERVED} == PROBLEMS.keys()
    named = {
        value
        for value in vars(client_errors).values()
        if isinstance(value, type) and issubclass(value, ProblemError) and value is not ProblemError
    }
    assert named == set(PROBLEMS.values())


@pytest.mark.parametrize(("kind", "status"), sorted(SERVED))
def test_a_problem_is_raised_with_all_it_says(kind: str, status: int) -> None:
    problems = replying(status, json=problem(kind, status), headers={"Retry-After": "7"})
    with problems as client, pytest.raises(PROBLEMS[kind]) as raised:
        client.schema()
    error = raised.value
    assert (error.kind, error.title, error.status, error.detail, error.request_id) == (kind, "T", status, "D", "id")
    assert error.errors == ({"field": "question", "message": "M"},)
    assert error.retry_after_s == 7
    assert error.hint
    assert str(error) == "T: D"


@pytest.mark.parametrize(("status", "expected"), [(422, InvalidInputError), (500, InternalError), (418, ProblemError)])
def test_new_kinds_have_the_class_of_their_status(status: int, expected: type[ProblemError]) -> None:
    with replying(status, json=problem("new", status)) as client, pytest.raises(ProblemError) as raised:
        client.schema()
    assert type(raised.value) is expected


@pytest.mark.parametrize(
    ("status", "content"),
    [(502, {"text": "<html>Bad gateway</html>"}), (404, {"json": {"detail": "x"}}), (307, {}), (200, {"text": "hi"})],
)
def test_other_servers_are_recognised(status: int, content: dict[str, object]) -> None:
    with replying(status, **content) as client, pytest.raises(UnexpectedReplyError, match=r"another server|version"):
        client.ask("?")


def test_fields_of_newer_services_are_ignored() -> None:
    with replying(200, json={**ASK_EXAMPLE, "new": 1, "answers": [{**ASK_EXAMPLE["answers"][0], "new": 1}]}) as client:
        assert client.ask("?").answers[0].value == "Turkish Lira"
