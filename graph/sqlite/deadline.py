"""End the queries of a connection at their deadline, also within the functions that SQLite calls.

SQLite asks its progress handler only between instructions, and one instruction may call a slow function.
"""

import functools
import math
import sqlite3
import threading
import time
from collections.abc import Callable
from typing import Any

_PASSED = "the deadline has passed"


class DeadlinePassedError(sqlite3.OperationalError):
    """Raised within a query whose deadline has passed; SQLite replaces it by an error of its own."""


class Deadline:
    """Hold the time at which the query that runs on a connection must end; at first, there is none.

    Example:
        deadline.start(2.0)
        connection.create_function("lower", 1, deadline.checked(str.lower))
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Create a deadline that never passes; tests may pass another clock."""
        self._clock = clock
        self._at = math.inf
        self._query: object = None
        self._lock = threading.Lock()

    def start(self, seconds: float, query: object = None) -> None:
        """Let the deadline pass after some seconds; `query` is what `cancel` knows the query by."""
        with self._lock:
            self._query, self._at = query, self._clock() + seconds

    def cancel(self, query: object) -> None:
        """Let the deadline pass at once if this query still runs, from any thread."""
        with self._lock:
            if self._query is query:
                self._at = -math.inf

    @property
    def has_passed(self) -> bool:
        """Return whether the query must end."""
        return self._clock() > self._at

    def check(self) -> None:
        """Raise DeadlinePassedError if the deadline has passed."""
        if self._clock() > self._at:
            raise DeadlinePassedError(_PASSED)

    def checked(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that checks the deadline before each call."""

        clock = self._clock

        @functools.wraps(function)
        def checked(*arguments: Any) -> Any:
            if clock() > self._at:
                raise DeadlinePassedError(_PASSED)
            return function(*arguments)

        return checked

    def checked_aggregate(self, aggregate: type[Any]) -> type[Any]:
        """Return an aggregate that checks the deadline before each step, and before its result."""
        methods = {name: self.checked(getattr(aggregate, name)) for name in ("step", "finalize")}
        return type(aggregate.__name__, (aggregate,), methods)
