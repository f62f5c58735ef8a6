"""Print results on stdout, and progress, warnings, and errors on stderr."""

import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, Protocol

from rich.cells import cell_len
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from shared.escaping import json_text, line_text

DEFAULT_URL = "http://127.0.0.1:8000"
"""The answerer's address if neither `--url` nor KGQA_URL is set."""
API_KEY_VARIABLE = "KGQA_API_KEY"
"""Environment variable with the key that commands send to the answerer."""

LINE_INTERVAL_S = 10.0
_MINUTES_FROM_S = 100


class LineConsole(Console):
    """Print each text as it is on one line: markup and emoji codes are text, and control characters are written out.

    Texts come from graphs, files, and models.
    """

    def __init__(self, stderr: bool = False, width: int | None = None) -> None:
        super().__init__(stderr=stderr, width=width, highlight=False, soft_wrap=True, markup=False, emoji=False)

    def render_str(self, text: str, **options: Any) -> Text:
        """Return the text that is shown for a string, also for one in a table."""
        return super().render_str(line_text(text), **options)


out = LineConsole()
err = LineConsole(stderr=True)
# rich takes 80 columns where there is no terminal.
_unlimited = LineConsole(width=10_000)


class Advance(Protocol):
    """Report progress."""

    def __call__(self, done: int, total: int, text: str = "") -> None:
        """Show that `done` of `total` units are done; a non-empty `text` replaces the title."""
        ...


def interrupt(*_: object) -> None:
    """Handle a signal as if it were Ctrl-C, by ending the command at once."""
    raise KeyboardInterrupt


@contextmanager
def interrupted_by_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP, unless they are ignored, interrupt the block as Ctrl-C does, so that it can clean up."""
    handled = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    stopping = [number for number, handler in handled.items() if handler is not signal.SIG_IGN]
    for number in stopping:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number in stopping:
            signal.signal(number, handled[number])


@contextmanager
def progress_bar(title: str, if_interrupted: str = "") -> Iterator[Advance]:
    """Show a progress bar on stderr, or a line every ten seconds if stderr is not a terminal.

    If Ctrl-C interrupts the block, print `if_interrupted`, which may say how to resume.
    """
    try:
        with _bar(title) if err.is_terminal else nullcontext(_lines(title)) as advance:
            yield advance
    except KeyboardInterrupt:
        if if_interrupted:
            err.print(f"interrupted; {if_interrupted}")
        raise


@contextmanager
def _bar(title: str) -> Iterator[Advance]:
    description = TextColumn("{task.description}", markup=False)
    columns = (description, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err) as bar:
        task = bar.add_task(title, total=None)
        pace = _Pace()

        def advance(done: int, total: int, text: str = "") -> None:
            if pace.is_new_step(done, total):
                bar.reset(task, total=total)  # the speed of the step before says nothing about this one
            bar.update(task, completed=done, total=total, description=line_text(text or title))

        yield advance


class _Pace:
    """Estimate how long a step takes, from its progress; work that an earlier run did is not counted."""

    def __init__(self) -> None:
        self._done = self._total = self._began_with = 0
        self._began_at = time.monotonic()

    def is_new_step(self, done: int, total: int) -> bool:
        """Take note of the progress, and return whether another step than before has begun."""
        is_new = total != self._total or done < self._done
        self._done, self._total = done, total
        if is_new:
            self._began_with, self._began_at = done, time.monotonic()
        return is_new

    def left(self) -> str:
        """Return how long the step will take at its pace so far; empty if nothing is known yet."""
        progress = self._done - self._began_with
        if progress <= 0:
            return ""
        seconds = (self._total - self._done) * (time.monotonic() - self._began_at) / progress
        return f", about {seconds:.0f} s left" if seconds < _MINUTES_FROM_S else f", about {seconds / 60:.0f} min left"


def _lines(title: str) -> Advance:
    last_line_at = time.monotonic()
    pace = _Pace()

    def advance(done: int, total: int, text: str = "") -> None:
        nonlocal last_line_at
        pace.is_new_step(done, total)
        if time.monotonic() - last_line_at >= LINE_INTERVAL_S:
            last_line_at = time.monotonic()
            err.print(f"{title}: {done:,} of {total:,}{pace.left()}{f'; {text}' if text else ''}")

    return advance


def bold(text: str) -> Text:
    """Return a text to print in bold."""
    return Text(line_text(text), style="bold")


def print_json(json: str) -> None:
    """Print JSON on stdout, unwrapped, without characters that change how a terminal shows it."""
    sys.stdout.write(f"{json_text(json)}\n")


def print_table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    """Print a plain table on stdout; wrap long cells in a terminal, and keep each row on one line elsewhere."""
    table = Table(*head, box=None, pad_edge=False)
    for column in table.columns:
        column.overflow = "fold"
    for row in rows:
        table.add_row(*row)
    is_limited = out.is_terminal or "COLUMNS" in os.environ
    (out if is_limited else _unlimited).print(table)


def aligned(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield indented rows whose cells begin in the same column."""
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True))
        yield f"  {'  '.join(cells)}".rstrip()
