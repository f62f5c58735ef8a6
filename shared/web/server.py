"""The HTTP server that every service runs on: uvicorn, with bounds on what a connection may send and hold.

uvicorn bounds neither the size of request headers nor the time that a request takes to arrive, so both bounds are
set here, in the class that parses connections.
"""

import asyncio
import http
import resource
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, ClassVar

import httptools
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from shared.contracts import Problem
from shared.tracing import accept_request_id

MAX_HEADER_BYTES = 32_768
"""Request line and headers of one request, trailers included."""

MAX_HEADERS = 100
HEAD_TIMEOUT_S = 10.0
"""Time from the first byte of a request, or from the connection if it sends none, to the end of its headers."""

MESSAGE_TIMEOUT_S = 60.0
"""Time from the end of the headers to the end of the body. Services answer 408 before; this also holds for bodies that
nobody reads."""

WRITE_TIMEOUT_S = 30.0
"""Time that a client may leave a full send buffer unread."""

MAX_CONNECTIONS = 1024
_LINGER_S = 1.0
# Below the 30 s after which Kubernetes kills.
STOP_TIMEOUT_S = 25


FormatRefusal = Callable[[http.HTTPStatus, str], tuple[str, bytes]]
"""Content type and body of the response to a request that is refused with a status and a detail."""


def as_problem(status: http.HTTPStatus, detail: str) -> tuple[str, bytes]:
    """Format a refusal as problem+json (RFC 9457)."""
    problem = Problem(
        type=f"urn:kgqa:error:{status.name.lower().replace('_', '-')}",
        title=status.phrase,
        status=status,
        detail=detail,
        instance="",
        request_id=accept_request_id(None),
    )
    return "application/problem+json", problem.model_dump_json().encode()


def run(
    app: ASGIApp,
    host: str,
    port: int,
    stop_timeout_s: int = STOP_TIMEOUT_S,
    format_refusal: FormatRefusal = as_problem,
) -> None:
    """Serve `app` until SIGTERM or Ctrl-C; requests in flight then have `stop_timeout_s` seconds to finish."""
    _allow_open_files(2 * MAX_CONNECTIONS)
    options = server_options(format_refusal)
    uvicorn.run(app, host=host, port=port, timeout_graceful_shutdown=stop_timeout_s, **options)


def server_options(format_refusal: FormatRefusal = as_problem) -> dict[str, Any]:
    """Return uvicorn's options for a server with the bounds of this module and without WebSockets."""
    protocol = type("Protocol", (BoundedProtocol,), {"_format_refusal": staticmethod(format_refusal)})
    return {"http": protocol, "ws": "none", "access_log": False, "log_config": None, "server_header": False}


def _allow_open_files(number: int) -> None:
    """Raise the soft limit of open files to `number`, or to the hard limit if that is lower."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = number if hard == resource.RLIM_INFINITY else min(number, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))


class BoundedProtocol(HttpToolsProtocol):
    """HTTP/1.1 on one connection, with bounded headers and deadlines for reading and writing.

    A request that exceeds a bound is refused with `Connection: close` before it is buffered: 431 for headers, 408 for
    headers that do not arrive, 400 for what is no HTTP. Beyond `MAX_CONNECTIONS` the connection that has waited longest
    for a whole request is closed in favour of the new one, so that idle or stalled ones cannot keep others out.
    """

    _arriving: ClassVar["OrderedDict[BoundedProtocol, None]"] = OrderedDict()
    _format_refusal: ClassVar[FormatRefusal]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._reads_head = True
        self._head_bytes = 0
        self._unparsed_bytes = 0
        self._ignores_head = False
        self._ignores_input = False
        self._arrival: asyncio.TimerHandle | None = None
        self._writing: asyncio.TimerHandle | None = None
        self._refusal: tuple[http.HTTPStatus, str] | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept a connection, and wait for its first request."""
        super().connection_made(transport)
        if len(self.connections) > MAX_CONNECTIONS:
            (next(iter(self._arriving), self)).transport.abort()
        self._arriving[self] = None
        self._expect(HEAD_TIMEOUT_S)

    def connection_lost(self, exc: Exception | None) -> None:
        """Release what the connection holds."""
        self._arriving.pop(self, None)
        self._stop_waiting()
        self.resume_writing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what arrived; refuse the request once its headers exceed their bound."""
        if self._ignores_input:
            return
        self._unset_keepalive_if_required()
        if self._arrival is None and self._reads_head:
            self._expect(HEAD_TIMEOUT_S)
        self._unparsed_bytes += len(data)
        try:
            self._parse(data)
            # A single header value or chunk extension reaches no callback before it is complete.
            if self._unparsed_bytes > MAX_HEADER_BYTES:
                self._refuse_headers()
        except httptools.HttpParserError:
            self.send_400_response("")

    def _parse(self, data: bytes) -> None:
        """Feed the parser, which stops after the headers of a request that offers another protocol.

        Such an offer may be ignored (RFC 9110, section 7.8), and Java's HTTP client makes one by default. What follows
        is the body: a new parser reads it, which is given the framing and no offer.
        """
        while True:
            try:
                self.parser.feed_data(data)
            except httptools.HttpParserUpgrade as upgrade:
                data = data[upgrade.args[0] :]
                framing = [(n, v) for n, v in self.headers if n in (b"content-length", b"transfer-encoding")]
                self.parser = httptools.HttpRequestParser(self)
                self._ignores_head = True
                head = b"".join(b"%s: %s\r\n" % field for field in framing)
                self.parser.feed_data(b"POST / HTTP/1.1\r\n%s\r\n" % head)
            else:
                return

    def on_message_begin(self) -> None:
        """Start to count the headers of a request."""
        if not self._ignores_head:
            super().on_message_begin()
            self._head_bytes = self._unparsed_bytes = 0

    def on_url(self, url: bytes) -> None:
        """Take a piece of the request line."""
        if not self._ignores_head:
            self._count(len(url))
            super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take one header, or one trailer."""
        if self._ignores_head:
            return
        self._count(len(name) + len(value))
        if len(self.headers) >= MAX_HEADERS:
            self._refuse_headers()
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Start the request, and wait for its body."""
        if self._ignores_head:
            self._ignores_head = False
            return
        hosts = sum(name == b"host" for name, _ in self.headers)
        if hosts > 1 or (not hosts and self.parser.get_http_version() == "1.1"):
            self._refuse(http.HTTPStatus.BAD_REQUEST, "a request must have one Host header")
        super().on_headers_complete()
        self._reads_head = False
        self._unparsed_bytes = 0
        self._expect(MESSAGE_TIMEOUT_S)

    def on_body(self, body: bytes) -> None:
        """Take a piece of the body."""
        self._unparsed_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """End the request; the next one may follow."""
        if self.parser.should_upgrade():
            return  # its body is still to be read
        self._reads_head = True
        self._head_bytes = self._unparsed_bytes = 0
        self._arriving.pop(self, None)
        self._stop_waiting()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Wait for the next request, unless the rest of this one is not worth reading."""
        super().on_response_complete()
        if self.transport.is_closing() or self.pipeline:
            return
        if self._ignores_input or not self._reads_head:
            self._close()
        else:
            self._arriving[self] = None

    def pause_writing(self) -> None:
        """Wait for a client that does not read, for a limited time."""
        super().pause_writing()
        if self._writing is None:
            self._writing = self.loop.call_later(WRITE_TIMEOUT_S, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on with a client that reads again."""
        if self._writing is not None:
            self._writing.cancel()
            self._writing = None
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Refuse a request, after the responses to those before it, and close the connection."""
        self._stop_waiting()
        self._ignores_input = True
        if self._is_answering_others():
            return
        if not self._reads_head:
            if self.cycle.response_started:
                self._close()
                return
            # The application is still waiting for the body.
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        status, detail = self._refusal or (http.HTTPStatus.BAD_REQUEST, "not a valid HTTP/1.1 request")
        content_type, body = type(self)._format_refusal(status, detail)
        head = (
            f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: {content_type}\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self._close()

    def _is_answering_others(self) -> bool:
        """Whether requests before the refused one wait for their responses; the refused one is dropped then."""
        if self._reads_head:
            return self.cycle is not None and not self.cycle.response_complete
        if self.pipeline and self.pipeline[0][0] is self.cycle:
            self.pipeline.popleft()
            return True
        return False

    def _close(self) -> None:
        """Close when the client does, or soon: unread input would reset the connection, and the response be lost."""
        self._ignores_input = True
        self._unset_keepalive_if_required()
        if not self.transport.is_closing():
            self.transport.write_eof()
            self._arrival = self.loop.call_later(_LINGER_S, self.transport.abort)

    def _count(self, size: int) -> None:
        self._unparsed_bytes = 0
        self._head_bytes += size
        if self._head_bytes > MAX_HEADER_BYTES:
            self._refuse_headers()

    def _refuse_headers(self) -> None:
        detail = f"the headers exceed {MAX_HEADER_BYTES} bytes or {MAX_HEADERS} fields; send fewer or shorter ones"
        self._refuse(http.HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, detail)

    def _refuse(self, status: http.HTTPStatus, detail: str) -> None:
        self._refusal = (status, detail)
        raise httptools.HttpParserError(detail)

    def _expect(self, seconds: float) -> None:
        self._stop_waiting()
        self._arrival = self.loop.call_later(seconds, self._give_up)

    def _stop_waiting(self) -> None:
        if self._arrival is not None:
            self._arrival.cancel()
            self._arrival = None

    def _give_up(self) -> None:
        """Close a connection whose request did not arrive in time; answer 408 if it began one."""
        if self._reads_head and self._unparsed_bytes + self._head_bytes:
            self._refusal = (
                http.HTTPStatus.REQUEST_TIMEOUT,
                f"the headers did not arrive within {HEAD_TIMEOUT_S:g} s; send them at once",
            )
            self.send_400_response("")
        else:
            self.transport.close()
