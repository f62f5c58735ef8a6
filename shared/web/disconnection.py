"""Discard responses to clients that are gone, and let the application see that they are."""

import asyncio
from collections.abc import Callable

from starlette.types import Scope

_EXTENSION = "kgqa.connection"


class ResponseTransport:
    """Pass on the responses of one connection until it is closed, and discard what comes later.

    uvloop closes a connection some callbacks before it reports `connection_lost`. Between the two, and after
    `write_eof`, a write to its transport raises RuntimeError, which would be reported as an error of the application.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._is_ended = False

    def write(self, data: bytes) -> None:
        """Send data, unless the connection is closed."""
        if not self._is_ended and not self._transport.is_closing():
            self._transport.write(data)

    def write_eof(self) -> None:
        """End the responses; what is written later is discarded."""
        if not self._is_ended and not self._transport.is_closing():
            self._is_ended = True
            self._transport.write_eof()

    def close(self) -> None:
        """Close the connection after what was written has been sent."""
        self._transport.close()

    def is_closing(self) -> bool:
        """Return whether the connection is closed, by the client or by this server."""
        return self._transport.is_closing()


def add_connection(scope: Scope, transport: ResponseTransport) -> None:
    """Let `is_disconnected` ask about the connection of a request."""
    scope.setdefault("extensions", {})[_EXTENSION] = {"is_closing": transport.is_closing}


def is_disconnected(scope: Scope) -> bool:
    """Return whether the connection of a request is closed; False if its server does not say."""
    connection: dict[str, Callable[[], bool]] = scope.get("extensions", {}).get(_EXTENSION, {})
    return "is_closing" in connection and connection["is_closing"]()
