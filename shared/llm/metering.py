"""Count the tokens that one request uses, even if several requests share a completion."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from shared.llm.usage import Usage


class Meter:
    """Add up usage; `usage` is the total so far."""

    def __init__(self) -> None:
        self.usage = Usage()


_current: ContextVar[Meter | None] = ContextVar("meter", default=None)


@contextmanager
def metered() -> Iterator[Meter]:
    """Count the usage of the enclosed calls of language models."""
    meter = Meter()
    token = _current.set(meter)
    try:
        yield meter
    finally:
        _current.reset(token)


def record_usage(usage: Usage) -> None:
    """Add the usage of a call to the current meter, if there is one."""
    meter = _current.get()
    if meter is not None:
        meter.usage += usage
