"""Addresses of other services: checked once at start, and shown without the passwords that they may carry."""

import httpx

from shared.errors import InvalidInputError

LOOPBACK = ("127.0.0.1", "localhost", "::1", "[::1]")


def checked_url(url: str, whose: str) -> httpx.URL:
    """`url` without its last slash; raises InvalidInputError unless it is http(s) and names a host."""
    try:
        parsed = httpx.URL(url.strip().rstrip("/"))
    except httpx.InvalidURL as error:
        raise InvalidInputError(f"{url!r} is not the URL of {whose}: {error}") from error
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise InvalidInputError(f"{shown(parsed)!r} is not the URL of {whose}: expected one like http://host:8000")
    return parsed


def shown(url: httpx.URL) -> str:
    """A URL as it may stand in a message: without user and password."""
    return str(url.copy_with(userinfo=b"")) if url.userinfo else str(url)


def is_loopback(url: httpx.URL) -> bool:
    """Whether the URL is this machine's own."""
    return url.host in LOOPBACK
