"""Define the project's exceptions and the HTTP status of each.

    KGQAError
    ├── InvalidInputError             422  invalid request, file, or option
    │   ├── TooManyPathsError
    │   └── PlanLimitError
    ├── NotFoundError                 404  unknown model or file
    │   ├── UnknownEntityError
    │   └── UnknownGraphError              does not exist, or is not for this caller
    ├── UnauthenticatedError          401  no valid API key
    ├── ForbiddenError                403  not allowed with this API key
    ├── BusyError                     429  too many requests
    └── DependencyError               503  failed graph store, language model server, or service
        ├── RefusedError                   rejects the request; a retry cannot succeed
        ├── OverloadedError                responds, but accepts no more requests at the moment
        ├── UnreachableError               refuses connections or does not respond in time
        └── DeadlineExceededError          no time left; 408 if the caller set the deadline

Every message states what was wrong, where, and what to do.
"""

from typing import ClassVar


class KGQAError(Exception):
    """Base class of the exceptions that this project raises deliberately.

    Problem+json (RFC 9457) renders `kind` as `urn:kgqa:error:<kind>`; all errors of a kind share `title` and `status`.
    """

    kind: ClassVar[str] = "internal"
    title: ClassVar[str] = "Internal server error"
    status: ClassVar[int] = 500

    @property
    def detail(self) -> str:
        """Return the full message, for logs and the command line."""
        return str(self)

    @property
    def public_detail(self) -> str:
        """Return the message for HTTP callers, without the addresses of other services."""
        return self.detail


class InvalidInputError(KGQAError):
    """Raised for an invalid request, file, or option."""

    kind = "invalid-input"
    title = "Invalid input"
    status = 422


class TooManyPathsError(InvalidInputError):
    """Raised when a relation path fans out too far to be followed; a retry would fail again."""

    kind = "too-many-paths"
    title = "Too many paths"


class PlanLimitError(InvalidInputError):
    """Raised if a plan exceeds a limit on time, rows, or the size of numbers. There is no partial result."""

    kind = "plan-limit"
    title = "The query plan exceeds a limit"


class NotFoundError(KGQAError):
    """Raised when a graph, model, or file does not exist."""

    kind = "not-found"
    title = "Resource not found"
    status = 404


class UnknownEntityError(NotFoundError):
    """Raised when the graph does not contain the topic entity."""

    kind = "unknown-topic-entity"
    title = "Unknown topic entity"


class UnknownGraphError(NotFoundError):
    """Raised when a requested graph is not served, or when the caller may not see it."""

    kind = "unknown-graph"
    title = "Unknown graph"


class UnauthenticatedError(KGQAError):
    """Raised when a request has no valid API key."""

    kind = "unauthenticated"
    title = "API key required"
    status = 401


class ForbiddenError(KGQAError):
    """Raised when the caller's API key does not allow a request."""

    kind = "forbidden"
    title = "Not allowed"
    status = 403


class BusyError(KGQAError):
    """Raised when the service handles its maximum number of requests, or a caller has sent all that it may send.

    A retry may succeed after `retry_after_s` seconds.
    """

    kind = "busy"
    title = "Too many requests"
    status = 429

    def __init__(self, message: str, retry_after_s: int = 1) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class DependencyError(KGQAError):
    """Raised when a graph store, language model server, or service fails or returns invalid data.

    The message may contain addresses. HTTP callers receive `public_detail`, which is generic by default.
    """

    kind = "dependency-unavailable"
    title = "Dependency unavailable"
    status = 503

    def __init__(self, message: str, public_detail: str | None = None) -> None:
        super().__init__(message)
        self._public_detail = public_detail

    @property
    def public_detail(self) -> str:
        """Return the message for HTTP callers, without addresses."""
        return self._public_detail or (
            "a dependency of this service is unavailable; retry shortly, or look up this request_id in its log"
        )


class RefusedError(DependencyError):
    """Raised when a dependency rejects a request, for example because of a wrong key; a retry cannot succeed."""


class OverloadedError(DependencyError):
    """Raised when a dependency responds but accepts no more requests at the moment."""


class UnreachableError(DependencyError):
    """Raised when a dependency refuses connections or does not respond in time."""


class DeadlineExceededError(DependencyError):
    """Raised when the request's deadline has passed; the dependency itself may be healthy."""

    kind = "deadline-exceeded"
    title = "Deadline exceeded"

    def __init__(self, message: str | None = None) -> None:
        default = "the request's deadline has passed; increase X-Timeout-Ms or request less"
        super().__init__(message or default, default)
