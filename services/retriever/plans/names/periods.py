"""Find the periods by which a question groups: `per month`."""

from language.marks import Mark
from language.question import Question

PERIODS = ("year", "quarter", "month", "week", "day")


def period_of(question: Question) -> tuple[int, int, str] | None:
    """Return where a question says by which periods to group, and which of `PERIODS` these are; None if it does not."""
    found = question.first(Mark.PER_PERIOD)
    if found is None:
        return None
    part = next(place for place, word in enumerate(found.parts) if word)
    return found.start, found.end, PERIODS[part % len(PERIODS)]
