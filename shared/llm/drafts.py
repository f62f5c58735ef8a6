"""Hear the text of a completion while the model writes it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str], None]
"""Takes all of the text so far. It may be called often, and must not block."""

_current: ContextVar[Listener | None] = ContextVar("draft_listener", default=None)


@contextmanager
def heard_by(listener: Listener | None) -> Iterator[None]:
    """Let `listener` hear the drafts of the enclosed calls of language models, or nobody if it is None.

    Models that cannot write piece by piece give no drafts. A draft has passed no check.
    """
    token = _current.set(listener)
    try:
        yield
    finally:
        _current.reset(token)


def current_listener() -> Listener | None:
    """Return who hears the drafts of the current call."""
    return _current.get()


class Broadcast:
    """Pass the drafts of one call on to everyone who waits for it; who comes later hears the latest draft first."""

    def __init__(self) -> None:
        self._latest = ""
        self._listeners: list[Listener] = []

    def publish(self, text: str) -> None:
        """Pass a draft on."""
        self._latest = text
        for listener in self._listeners:
            listener(text)

    @contextmanager
    def heard_by(self, listener: Listener | None) -> Iterator[None]:
        """Let a listener hear the drafts until the enclosed code ends."""
        if listener is None:
            yield
            return
        if self._latest:
            listener(self._latest)
        self._listeners.append(listener)
        try:
            yield
        finally:
            self._listeners.remove(listener)
