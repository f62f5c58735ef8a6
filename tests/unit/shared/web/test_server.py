"""Bounds on connections, over real sockets."""

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from fastapi import FastAPI

from contracts.ask import AskRequest
from shared.settings import ServiceSettings
from shared.web import server
from shared.web.health import ServiceMetrics
from shared.web.service import create_service
from tests.fakes.serving import serving
from tests.support.waiting import HANGS_AFTER_S


@asynccontextmanager
async def _nothing(_: FastAPI) -> AsyncIterator[None]:
    yield


@pytest.fixture
async def url() -> AsyncIterator[str]:
    app = create_service("test", "test", ServiceSettings(), ServiceMetrics(), {}, _nothing)

    @app.post("/ask")
    async def ask(request: AskRequest) -> str:
        if request.question == "bug":
            raise RuntimeError("secret detail")
        return request.question if request.question != "large" else "x" * 20_000_000

    async with serving(app) as base:
        yield base


async def _exchange(url: str, sent: bytes, seconds: float = 5) -> bytes:
    """Return everything that the server sends until it closes the connection."""
    parts = httpx.URL(url)
    reader, writer = await asyncio.open_connection(parts.host, parts.port)
    try:
        for start in range(0, len(sent), 65_536):
            writer.write(sent[start : start + 65_536])
            await writer.drain()
        return await asyncio.wait_for(reader.read(), seconds)
    finally:
        writer.close()


def _problem(reply: bytes) -> tuple[int, str]:
    head, _, body = reply.partition(b"\r\n\r\n")
    assert b"content-type: application/problem+json" in head.lower()
    assert b"connection: close" in head.lower()
    problem = json.loads(body)
    assert problem["request_id"]
    return problem["status"], problem["detail"]


HEAD = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"


@pytest.mark.parametrize(
    "head",
    [
        HEAD + b"X: " + b"a" * 40_000 + b"\r\n\r\n",
        HEAD + b"X: " + b"a" * 400_000,
        HEAD + b"".join(b"X-%d: %s\r\n" % (i, b"a" * 900) for i in range(50)) + b"\r\n",
        HEAD + b"X: a\r\n" * 101 + b"\r\n",
        HEAD + b"X" * 400_000,
        b"GET /" + b"a" * 40_000 + b" HTTP/1.1\r\n\r\n",
        b"POST /ask HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n"
        + b"X: a\r\n" * 200,
    ],
    ids=["long value", "endless value", "many long", "many", "endless name", "long path", "trailers"],
)
async def test_rejects_headers_beyond_the_limit(url: str, head: bytes) -> None:
    status, detail = _problem(await _exchange(url, head))
    assert status == 431
    assert "32768 bytes or 100 fields" in detail


async def test_accepts_headers_within_the_limit(url: str) -> None:
    async with httpx.AsyncClient(base_url=url) as client:
        for _ in range(3):
            assert (await client.get("/healthz", headers={"X": "a" * 20_000})).status_code == 200
            assert (await client.get("/healthz", headers={f"X-{i}": "a" for i in range(80)})).status_code == 200


async def test_counts_the_headers_of_pipelined_requests_separately(url: str) -> None:
    requests = 300 * (HEAD + b"X: " + b"a" * 300 + b"\r\n\r\n") + HEAD + b"Connection: close\r\n\r\n"
    assert (await _exchange(url, requests)).count(b"HTTP/1.1 200 OK") == 301


async def test_does_not_buffer_endless_headers(url: str) -> None:
    with pytest.raises((ConnectionError, AssertionError)):
        _problem(await _exchange(url, HEAD + b"X: " + b"a" * 30_000_000, 10))
        raise AssertionError  # refused before all of it was sent; on loopback the answer may still arrive
    async with httpx.AsyncClient(base_url=url) as client:
        assert (await client.get("/healthz")).status_code == 200


@pytest.mark.parametrize(
    "sent", [b"\x16\x03\x01\x02", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET \xff\xfe HTTP/1.1\r\n\r\n"]
)
async def test_invalid_http_returns_a_problem(url: str, sent: bytes) -> None:
    assert _problem(await _exchange(url, sent))[0] == 400


async def test_closes_silent_and_slow_connections(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "HEAD_TIMEOUT_S", 0.4)
    assert await _exchange(url, b"") == b""
    assert _problem(await _exchange(url, HEAD)) == (
        408,
        "the headers did not arrive within 0.4 s; send them without pauses",
    )

    parts = httpx.URL(url)
    reader, writer = await asyncio.open_connection(parts.host, parts.port)
    with pytest.raises(ConnectionError):
        async with asyncio.timeout(HANGS_AFTER_S):
            while not (reader.at_eof() or reader._buffer):  # type: ignore[attr-defined]
                writer.write(b"X")
                await writer.drain()
                await asyncio.sleep(0.05)
        raise ConnectionError
    writer.close()


async def test_an_unread_body_does_not_keep_the_connection_open(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MESSAGE_TIMEOUT_S", 0.4)
    reply = await _exchange(url, HEAD + b"Content-Length: 1000\r\n\r\nx")
    assert reply.startswith(b"HTTP/1.1 200")


async def test_disconnects_a_client_that_does_not_read(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "WRITE_TIMEOUT_S", 0.3)
    body = json.dumps({"question": "large"}).encode()
    parts = httpx.URL(url)
    reader, writer = await asyncio.open_connection(parts.host, parts.port, limit=1024)
    writer.write(b"POST /ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n")
    writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    await asyncio.sleep(1.5)
    received = 0
    with pytest.raises(ConnectionError):
        while chunk := await reader.read(1_000_000):
            received += len(chunk)
        raise ConnectionError
    assert received < 20_000_000
    writer.close()


STALLED = b"POST /ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"


@pytest.mark.parametrize("begun", [b"", b"GET /healthz", STALLED], ids=["silent", "half a head", "half a body"])
async def test_new_connections_replace_incomplete_ones(url: str, begun: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 10)
    parts = httpx.URL(url)
    waiting = [await asyncio.open_connection(parts.host, parts.port) for _ in range(30)]
    for _, writer in waiting:
        writer.write(begun)
    await asyncio.sleep(0.1)
    async with httpx.AsyncClient(base_url=url) as client:
        assert (await client.get("/healthz")).status_code == 200
        assert (await client.post("/ask", json={"question": "q"})).status_code == 200
    for reader, _ in waiting[:15]:
        with contextlib.suppress(ConnectionError):
            assert await asyncio.wait_for(reader.read(), HANGS_AFTER_S) == b""
    for _, writer in waiting:
        writer.close()


async def test_the_connection_survives_an_unexpected_error(url: str) -> None:
    reply = await _exchange(url, _ask("bug") + HEAD + b"Connection: close\r\n\r\n")
    assert reply.startswith(b"HTTP/1.1 500 ")
    assert b"secret" not in reply
    assert b"HTTP/1.1 200 OK" in reply


def _ask(question: str, *headers: bytes) -> bytes:
    body = json.dumps({"question": question}).encode()
    head = b"POST /ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return head + b"".join(headers) + b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


OFFER = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n"


@pytest.mark.parametrize("pause", [0, 0.05])
async def test_ignores_a_protocol_upgrade(url: str, pause: float) -> None:
    parts = httpx.URL(url)
    reader, writer = await asyncio.open_connection(parts.host, parts.port)
    sent = _ask("one", OFFER) + _ask("two", OFFER) + HEAD + OFFER + b"\r\n" + HEAD + b"Connection: close\r\n\r\n"
    for start in range(0, len(sent), 60 if pause else len(sent)):
        writer.write(sent[start : start + 60] if pause else sent)
        await asyncio.sleep(pause)
    replies = await asyncio.wait_for(reader.read(), HANGS_AFTER_S)
    writer.close()
    assert replies.count(b"HTTP/1.1 200 OK") == 4
    assert replies.index(b'"one"') < replies.index(b'"two"')


async def test_reads_a_chunked_body_after_an_upgrade_header(url: str) -> None:
    head = b"POST /ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + OFFER
    chunks = b'Transfer-Encoding: chunked\r\n\r\n8\r\n{"questi\r\n8\r\non":"x"}\r\n0\r\n\r\n'
    reply = await _exchange(url, head + chunks + HEAD + b"Connection: close\r\n\r\n")
    assert reply.count(b"HTTP/1.1 200 OK") == 2


async def test_does_not_parse_a_body_as_a_request(url: str) -> None:
    hidden = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
    head = b"POST /ask HTTP/1.1\r\nHost: localhost\r\n" + OFFER + b"Content-Length: %d\r\n\r\n" % len(hidden)
    reply = await _exchange(url, head + hidden + HEAD + b"Connection: close\r\n\r\n")
    assert reply.count(b"HTTP/1.1 ") == 2
    assert b"kgqa_requests_total" not in reply


async def test_a_malformed_body_gets_one_response_and_is_not_logged(url: str, caplog: pytest.LogCaptureFixture) -> None:
    broken = b"POST /ask HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nZZZ\r\n"
    assert _problem(await _exchange(url, broken))[0] == 400
    assert "Traceback" not in caplog.text
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def test_answers_a_request_that_garbage_follows(url: str, caplog: pytest.LogCaptureFixture) -> None:
    reply = await _exchange(url, _ask("one") + b"RUBBISH\r\n\r\n")
    assert reply.startswith(b"HTTP/1.1 200 OK")
    assert reply.count(b"HTTP/1.1") == 1
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.parametrize("hosts", [b"", b"Host: localhost\r\nHost: evil\r\n"])
async def test_requires_exactly_one_host_header(url: str, hosts: bytes) -> None:
    assert _problem(await _exchange(url, b"GET /healthz HTTP/1.1\r\n" + hosts + b"\r\n"))[0] == 400


async def test_stops_reading_a_body_after_an_early_response(url: str) -> None:
    endless = HEAD + b"Content-Length: 999999999999\r\n\r\n" + b"x" * 100_000
    assert (await _exchange(url, endless)).startswith(b"HTTP/1.1 200 OK")
    parts = httpx.URL(url)
    _, writer = await asyncio.open_connection(parts.host, parts.port)
    writer.write(endless)
    with pytest.raises(ConnectionError):
        async with asyncio.timeout(HANGS_AFTER_S):
            while True:
                writer.write(b"x" * 100_000)
                await writer.drain()
                await asyncio.sleep(0.01)
    writer.close()


async def test_does_not_continue_with_a_body_declared_too_large(url: str) -> None:
    head = b"POST /ask HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 99999999999\r\n\r\n"
    reply = await _exchange(url, head)
    assert reply.startswith(b"HTTP/1.1 413 ")


async def test_rejects_other_hosts_and_never_redirects(url: str) -> None:
    async with httpx.AsyncClient(base_url=url) as client:
        foreign = await client.post("/ask", json={"question": "q"}, headers={"Host": "evil.example"})
        assert (foreign.status_code, foreign.headers["content-type"]) == (400, "application/problem+json")
        for host in ("localhost", "localhost:8000", "127.0.0.1:9", "[::1]:8000"):
            reply = await client.post("/ask", json={"question": "q"}, headers={"Host": host})
            assert reply.status_code == 200
        slash = await client.post("/ask/", json={"question": "q"}, headers={"Host": "localhost"})
        assert slash.status_code == 404
