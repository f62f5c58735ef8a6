"""How long a request may still take: said once by whoever began it, and kept by all that it asks."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from shared.errors import InvalidInputError, NoTimeLeftError

HEADER = "X-Timeout-Ms"
"""What is left when one service asks another, in milliseconds."""

_deadline: ContextVar[float | None] = ContextVar("deadline", default=None)


@contextmanager
def within(seconds: float | None) -> Iterator[None]:
    """All that is done here must be done in so many seconds, or earlier where that was said before; None: as before."""
    before = _deadline.get()
    if seconds is None:
        yield
        return
    mine = time.monotonic() + seconds
    token = _deadline.set(mine if before is None else min(before, mine))
    try:
        yield
    finally:
        _deadline.reset(token)


def forgotten() -> None:
    """From here on no deadline holds: for what is done for others, too."""
    _deadline.set(None)


def left(most: float) -> float:
    """Seconds that a call may take, `most` at the most. Raises NoTimeLeftError where there are none."""
    deadline = _deadline.get()
    if deadline is None:
        return most
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise over()
    return min(most, seconds)


def over() -> NoTimeLeftError:
    """The error of a request whose time is over."""
    return NoTimeLeftError("no time is left for this request; allow it more, or ask less at once")


def read_header(value: str | None) -> float | None:
    """Return the seconds that a caller allows, None if the header is absent.

    Raises InvalidInputError for anything but a whole number of milliseconds with up to nine digits.
    """
    if value is None:
        return None
    if not (value.isascii() and value.isdigit() and len(value) < 10):
        raise InvalidInputError(f"the header {HEADER} must be a whole number of milliseconds with up to nine digits")
    return int(value) / 1000
