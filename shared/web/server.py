"""Run uvicorn with limits on the size of headers, the duration of requests, and the number of connections.

uvicorn limits neither the size of the headers nor the time that a request takes to arrive.
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

from shared.web.disconnection import ResponseTransport, add_connection
from shared.web.problems import rejection_as_problem

# Maximum size of the request line and the headers of a request, including trailers.
MAX_HEADER_BYTES = 32_768
MAX_HEADERS = 100
# Time limit for receiving headers, from the request's first byte or, for the first request, from connecting.
HEAD_TIMEOUT_S = 10.0
# Time limit for receiving a body after its headers; services respond with 408 earlier if a route reads the body.
MESSAGE_TIMEOUT_S = 60.0

# Time limit for a client that does not read the response, counted from when the send buffer is full.
WRITE_TIMEOUT_S = 30.0
MAX_CONNECTIONS = 1024
_LINGER_S = 1.0
# Kubernetes kills a container after 30 s.
STOP_TIMEOUT_S = 25

FormatRejection = Callable[[http.HTTPStatus, str], tuple[str, bytes]]
"""Function that builds the media type and body of the response to a rejected request from a status and a detail."""


def run(
    app: ASGIApp,
    host: str,
    port: int,
    stop_timeout_s: int = STOP_TIMEOUT_S,
    format_rejection: FormatRejection = rejection_as_problem,
) -> None:
    """Serve `app` until SIGTERM or Ctrl-C, then wait up to `stop_timeout_s` seconds for the requests in flight."""
    _allow_open_files(2 * MAX_CONNECTIONS)
    options = server_options(format_rejection)
    uvicorn.run(app, host=host, port=port, timeout_graceful_shutdown=stop_timeout_s, **options)


def server_options(format_rejection: FormatRejection = rejection_as_problem) -> dict[str, Any]:
    """Return the uvicorn options that apply this module's limits and disable WebSockets."""
    protocol = type("Protocol", (BoundedProtocol,), {"_format_rejection": staticmethod(format_rejection)})
    return {"http": protocol, "ws": "none", "access_log": False, "log_config": None, "server_header": False}


def _allow_open_files(number: int) -> None:
    """Raise the soft limit for open files to `number`, or to the hard limit if that is lower."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = number if hard == resource.RLIM_INFINITY else min(number, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))


class BoundedProtocol(HttpToolsProtocol):
    """Speak HTTP/1.1 on one connection, with limits on header size and on the time for reading and writing.

    A request that exceeds a limit is rejected before it is buffered (431 for large headers, 408 for late ones, 400 for
    invalid HTTP), and the connection is closed. Beyond `MAX_CONNECTIONS`, a new connection replaces the one that has
    waited longest for a complete request, so that idle or stalled connections cannot keep others out.
    """

    _incomplete: ClassVar["OrderedDict[BoundedProtocol, None]"] = OrderedDict()
    _format_rejection: ClassVar[FormatRejection]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._awaits_headers = True
        self._header_bytes = 0
        self._unparsed_bytes = 0
        self._skips_headers = False
        self._discards_input = False
        self._read_timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None
        self._rejection: tuple[http.HTTPStatus, str] | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._responses = ResponseTransport(transport)
        if len(self.connections) > MAX_CONNECTIONS:
            (next(iter(self._incomplete), self)).transport.abort()
        self._incomplete[self] = None
        self._start_read_timer(HEAD_TIMEOUT_S)

    def connection_lost(self, exc: Exception | None) -> None:
        self._incomplete.pop(self, None)
        self._cancel_read_timer()
        self.resume_writing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse received data, and reject the request once its headers exceed the limit."""
        if self._discards_input:
            return
        self._unset_keepalive_if_required()
        if self._read_timer is None and self._awaits_headers:
            self._start_read_timer(HEAD_TIMEOUT_S)
        self._unparsed_bytes += len(data)
        try:
            self._parse(data)
            # No callback sees a header value or chunk extension before it is complete.
            if self._unparsed_bytes > MAX_HEADER_BYTES:
                self._reject_headers()
        except httptools.HttpParserError:
            self.send_400_response("")

    def _parse(self, data: bytes) -> None:
        """Feed the parser, which stops after the headers if a request asks to upgrade the protocol.

        A server may ignore an upgrade (RFC 9110, section 7.8); Java's HTTP client requests one by default. A new parser
        reads the body. It is given only the headers that delimit the body, without the upgrade.
        """
        while True:
            try:
                self.parser.feed_data(data)
            except httptools.HttpParserUpgrade as upgrade:
                data = data[upgrade.args[0] :]
                framing = [(n, v) for n, v in self.headers if n in (b"content-length", b"transfer-encoding")]
                self.parser = httptools.HttpRequestParser(self)
                self._skips_headers = True
                head = b"".join(b"%s: %s\r\n" % field for field in framing)
                self.parser.feed_data(b"POST / HTTP/1.1\r\n%s\r\n" % head)
            else:
                return

    def on_message_begin(self) -> None:
        if not self._skips_headers:
            super().on_message_begin()
            add_connection(self.scope, self._responses)  # type: ignore[arg-type]
            self._header_bytes = self._unparsed_bytes = 0

    def on_url(self, url: bytes) -> None:
        if not self._skips_headers:
            self._count(len(url))
            super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._skips_headers:
            return
        self._count(len(name) + len(value))
        if len(self.headers) >= MAX_HEADERS:
            self._reject_headers()
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        if self._skips_headers:
            self._skips_headers = False
            return
        hosts = sum(name == b"host" for name, _ in self.headers)
        if hosts > 1 or (not hosts and self.parser.get_http_version() == "1.1"):
            self._reject(http.HTTPStatus.BAD_REQUEST, "a request must have exactly one Host header")
        super().on_headers_complete()
        self.cycle.transport = self._responses  # type: ignore[assignment]
        self._awaits_headers = False
        self._unparsed_bytes = 0
        self._start_read_timer(MESSAGE_TIMEOUT_S)

    def on_body(self, body: bytes) -> None:
        self._unparsed_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        if self.parser.should_upgrade():
            return  # the new parser still has to read the body
        self._awaits_headers = True
        self._header_bytes = self._unparsed_bytes = 0
        self._incomplete.pop(self, None)
        self._cancel_read_timer()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Wait for the next request, or close the connection if this one is incomplete."""
        super().on_response_complete()
        if self.transport.is_closing() or self.pipeline:
            return
        if self._discards_input or not self._awaits_headers:
            self._close()
        else:
            self._incomplete[self] = None

    def pause_writing(self) -> None:
        """Wait a limited time for a client that does not read the response."""
        super().pause_writing()
        if self._write_timer is None:
            self._write_timer = self.loop.call_later(WRITE_TIMEOUT_S, self.transport.abort)

    def resume_writing(self) -> None:
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Reject a request after the responses to earlier ones, and close the connection."""
        self._cancel_read_timer()
        self._discards_input = True
        if self._has_pending_responses():
            return
        if not self._awaits_headers:
            if self.cycle.response_started:
                self._close()
                return
            # The app is still waiting for the body.
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        status, detail = self._rejection or (http.HTTPStatus.BAD_REQUEST, "not a valid HTTP/1.1 request")
        content_type, body = type(self)._format_rejection(status, detail)
        head = (
            f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: {content_type}\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self._responses.write(head.encode() + body)
        self._close()

    def _has_pending_responses(self) -> bool:
        """Return whether responses to earlier requests are pending; if so, drop the rejected request."""
        if self._awaits_headers:
            return self.cycle is not None and not self.cycle.response_complete
        if self.pipeline and self.pipeline[0][0] is self.cycle:
            self.pipeline.popleft()
            return True
        return False

    def _close(self) -> None:
        """Close once the client does, or after `_LINGER_S`: closing with unread input would lose the response."""
        self._discards_input = True
        self._unset_keepalive_if_required()
        if not self.transport.is_closing():
            self._responses.write_eof()
            self._read_timer = self.loop.call_later(_LINGER_S, self.transport.abort)

    def _count(self, size: int) -> None:
        self._unparsed_bytes = 0
        self._header_bytes += size
        if self._header_bytes > MAX_HEADER_BYTES:
            self._reject_headers()

    def _reject_headers(self) -> None:
        detail = f"the headers exceed {MAX_HEADER_BYTES} bytes or {MAX_HEADERS} fields; send fewer or shorter ones"
        self._reject(http.HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, detail)

    def _reject(self, status: http.HTTPStatus, detail: str) -> None:
        self._rejection = (status, detail)
        raise httptools.HttpParserError(detail)

    def _start_read_timer(self, seconds: float) -> None:
        self._cancel_read_timer()
        self._read_timer = self.loop.call_later(seconds, self._time_out)

    def _cancel_read_timer(self) -> None:
        if self._read_timer is not None:
            self._read_timer.cancel()
            self._read_timer = None

    def _time_out(self) -> None:
        """Close a connection whose request is late; respond with 408 if part of its headers arrived."""
        if self._awaits_headers and self._unparsed_bytes + self._header_bytes:
            self._rejection = (
                http.HTTPStatus.REQUEST_TIMEOUT,
                f"the headers did not arrive within {HEAD_TIMEOUT_S:g} s; send them without pauses",
            )
            self.send_400_response("")
        else:
            self.transport.close()
