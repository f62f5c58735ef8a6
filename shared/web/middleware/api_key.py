"""Reject requests without a valid API key."""

from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from shared.api_keys import ApiKeys
from shared.errors import UnauthenticatedError
from shared.web.problems import problem_response

KEY_HEADER = "X-API-Key"
_MISSING = "this service requires an API key: send it as `Authorization: Bearer KEY`; for kgqa ask, set KGQA_API_KEY"
_WRONG = "the API key is not valid; ask the operator of this service for a key (kgqa keys add)"


class ApiKeyMiddleware:
    """Respond with 401 to requests without a valid key, before their body is read or counts towards a limit.

    A key is a bearer token, as OpenAI's clients send it, or the value of `X-API-Key`. Paths in `open_paths`, and paths
    that begin with one of them if it ends with a slash, need no key.
    """

    def __init__(self, app: ASGIApp, keys: ApiKeys, open_paths: Collection[str]) -> None:
        self._app = app
        self._keys = keys
        self._open_paths = frozenset(open_paths)
        self._open_folders = tuple(path for path in open_paths if path.endswith("/"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self._is_open(scope["path"]):
            key = _key(Headers(scope=scope))
            if key is None or self._keys.caller(key) is None:
                error = UnauthenticatedError(_MISSING if key is None else _WRONG)
                await problem_response(Request(scope), error)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _is_open(self, path: str) -> bool:
        return path in self._open_paths or path.startswith(self._open_folders)


def _key(headers: Headers) -> str | None:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        return token.strip()
    return headers.get(KEY_HEADER) or None
