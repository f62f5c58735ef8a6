"""How the command line speaks: progress on stderr, results on stdout, errors in one line."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

DEFAULT_URL = "http://127.0.0.1:8000"
"""Where the answerer is asked unless told otherwise."""

SECONDS_BETWEEN_LINES = 10.0

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


class Advance(Protocol):
    """Moves a progress bar: `done` of `total`, and what is going on now, if that changes."""

    def __call__(self, done: int, total: int, text: str = "") -> None:
        """Draw the bar anew."""
        ...


def interrupt(*_: object) -> None:
    """A signal handler that ends a command as Ctrl-C does, at once and wherever it is."""
    raise KeyboardInterrupt


@contextmanager
def stoppable(what_remains: str) -> Iterator[None]:
    """Say what Ctrl-C left behind."""
    try:
        yield
    except KeyboardInterrupt:
        err.print(f"stopped; {what_remains}")
        raise


@contextmanager
def progress_bar(title: str) -> Iterator[Advance]:
    """A progress bar on stderr, or a line now and then where stderr is no terminal."""
    if not err.is_terminal:
        yield _lines(title)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err) as bar:
        task = bar.add_task(title, total=None)

        def advance(done: int, total: int, text: str = "") -> None:
            bar.update(task, completed=done, total=total, description=text or title)

        yield advance


def _lines(title: str) -> Advance:
    said_at = time.monotonic()

    def advance(done: int, total: int, text: str = "") -> None:
        nonlocal said_at
        if time.monotonic() - said_at >= SECONDS_BETWEEN_LINES:
            said_at = time.monotonic()
            err.print(f"{title}: {done:,} of {total:,} {escape(text)}")

    return advance
