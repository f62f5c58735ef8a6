"""How the command line speaks: progress on stderr, results on stdout, errors in one line."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


class Advance(Protocol):
    """Moves a progress bar: `done` of `total`, and what is going on now, if that changes."""

    def __call__(self, done: int, total: int, text: str = "") -> None:
        """Draw the bar anew."""
        ...


@contextmanager
def progress_bar(title: str) -> Iterator[Advance]:
    """A progress bar on stderr; call what it yields with (done, total, text)."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err, transient=not err.is_terminal) as bar:
        task = bar.add_task(title, total=None)

        def advance(done: int, total: int, text: str = "") -> None:
            bar.update(task, completed=done, total=total, description=text or title)

        yield advance
