"""Find where the evidence of a reply is cited in its answer, and write the marks, such as `[1]`."""

from collections.abc import Callable, Sequence

from contracts.answers import Answer
from contracts.ask import AskResponse, Citation
from graph.plan.value_text import value_text
from language.english.measures import unit_after
from shared.exact_match import composed, mentions

MAX_CITATIONS = 20


def find_citations(text: str, answers: Sequence[Answer], evidence: int) -> list[Citation]:
    """Return where a text cites its evidence, in the order of the text, each item at most once.

    An item is cited behind the last of the answers that it supports, and its unit, where each is named first. If the
    text names no answer, as `Yes.` does, the evidence of all answers is cited at its end, before the full stop.

    Args:
        text: The answer.
        answers: The answer set, with indexes of evidence.
        evidence: The number of items of evidence.
    """
    places = _places(text, answers)
    if not places:
        end = len(text.removesuffix("."))
        indexes = dict.fromkeys(index for answer in answers for index in answer.evidence)
        places = [(end, index) for index in (indexes or range(min(1, evidence)))]
    return [Citation(evidence=index, at=at) for at, index in places[:MAX_CITATIONS]]


def with_marks(
    text: str, marks: Sequence[tuple[int, int]], escape: Callable[[str], str] = str
) -> tuple[str, list[tuple[int, int]]]:
    """Insert numbers in brackets into a text.

    Args:
        text: The text.
        marks: The place and the number of each mark, in the order of the text.
        escape: Escapes the parts of the text for its format.

    Returns:
        The text with the marks, and where each of them begins and ends.

    Example:
        >>> with_marks("Oslo is it.", [(4, 1)])
        ('Oslo [1] is it.', [(5, 8)])
    """
    pieces, spans, at, length = [], [], 0, 0
    for place, number in marks:
        part, mark = escape(text[at:place]), f"[{number}]"
        pieces += [part, " ", mark]
        length += len(part) + 1 + len(mark)
        spans.append((length - len(mark), length))
        at = place
    return "".join([*pieces, escape(text[at:])]), spans


def with_citations(response: AskResponse) -> AskResponse:
    """Return a reply with its citations, and with its answer as a text with marks."""
    citations = find_citations(response.answer, response.answers, len(response.evidence))
    text, _ = with_marks(response.answer, [(one.at, one.evidence + 1) for one in citations])
    return response.model_copy(update={"citations": citations, "cited_answer": text})


def _places(text: str, answers: Sequence[Answer]) -> list[tuple[int, int]]:
    """Return the end of the names that an item of evidence supports, and its index, in the order of the text."""
    if composed(text) != text:
        return []  # the positions of names are those of the composed text
    supported = {value_text(one.value): one.evidence[0] for one in answers if one.evidence}
    first: dict[str, int] = {}
    for mention in mentions(text, list(supported)):
        first.setdefault(mention.name, unit_after(text, mention.end))
    last: dict[int, int] = {}
    for name, end in first.items():
        last[supported[name]] = max(end, last.get(supported[name], 0))
    return sorted((end, index) for index, end in last.items())
