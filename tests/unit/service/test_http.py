import httpx
import pytest

from services.answerer.clients import HttpRewriting
from shared.contracts import RewriteRequest, RewriteResponse
from shared.errors import DependencyError, InvalidInputError
from shared.http import ServiceClient

REQUEST = RewriteRequest(evidence=[])


def client(reply: httpx.Response) -> ServiceClient:
    return ServiceClient("rewriter", "http://rewriter/", 1.0, httpx.MockTransport(lambda _: reply))


@pytest.mark.parametrize(
    "reply",
    [
        httpx.Response(200, text="not json"),
        httpx.Response(200, json={"texts": 1}),
        httpx.Response(200, json=[]),
        httpx.Response(302, headers={"Location": "http://elsewhere"}),
        httpx.Response(502, text="<html>Bad gateway</html>"),
        httpx.Response(404, json=["no problem"]),
        httpx.Response(404, json={"type": ["unhashable"], "detail": "x"}),
        httpx.Response(500, json={"type": "urn:kgqa:error:internal", "detail": "x"}),
    ],
)
async def test_whatever_a_broken_service_says_is_a_dependency_error(reply: httpx.Response) -> None:
    with pytest.raises(DependencyError, match="rewriter"):
        await client(reply).call("/rewrite", REQUEST, RewriteResponse)


def test_an_address_that_is_none_is_refused_at_once() -> None:
    with pytest.raises(InvalidInputError, match="not the URL of a retriever"):
        ServiceClient("retriever", "http://localhost:80a", 1.0)


@pytest.mark.parametrize("url", ["retriever:8001", "foo", "", "ftp://retriever", "http://"])
def test_an_address_needs_a_scheme_and_a_host(url: str) -> None:
    with pytest.raises(InvalidInputError, match="not the URL of a retriever"):
        ServiceClient("retriever", url, 1.0)


async def test_a_password_in_an_address_is_not_shown() -> None:
    with pytest.raises(DependencyError, match=r"the rewriter at http://127\.0\.0\.1:1 does not answer") as raised:
        await ServiceClient("rewriter", "http://user:hunter2@127.0.0.1:1", 1.0).call("/x", REQUEST, RewriteResponse)
    assert "hunter2" not in str(raised.value)


async def test_texts_must_be_as_many_as_the_items() -> None:
    reply = httpx.Response(200, json={"texts": ["a", "b"], "degraded": [], "cached": 0})
    rewriting = HttpRewriting("rewriter", "http://rewriter", 1.0, httpx.MockTransport(lambda _: reply))
    with pytest.raises(DependencyError, match="2 texts for 0 items"):
        await rewriting.rewrite(REQUEST)


async def test_another_service_at_the_address_is_not_the_callers_fault() -> None:
    reply = httpx.Response(404, json={"type": "urn:kgqa:error:no-such-route", "detail": "POST /rewrite: Not Found"})
    with pytest.raises(DependencyError, match="404"):
        await client(reply).call("/rewrite", REQUEST, RewriteResponse)
