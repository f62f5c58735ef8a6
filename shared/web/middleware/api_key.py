"""Reject requests without a valid API key."""

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from shared.access import current_access, current_caller
from shared.api_keys import ApiKeys, bearer_token
from shared.cost_of_wrong import callers_cost
from shared.errors import UnauthenticatedError
from shared.web.open_paths import OpenPaths
from shared.web.problems import problem_response

KEY_HEADER = "X-API-Key"
CALLER = "caller"
"""Key of the caller's name in the state of a request."""
_MISSING = "this service requires an API key: send it as `Authorization: Bearer KEY`; for kgqa ask, set KGQA_API_KEY"
_WRONG = "the API key is not valid; ask the operator of this service for a key (kgqa keys add)"


class ApiKeyMiddleware:
    """Respond with 401 to requests without a valid key, before their body is read or counts towards a limit.

    A key is a bearer token, as OpenAI's clients send it, or the value of `X-API-Key`. Paths in `open_paths` need no
    key. `current_caller`, `current_access`, and `callers_cost` say for the rest of the request whose key it is, what
    they may see, and what a wrong answer costs them.
    """

    def __init__(self, app: ASGIApp, keys: ApiKeys, open_paths: OpenPaths) -> None:
        self._app = app
        self._keys = keys
        self._open_paths = open_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] not in self._open_paths:
            key = _key(Headers(scope=scope))
            caller = self._keys.caller(key) if key is not None else None
            if caller is None:
                error = UnauthenticatedError(_MISSING if key is None else _WRONG)
                await problem_response(Request(scope), error)(scope, receive, send)
                return
            scope.setdefault("state", {})[CALLER] = caller
            current_access.set(self._keys.access(caller))
            current_caller.set(caller)
            callers_cost.set(self._keys.cost_of_wrong(caller))
        await self._app(scope, receive, send)


def _key(headers: Headers) -> str | None:
    return bearer_token(headers.get("authorization", "")) or headers.get(KEY_HEADER) or None
