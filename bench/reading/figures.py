"""Write figures as text for tables."""

from collections.abc import Sequence

from evaluation.metrics import interval_of_mean


def share(values: Sequence[float], with_count: bool = False) -> str:
    """Return the mean of values from 0 to 1 in percent, with its interval of 95 %; `-` if there are no values.

    Args:
        values: One value for each question.
        with_count: Whether to state the number of values.

    Example:
        >>> share([1.0, 0.0, 1.0, 1.0]), share([1.0, 0.0, 1.0, 1.0], with_count=True)
        ('75.0 % (30.1 to 95.4)', '75.0 % of 4 (30.1 to 95.4)')
    """
    if not values:
        return "-"
    low, high = interval_of_mean(values)
    count = f" of {len(values):,}" if with_count else ""
    return f"{100 * sum(values) / len(values):.1f} %{count} ({100 * low:.1f} to {100 * high:.1f})"


def decimal(value: float | None) -> str:
    """Return a number with three decimals; `-` if there is none."""
    return "-" if value is None else f"{value:.3f}"
