"""Say which questions of a file could not be used, and why."""

from collections.abc import Mapping, Sequence

from language.english.morphology import counted
from shared.text import shortened

_MAX_REASONS, _MAX_QUESTIONS, _MAX_CHARACTERS = 5, 3, 80


def skipped_questions(
    skipped: Mapping[str, Sequence[str]], failure: str, lines: Mapping[str, int] | None = None
) -> list[str]:
    """Return a sentence for each of the most frequent reasons, which names the first questions.

    Args:
        skipped: The questions by reason.
        failure: What could not be done with them, such as `cannot be confirmed`.
        lines: The line of each question, if they are known.

    Example:
        >>> skipped_questions({"the graph has no kind Ship": ["Which ships?"]}, "cannot be used", {"Which ships?": 3})
        ['1 question cannot be used: the graph has no kind Ship: "Which ships?" (line 3)']
    """
    most = sorted(skipped.items(), key=lambda item: -len(item[1]))[:_MAX_REASONS]
    found = [
        f"{counted(len(questions), 'question')} {failure}: {reason}: {_named(questions, lines or {})}"
        for reason, questions in most
    ]
    if rest := sum(map(len, skipped.values())) - sum(len(questions) for _, questions in most):
        found.append(f"{counted(rest, 'more question')} {failure}, for other reasons")
    return found


def _named(questions: Sequence[str], lines: Mapping[str, int]) -> str:
    named = [
        f'"{shortened(one, _MAX_CHARACTERS)}"' + (f" (line {lines[one]})" if one in lines else "")
        for one in questions[:_MAX_QUESTIONS]
    ]
    more = len(questions) - _MAX_QUESTIONS
    return ", ".join(named) + (f", and {more} more" if more > 0 else "")
