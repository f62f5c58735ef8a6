"""Define the errors of the client: one class for each type of problem that the services report.

ClientError
├── ConnectionFailedError         the service cannot be reached, or the connection broke
├── UnexpectedReplyError          the reply is not one of kgqa's; the URL may point to another server
└── ProblemError                  the service reported a problem
    ├── InvalidRequestError       400  bad-request
    ├── InvalidInputError         422  invalid-input
    ├── TooManyPathsError         422  too-many-paths
    ├── PlanLimitError            422  plan-limit
    ├── UnauthenticatedError      401  unauthenticated
    ├── ForbiddenError            403  forbidden
    ├── NotFoundError             404  not-found
    │   ├── UnknownEntityError    404  unknown-topic-entity
    │   └── UnknownGraphError     404  unknown-graph
    ├── NoSuchRouteError          404  no-such-route
    ├── MethodNotAllowedError     405  method-not-allowed
    ├── RequestTimeoutError       408  request-timeout
    ├── BodyTooLargeError         413  body-too-large
    ├── BusyError                 429  busy
    ├── HeadersTooLargeError      431  request-header-fields-too-large
    ├── InternalError             500  internal
    ├── DependencyError           503  dependency-unavailable
    └── DeadlineExceededError     503  deadline-exceeded; 408 if the caller set the deadline
"""

from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, ClassVar

from pydantic import ValidationError

from shared.problem import Problem
from shared.request_context import request_time

_URN = "urn:kgqa:error:"


class ClientError(Exception):
    """Base class of the client's errors."""


class ConnectionFailedError(ClientError):
    """Raised if the service cannot be reached, does not reply in time, or breaks the connection.

    `was_sent` is false if the service certainly has not read the request, and `timed_out` is true if time ran out.
    """

    def __init__(self, message: str, *, was_sent: bool, timed_out: bool = False) -> None:
        super().__init__(message)
        self.was_sent = was_sent
        self.timed_out = timed_out


class UnexpectedReplyError(ClientError):
    """Raised if a reply is not one of kgqa's."""


class ProblemError(ClientError):
    """Raised if the service reports a problem (RFC 9457).

    Attributes:
        kind: The end of the problem's type, `urn:kgqa:error:<kind>`.
        title: What all problems of this kind have in common.
        status: The HTTP status.
        detail: What is wrong, where, and what to do.
        hint: What helps against problems of this class.
        request_id: The ID under which the services log the request.
        errors: The invalid fields, each with its `field` and a `message`.
        retry_after_s: The seconds after which the service asks to try again, if it does.
    """

    hint: ClassVar[str] = "look up the request ID in the service's log"

    def __init__(self, problem: Problem, retry_after_s: float | None = None) -> None:
        super().__init__(f"{problem.title}: {problem.detail}")
        self.kind = problem.type.removeprefix(_URN)
        self.title = problem.title
        self.status = problem.status
        self.detail = problem.detail
        self.request_id = problem.request_id
        self.errors = tuple(problem.errors)
        self.retry_after_s = retry_after_s


class InvalidRequestError(ProblemError):
    """Raised if a request is not valid HTTP."""

    hint = "look for a proxy that changes requests"


class InvalidInputError(ProblemError):
    """Raised if a field is missing, invalid, or unknown."""

    hint = "correct the fields that `errors` lists"


class TooManyPathsError(ProblemError):
    """Raised if the question leads to too many paths in the graph."""

    hint = "ask about an entity with fewer connections"


class PlanLimitError(ProblemError):
    """Raised if a plan exceeds a limit."""

    hint = "let the plan return fewer rows, by conditions, aggregates, or a slice"


class UnauthenticatedError(ProblemError):
    """Raised if the request has no valid API key."""

    hint = "pass `api_key`, or set KGQA_API_KEY"


class ForbiddenError(ProblemError):
    """Raised if the API key does not allow the request."""

    hint = "ask the operator of the service for another key"


class NotFoundError(ProblemError):
    """Raised if something does not exist, such as evidence that is no longer kept."""

    hint = "ask again to get a new reference"


class UnknownEntityError(NotFoundError):
    """Raised if the graph does not contain the entity."""

    hint = "use one of the names that `detail` suggests"


class UnknownGraphError(NotFoundError):
    """Raised if the graph is not served, or if the API key is not for it."""

    hint = "use one of the graphs that GET /graphs lists"


class NoSuchRouteError(ProblemError):
    """Raised if the service does not have the route."""

    hint = "check that the URL is that of an answerer, and that it has the version of this client"


class MethodNotAllowedError(ProblemError):
    """Raised if the route does not support the method."""

    hint = "check that the answerer has the version of this client"


class RequestTimeoutError(ProblemError):
    """Raised if the request does not arrive in time."""

    hint = "send the request over a faster connection"


class BodyTooLargeError(ProblemError):
    """Raised if the request is too large."""

    hint = "send fewer questions at once, or a smaller plan"


class BusyError(ProblemError):
    """Raised if the service handles as many requests as it may."""

    hint = "wait `retry_after_s` seconds, and send fewer requests at a time"


class HeadersTooLargeError(ProblemError):
    """Raised if the headers are too large."""

    hint = "look for a proxy that adds headers"


class InternalError(ProblemError):
    """Raised if the service has a bug."""


class DependencyError(ProblemError):
    """Raised if the graph, or another part that the service cannot do without, does not respond."""

    hint = "try again shortly; GET /readyz says which part is missing"


class DeadlineExceededError(ProblemError):
    """Raised if the time for the request ran out."""

    hint = "increase `timeout_s`, or request less"


PROBLEMS: Mapping[str, type[ProblemError]] = {
    "bad-request": InvalidRequestError,
    "invalid-input": InvalidInputError,
    "too-many-paths": TooManyPathsError,
    "plan-limit": PlanLimitError,
    "unauthenticated": UnauthenticatedError,
    "forbidden": ForbiddenError,
    "not-found": NotFoundError,
    "unknown-topic-entity": UnknownEntityError,
    "unknown-graph": UnknownGraphError,
    "no-such-route": NoSuchRouteError,
    "method-not-allowed": MethodNotAllowedError,
    "request-timeout": RequestTimeoutError,
    "body-too-large": BodyTooLargeError,
    "busy": BusyError,
    "request-header-fields-too-large": HeadersTooLargeError,
    "internal": InternalError,
    "dependency-unavailable": DependencyError,
    "deadline-exceeded": DeadlineExceededError,
}
"""The class of each kind of problem."""
# A newer service may report kinds that this client does not know.
_BY_STATUS: Mapping[int, type[ProblemError]] = {
    400: InvalidRequestError,
    401: UnauthenticatedError,
    403: ForbiddenError,
    404: NotFoundError,
    422: InvalidInputError,
    429: BusyError,
    500: InternalError,
    503: DependencyError,
}


def problem_error(problem: Problem, retry_after: str | None = None) -> ProblemError:
    """Return the error for a problem; `retry_after` is the value of the header of this name."""
    known = PROBLEMS.get(problem.type.removeprefix(_URN))
    return (known or _BY_STATUS.get(problem.status, ProblemError))(problem, _seconds(retry_after))


def reply_error(status: int, content: bytes, retry_after: str | None, url: str) -> ClientError:
    """Return the error for a reply without success."""
    try:
        problem = Problem.model_validate_json(content, extra="ignore")
    except ValidationError:
        return UnexpectedReplyError(
            f"{url} returned {status} without a problem of kgqa; does the URL point to another server, or to a proxy?"
        )
    return problem_error(problem, retry_after)


def rejected(error: ValidationError) -> InvalidInputError:
    """Return the error for a request that is invalid before it is sent."""
    errors = [{"field": _place(item["loc"]), "message": item["msg"]} for item in error.errors(include_url=False)]
    detail = "; ".join(f"{item['field']}: {item['message']}" for item in errors[:5])
    problem = Problem(
        type=f"{_URN}invalid-input",
        title="Invalid input",
        status=422,
        detail=detail,
        instance="",
        request_id="",
        errors=errors,
    )
    return InvalidInputError(problem)


def _place(location: tuple[Any, ...]) -> str:
    return ".".join(map(str, location)) or "request"


def _seconds(retry_after: str | None) -> float | None:
    """Read a number of seconds or an HTTP date; None if the value is neither."""
    if not retry_after:
        return None
    if retry_after.strip().isdecimal():
        return float(retry_after)
    try:
        moment = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    return max(0.0, (moment.replace(tzinfo=None) - request_time()).total_seconds())
