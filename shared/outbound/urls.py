"""Parse the URLs of other servers, and redact the passwords in them."""

import re
from contextlib import suppress
from ipaddress import IPv6Address
from typing import Annotated
from urllib.parse import quote

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError
from yarl import URL

from shared.errors import InvalidInputError

LOOPBACK = ("127.0.0.1", "localhost", "::1", "[::1]")
HIDDEN = "the given URL (hidden, because it may contain a password)"

# Anything else may be a mistyped URL whose password looks like a host, a port, or a path.
_WELL_FORMED = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+]*://)(?P<user>[^/?#@]*@)?(?P<host>(?:[\w.-]+|\[[0-9a-f:.]+\])(?::(?P<port>[0-9]{1,5}))?)"
    r"(?P<path>(?:/[^?#\s]*)?)(?P<rest>(?:[?#]\S*)?)",
    re.IGNORECASE,
)
_AT = re.compile("@|%40")
_MAX_PORT = 65_535


def redact_url(url: str | URL) -> str:
    """Format a URL for a message without its password: scheme, host, port, and path, or a placeholder if malformed."""
    found = _match(str(url))
    return found["scheme"] + found["host"] + found["path"] if found else HIDDEN


def is_well_formed(url: str) -> bool:
    """Return whether `url` has a scheme and a host, and a password only where one belongs."""
    return _match(url) is not None


def parse_http_url(url: str, server: str) -> URL:
    """Parse an http(s) URL, ignoring a trailing slash; raise InvalidInputError if it is malformed or not http(s).

    The error message says what the URL should point to: `server`, such as "a retriever".
    """
    found = _match(url.strip().rstrip("/"))
    if found and found.string.isprintable():
        with suppress(ValueError):  # its message would quote the URL
            user = quote(found["user"] or "", safe=":@%!$&'()*+,;=")
            parsed = URL(f"{found['scheme']}{user}{found['host']}{found['path']}{found['rest']}")
            if parsed.scheme in ("http", "https") and parsed.host:
                if ":" in parsed.host:
                    IPv6Address(parsed.host)
                return parsed
    raise InvalidInputError(
        f"{redact_url(url)} is not the URL of {server}; expected one like http://host:8000, with special characters "
        "in the password percent-encoded"
    )


def _match(url: str) -> re.Match[str] | None:
    found = _WELL_FORMED.fullmatch(url.strip())
    if found is None or _AT.search(found["path"] + found["rest"]) or int(found["port"] or 0) > _MAX_PORT:
        return None
    return found


def _validate(url: str) -> str:
    try:
        parse_http_url(url, "a server")
    except InvalidInputError as error:
        raise PydanticCustomError("url", "{reason}", {"reason": error.detail}) from None
    return url


HttpUrl = Annotated[str, AfterValidator(_validate)]
"""Type of a setting that holds an http(s) URL; the error for an invalid URL names the setting's variable."""
