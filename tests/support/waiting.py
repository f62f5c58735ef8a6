"""Wait for a state. The limits only guard against hanging: how long a state takes shows how busy the machine is."""

import asyncio
import inspect
import time
from collections.abc import Callable

HANGS_AFTER_S = 90.0
"""Seconds after which a test has hung; far more than anything takes on a busy machine."""
_PAUSE_S = 0.01


async def until(condition: Callable[[], object], message: str = "the condition never held") -> None:
    """Wait for a condition, or for a coroutine function to return something true, without blocking the event loop.

    Raises AssertionError with `message` if that does not happen within HANGS_AFTER_S.
    """
    deadline = time.monotonic() + HANGS_AFTER_S
    while True:
        held = condition()
        if await held if inspect.isawaitable(held) else held:
            return
        if time.monotonic() > deadline:
            raise AssertionError(message)
        await asyncio.sleep(_PAUSE_S)


def wait_until(
    condition: Callable[[], object],
    message: str | Callable[[], str] = "the condition never held",
    pause_s: float = _PAUSE_S,
    seconds: float = HANGS_AFTER_S,
) -> None:
    """Wait for a condition; raise AssertionError with `message` if it does not hold after `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(message if isinstance(message, str) else message())
        time.sleep(pause_s)
