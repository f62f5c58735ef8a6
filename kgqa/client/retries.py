"""Decide whether to send a request again, and when."""

import random
from dataclasses import dataclass

from kgqa.client.errors import BusyError, ClientError, ConnectionFailedError, DependencyError


@dataclass(frozen=True, slots=True)
class Retries:
    """Send a request up to `attempts` times, with growing pauses between `first_delay_s` and `max_delay_s` seconds.

    Requests are sent again if the connection fails, if the service is busy (429), or if a part of it does not respond
    (503). `Retry-After` is honoured; a service that asks for more than `max_delay_s` is not asked again.
    """

    attempts: int = 3
    first_delay_s: float = 0.5
    max_delay_s: float = 30.0

    def delay(self, error: ClientError, failures: int, is_repeatable: bool) -> float | None:
        """Return the seconds to wait after so many failures, or None to give up.

        Args:
            error: Why the request failed.
            failures: How often it has failed.
            is_repeatable: Whether the service may handle the request twice.
        """
        if failures >= self.attempts or not _can_succeed(error, is_repeatable):
            return None
        longest: float = min(self.max_delay_s, self.first_delay_s * 2 ** (failures - 1))
        delay = random.uniform(longest / 2, longest)  # clients that failed together do not return together
        wanted = getattr(error, "retry_after_s", None) or 0.0
        return None if wanted > self.max_delay_s else max(delay, wanted)


NO_RETRIES = Retries(attempts=1)
"""Send each request once."""


def _can_succeed(error: ClientError, is_repeatable: bool) -> bool:
    match error:
        case ConnectionFailedError():
            return not error.timed_out and (is_repeatable or not error.was_sent)
        case BusyError():
            return True
        case DependencyError():
            return is_repeatable
    return False
