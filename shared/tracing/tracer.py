"""Trace the stages of a request: the interface, which does nothing unless a service has a tracer."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from types import TracebackType
from typing import Literal, Protocol, Self

SpanKind = Literal["internal", "server", "client"]
Attribute = str | bool | int | float


class Span(Protocol):
    """One stage of a request. Errors that leave it are recorded by their type alone."""

    def rename(self, name: str) -> None:
        """Replace the name."""
        ...

    def fail(self, reason: str) -> None:
        """Say that the stage failed."""
        ...

    def set(self, **attributes: Attribute) -> None:
        """Add attributes that say nothing about the content of questions, answers, or the graph."""
        ...

    def set_contents(self, **texts: str) -> None:
        """Add texts of questions, answers, or the graph; they are dropped unless the operator wants contents."""
        ...


class Tracer(Protocol):
    """Create spans. Safe for concurrent use; the current span is that of the current task."""

    def span(
        self, name: str, kind: SpanKind = "internal", headers: Mapping[str, str] | None = None
    ) -> AbstractContextManager[Span]:
        """Return a span that lasts while its block runs.

        Args:
            name: The name of the stage.
            kind: Whether the stage serves a request, calls another service, or neither.
            headers: The headers of the served request, which may name the span of the caller.
        """
        ...

    def outgoing_headers(self) -> Mapping[str, str]:
        """Return the headers that tell a called service which span is the current one."""
        ...

    def close(self) -> None:
        """Send the spans that have not been sent yet; may block for seconds."""
        ...


class _NoSpan:
    """A span that records nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        return None

    def rename(self, name: str) -> None:
        """Do nothing."""

    def fail(self, reason: str) -> None:
        """Do nothing."""

    def set(self, **attributes: Attribute) -> None:
        """Drop attributes."""

    def set_contents(self, **texts: str) -> None:
        """Drop texts."""


_NO_SPAN = _NoSpan()


class NoTracer:
    """Record nothing, at the cost of a function call for each span."""

    def span(
        self, name: str, kind: SpanKind = "internal", headers: Mapping[str, str] | None = None
    ) -> AbstractContextManager[Span]:
        """Return a span that records nothing."""
        return _NO_SPAN

    def outgoing_headers(self) -> Mapping[str, str]:
        """Return no headers."""
        return {}

    def close(self) -> None:
        """Do nothing."""


current_tracer: ContextVar[Tracer] = ContextVar("current_tracer", default=NoTracer())  # noqa: B039 - has no state
"""The tracer of the service that handles the current request."""


def traced(name: str, kind: SpanKind = "internal") -> AbstractContextManager[Span]:
    """Return a span for a stage of the current request.

    Example:
        >>> with traced("link") as span:
        ...     topics = await linker.link(question)
        ...     span.set(topics=len(topics))
    """
    return current_tracer.get().span(name, kind)


def trace_headers() -> Mapping[str, str]:
    """Return the headers that tell a called service which span of the current request calls it."""
    return current_tracer.get().outgoing_headers()
