"""HTTP to one server: connections that are kept, and a second try where none could be made."""

import asyncio
import random
from collections.abc import Mapping

import aiohttp
import httpx

# Shorter than uvicorn's own, so that a connection is not used that the server is about to close.
_KEEP_ALIVE_S = 4.0
_SECONDS_TO_CONNECT = 5.0
_SECONDS_TO_ANOTHER_TRY = (0.02, 0.1)

# What a call may raise beside TimeoutError.
ConnectionFailed = aiohttp.ClientError


class Connections:
    """Asks one server at `base_url`; safe for concurrent use on one event loop.

    `headers` go with every request. `proxies`: whether those that the environment names are asked in its place.
    """

    def __init__(self, base_url: httpx.URL, headers: Mapping[str, str] | None = None, *, proxies: bool = False) -> None:
        self._base_url = str(base_url)
        self._headers = headers or {}
        self._proxies = proxies
        self._opened: aiohttp.ClientSession | None = None

    async def get(self, route: str, seconds: float) -> tuple[int, bytes]:
        """Status and content of `route`. Raises ConnectionFailed, and TimeoutError after `seconds`."""
        async with asyncio.timeout(seconds):
            return await self._request("GET", route)

    async def post(
        self, route: str, body: bytes, seconds: float, headers: Mapping[str, str] | None = None
    ) -> tuple[int, bytes]:
        """Status and content of what JSON sent to `route` gives, errors as of `get`.

        Sent once more where no connection could be made, or one was closed: a replica that goes away lets go of them.
        """
        headers = {**(headers or {}), "Content-Type": "application/json"}
        async with asyncio.timeout(seconds):
            try:
                return await self._request("POST", route, body, headers)
            except aiohttp.ServerTimeoutError:
                raise
            except aiohttp.ClientConnectionError:
                await asyncio.sleep(random.uniform(*_SECONDS_TO_ANOTHER_TRY))
                return await self._request("POST", route, body, headers)

    async def close(self) -> None:
        """Close connections."""
        if self._opened:
            await self._opened.close()

    async def _request(
        self, method: str, route: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, bytes]:
        url = f"{self._base_url}{route}"
        async with self._session.request(method, url, data=body, headers=headers, allow_redirects=False) as reply:
            return reply.status, await reply.read()

    @property
    def _session(self) -> aiohttp.ClientSession:
        """Opened with the first call: it belongs to the event loop that is running then."""
        if self._opened is None:
            self._opened = aiohttp.ClientSession(
                # A limit would let slow calls starve the question whether the server is ready.
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEEP_ALIVE_S),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=_SECONDS_TO_CONNECT),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers=self._headers,
                trust_env=self._proxies,
            )
        return self._opened


def reason(error: Exception) -> str:
    """Why a call failed, in the words of the operating system where it has some."""
    if isinstance(error, aiohttp.ClientConnectorError) and error.os_error.strerror:
        return error.os_error.strerror
    if isinstance(error, aiohttp.InvalidURL):
        return type(error).__name__  # its message is the URL, which may hold a password
    return str(error) or type(error).__name__
