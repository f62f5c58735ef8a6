"""Carry a request's ID, time, and deadline through a service and on to the services that it calls."""

import re
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

from shared.errors import DeadlineExceededError, InvalidInputError

REQUEST_ID_HEADER = "X-Request-ID"
# Header with the number of milliseconds that the caller will wait for a response.
DEADLINE_HEADER = "X-Timeout-Ms"
current_request_id: ContextVar[str] = ContextVar("current_request_id", default="")
_request_time: ContextVar[datetime | None] = ContextVar("request_time", default=None)
_deadline: ContextVar[float | None] = ContextVar("deadline", default=None)
_SAFE_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


def accept_request_id(offered: str | None) -> str:
    """Return the caller's request ID if it is short and safe to log, and otherwise a new one."""
    return offered if offered and _SAFE_ID.fullmatch(offered) else uuid.uuid4().hex


@contextmanager
def request_time_of(moment: datetime | None = None) -> Iterator[None]:
    """Let all of the enclosed code see `moment`, or the time at which it starts, as the current time."""
    token = _request_time.set(moment or _now())
    try:
        yield
    finally:
        _request_time.reset(token)


def request_time() -> datetime:
    """Return the time of the request in UTC, in whole seconds and without a time zone; outside of requests, now."""
    return _request_time.get() or _now()


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0, tzinfo=None)


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Set a deadline for the enclosed code, unless `seconds` is None or an earlier deadline is already set."""
    current = _deadline.get()
    if seconds is None:
        yield
        return
    new = time.monotonic() + seconds
    token = _deadline.set(new if current is None else min(current, new))
    try:
        yield
    finally:
        _deadline.reset(token)


def clear_deadline() -> None:
    """Clear the deadline, for work that several requests share."""
    _deadline.set(None)


def remaining_time(limit: float) -> float:
    """Return the seconds until the deadline, at most `limit`; raise DeadlineExceededError if it has passed."""
    deadline = _deadline.get()
    if deadline is None:
        return limit
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise DeadlineExceededError
    return min(limit, seconds)


def parse_deadline_header(value: str | None) -> float | None:
    """Return the number of seconds that the caller will wait, or None if the header is absent."""
    if value is None:
        return None
    if not (value.isascii() and value.isdigit() and len(value) < 10):
        raise InvalidInputError(f"the header {DEADLINE_HEADER} must be a whole number of milliseconds, up to 999999999")
    return int(value) / 1000
