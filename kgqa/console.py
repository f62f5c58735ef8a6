"""How the command line speaks: progress on stderr, results on stdout, errors in one line."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)

Advance = Callable[[int, int, str], None]


@contextmanager
def progress_bar(text: str) -> Iterator[Advance]:
    """A progress bar on stderr; call what it yields with (done, total, text)."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err, transient=not err.is_terminal) as bar:
        task = bar.add_task(text, total=None)

        def advance(done: int, total: int, now: str = "") -> None:
            bar.update(task, completed=done, total=total, description=now or text)

        yield advance
