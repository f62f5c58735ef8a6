"""How one service calls another: contracts over HTTP, errors back as the errors they were."""

from typing import TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from shared.errors import DependencyError, InvalidInputError, KGQAError, TooManyPathsError, UnknownEntityError
from shared.tracing import HEADER, current_request_id
from shared.urls import checked_url, shown

Response = TypeVar("Response", bound=BaseModel)

# Errors that are the caller's doing keep their kind; all others are between the services.
_BY_TYPE = {
    f"urn:kgqa:error:{error.kind}": error for error in (InvalidInputError, TooManyPathsError, UnknownEntityError)
}


class ServiceClient:
    """Calls one service at `base_url`; safe for concurrent use.

    Raises InvalidInputError for a `base_url` that is no URL.
    """

    def __init__(
        self, name: str, base_url: str, timeout_s: float, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        self._name = name
        url = checked_url(base_url, f"a {name}" if name[0] not in "aeiou" else f"an {name}")
        self._base_url = str(url)
        self._shown = shown(url)
        self._http = httpx.AsyncClient(
            timeout=timeout_s,
            # A limit would let slow calls starve the question whether the service is ready.
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=20),
            transport=transport,
            trust_env=False,
        )

    async def call(self, route: str, request: BaseModel, response: type[Response]) -> Response:
        """POST `request` to `route`.

        Raises what the service raised (a 4xx problem keeps its kind and message), DependencyError for all else.
        """
        headers = {HEADER: current_request_id.get(), "Content-Type": "application/json"}
        url = f"{self._base_url}{route}"
        try:
            reply = await self._http.post(url, content=request.model_dump_json(), headers=headers)
        except httpx.HTTPError as error:
            reason = str(error) or type(error).__name__
            raise DependencyError(f"the {self._name} at {self._shown} does not answer: {reason}") from error
        if reply.status_code != httpx.codes.OK:
            raise self._as_error(reply)
        try:
            return response.model_validate_json(reply.content)
        except ValidationError as error:
            raise DependencyError(
                f"the {self._name} at {self._shown} answered {route} in another shape than expected; "
                "do both run the same version?"
            ) from error

    async def ready(self) -> bool:
        """Whether the service calls itself ready."""
        try:
            reply = await self._http.get(f"{self._base_url}/readyz")
        except httpx.HTTPError:
            return False
        return reply.status_code == httpx.codes.OK

    async def close(self) -> None:
        """Close connections."""
        await self._http.aclose()

    def _as_error(self, reply: httpx.Response) -> KGQAError:
        try:
            problem = reply.json()
            kind, detail = _BY_TYPE.get(problem["type"]), str(problem["detail"])
        except (ValueError, KeyError, TypeError):
            kind, detail = None, "it is no service of this project, or something between does not reach it"
        if kind is not None:
            return kind(detail)
        return DependencyError(f"the {self._name} at {self._shown} answered {reply.status_code}: {detail}")
