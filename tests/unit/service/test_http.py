import httpx
import pytest

from shared.contracts import RewriteRequest, RewriteResponse
from shared.errors import DependencyError
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
