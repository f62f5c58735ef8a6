import httpx
import pytest

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


async def test_another_service_at_the_address_is_not_the_callers_fault() -> None:
    reply = httpx.Response(404, json={"type": "urn:kgqa:error:no-such-route", "detail": "POST /rewrite: Not Found"})
    with pytest.raises(DependencyError, match="404"):
        await client(reply).call("/rewrite", REQUEST, RewriteResponse)
