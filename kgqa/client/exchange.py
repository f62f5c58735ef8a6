"""Translate between the client's operations and httpx."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from kgqa.client.errors import ClientError, ConnectionFailedError, UnexpectedReplyError, reply_error
from kgqa.client.operations import Connection, Operation

GRACE_S = 5.0
"""The seconds that the client waits longer than the service, which can then say that time ran out."""


def built(http: httpx.Client | httpx.AsyncClient, to: Connection, operation: Operation[Any]) -> httpx.Request:
    """Return the request of an operation."""
    headers = {"Content-Type": "application/json"} if operation.content is not None else {}
    return http.build_request(
        operation.method, f"{to.base_url}{operation.path}", content=operation.content, headers=headers
    )


def failed(response: httpx.Response, content: bytes) -> ClientError:
    """Return the error for a response without success."""
    return reply_error(response.status_code, content, response.headers.get("Retry-After"), str(response.url))


def broken_stream(url: httpx.URL) -> ConnectionFailedError:
    """Return the error for a stream that ends without a result."""
    return ConnectionFailedError(f"the stream from {url} ended before the result; ask again", was_sent=True)


@contextmanager
def explained(url: httpx.URL) -> Iterator[None]:
    """Turn httpx's errors into the client's."""
    try:
        yield
    except httpx.TimeoutException as error:
        timed_out = not isinstance(error, httpx.ConnectTimeout)
        raise ConnectionFailedError(f"{url} did not reply in time", was_sent=timed_out, timed_out=timed_out) from error
    except httpx.TransportError as error:
        raise ConnectionFailedError(
            f"{url} is unreachable: {error or type(error).__name__}; is kgqa up running, and is the URL correct?",
            was_sent=not isinstance(error, httpx.ConnectError),
        ) from error
    except httpx.RequestError as error:
        raise UnexpectedReplyError(f"{url} returned a reply that cannot be read: {error}") from error
