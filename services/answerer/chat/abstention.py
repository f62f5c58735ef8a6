"""Say why the graph gives no answer, and what else a question may mean."""

from contracts.ask import AskResponse
from services.answerer.chat.certainty import is_withheld, percent

# Kinds of warnings that say themselves why there is no answer.
_EXPLAINING = {"late", "rejected", "unread"}


def why_abstained(response: AskResponse) -> list[str]:
    """Return why there is no answer, and the most likely other reading; nothing if there is an answer.

    A reason that a warning gives is left out.

    Example:
        >>> why_abstained(response)
        ['The graph knows France, but I found no answer to this question about it.']
    """
    if not response.abstained:
        return []
    if is_withheld(response):
        return [f"I am only {percent(response.confidence)} sure of an answer.", *_other_readings(response)]
    is_explained = any(warning.kind in _EXPLAINING for warning in response.warnings)
    return [*([] if is_explained else [_reason(response)]), *_other_readings(response)]


def _reason(response: AskResponse) -> str:
    topic = next((topic.entity for topic in response.topic_entities if topic.mention), None)
    if topic is None:
        return "I found nothing in the graph that this question names."
    return f"The graph knows {topic}, but I found no answer to this question about it."


def _other_readings(response: AskResponse) -> list[str]:
    return [
        f"Perhaps you mean: {', '.join(reading.answers)} ({reading.plan})?"
        for reading in response.alternatives[:1]
        if reading.answers
    ]
