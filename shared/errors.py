"""The one error tree of the project, and the HTTP status of each branch.

    KGQAError
    ├── InvalidInputError     422  a request, file or option that cannot be taken as it is
    │   └── TooManyPathsError
    ├── NotFoundError         404  a name that nothing answers to
    │   └── UnknownEntityError
    ├── BusyError             429  too much is asked at once
    └── DependencyError       503  an outside thing (graph, LLM, another service) that does not answer
        ├── RefusedError      ...  and will not, however often it is asked
        ├── OverloadedError   ...  for now, since it is asked too much
        └── NoTimeLeftError   ...  in the time that was left; 408 where the caller set that time

Every message says what was wrong, where, and what to do.
"""

from typing import ClassVar


class KGQAError(Exception):
    """Root of all errors that this project raises on purpose.

    `kind` names the error in problem+json (RFC 9457) as `urn:kgqa:error:<kind>`; `status` is its HTTP status.
    """

    kind: ClassVar[str] = "internal"
    title: ClassVar[str] = "The request could not be served"
    status: ClassVar[int] = 500

    @property
    def detail(self) -> str:
        """The whole message, for logs and for the command line."""
        return str(self)

    @property
    def public_detail(self) -> str:
        """The message for a caller over HTTP: without addresses of other services."""
        return self.detail


class InvalidInputError(KGQAError):
    """A request, file or option that cannot be taken as it is."""

    kind = "invalid-input"
    title = "The input is not valid"
    status = 422


class TooManyPathsError(InvalidInputError):
    """A question whose relation path fans out too far to be walked, today and tomorrow."""

    kind = "too-many-paths"
    title = "The question leads to too much of the graph"


class NotFoundError(KGQAError):
    """A graph, model or file that does not exist."""

    kind = "not-found"
    title = "There is no such thing"
    status = 404


class UnknownEntityError(NotFoundError):
    """A topic entity that the graph does not have under this name."""

    kind = "unknown-topic-entity"
    title = "The graph has no such entity"


class BusyError(KGQAError):
    """More is asked at once than is taken on."""

    kind = "busy"
    title = "Too many requests at once"
    status = 429


class DependencyError(KGQAError):
    """An outside thing (graph store, LLM server, another service) that does not answer or answers nonsense.

    Its message may name addresses, so callers over HTTP get `public_detail` in its place.
    """

    kind = "dependency-unavailable"
    title = "Something that this service depends on does not answer"
    status = 503

    def __init__(self, message: str, public_detail: str | None = None) -> None:
        super().__init__(message)
        self._public_detail = public_detail

    @property
    def public_detail(self) -> str:
        """What failed, without addresses."""
        return self._public_detail or (
            "something that this service depends on does not answer; ask again in a moment, or look for this "
            "request_id in the service's log"
        )


class RefusedError(DependencyError):
    """An outside thing that wants another key, or does not have what it is asked for: no use in asking again."""


class OverloadedError(DependencyError):
    """An outside thing that answers, but takes no more requests for now."""


class NoTimeLeftError(DependencyError):
    """The request's deadline is over, or too near: nothing is said about the dependency."""

    kind = "deadline-exceeded"
    title = "The time for this request is over"

    def __init__(self, message: str) -> None:
        public_detail = "no time is left for this request; allow it more by X-Timeout-Ms, or ask less at once"
        super().__init__(message, public_detail)
