"""URLs of other services: checked once at start, and shown without the passwords that they may hold."""

import re
from typing import Annotated

import httpx
from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

from shared.errors import InvalidInputError

LOOPBACK = ("127.0.0.1", "localhost", "::1", "[::1]")

HIDDEN = "the given address (not shown, it may hold a password)"

# Anything else may be a mistyped URL, in which a password can be taken for a host, a port or a path.
_PLAIN = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+]*://)(?:[^/?#@]*@)?(?P<host>(?:[\w.-]+|\[[0-9a-f:.]+\])(?::(?P<port>[0-9]{1,5}))?)"
    r"(?P<path>(?:/[^?#\s]*)?)(?P<rest>(?:[?#]\S*)?)",
    re.IGNORECASE,
)
_AT = re.compile("@|%40")
_HIGHEST_PORT = 65_535


def shown(url: str | httpx.URL) -> str:
    """Format a URL for a message: scheme, host, port and path, or nothing of it unless it is well-formed.

    Every message that contains a URL uses this, since users mistype URLs that hold passwords.
    """
    found = _PLAIN.fullmatch(str(url).strip())
    if found is None or _AT.search(found["path"] + found["rest"]) or int(found["port"] or 0) > _HIGHEST_PORT:
        return HIDDEN
    return found["scheme"] + found["host"] + found["path"]


def is_plain(url: str) -> bool:
    """Whether `url` has a scheme and a host, and a password only where one belongs."""
    return shown(url) != HIDDEN


def checked_url(url: str, whose: str) -> httpx.URL:
    """Parse `url` and drop its last slash; raise InvalidInputError unless it is http(s) and names a host."""
    text = url.strip().rstrip("/")
    expected = "expected one like http://host:8000, with special characters of a password percent-encoded"
    try:
        # Its errors quote what they could not parse.
        parsed = httpx.URL(text) if is_plain(text) else None
    except httpx.InvalidURL:
        parsed = None
    if parsed is None or parsed.scheme not in ("http", "https") or not parsed.host:
        raise InvalidInputError(f"{shown(text)} is not the URL of {whose}: {expected}")
    return parsed


def is_loopback(url: httpx.URL) -> bool:
    """Whether the URL is this machine's own."""
    return url.host in LOOPBACK


def _checked(url: str) -> str:
    try:
        checked_url(url, "a server")
    except InvalidInputError as error:
        raise PydanticCustomError("url", "{reason}", {"reason": error.detail}) from None
    return url


HttpUrl = Annotated[str, AfterValidator(_checked)]
"""A setting that holds an http(s) URL; one that does not is reported by the name of its variable."""
