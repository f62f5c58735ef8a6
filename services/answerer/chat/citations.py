"""Mark in a chat reply which evidence supports which name, and link to that evidence."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from contracts.answers import Evidence, answer_names
from contracts.ask import AskResponse, CitedEvidence
from services.answerer.citations import find_citations, with_marks
from shared.escaping import markdown_text
from shared.text import shortened

_MAX_TITLE_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Citation:
    """A mark such as `[1]`, from the character `start` of a text to before `end`, and the evidence that it names."""

    number: int
    url: str
    title: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class CitedText:
    """Markdown with marks, and their citations in order."""

    text: str
    citations: tuple[Citation, ...] = ()


def cite(response: AskResponse, question: str, first: int, link: Callable[[CitedEvidence], str]) -> CitedText:
    """Put the numbers of the evidence behind the answers in a text, or at its end, and escape the text as Markdown.

    Args:
        response: The reply whose answer is marked.
        question: The question, which the page of the evidence repeats.
        first: The number of the first mark.
        link: Keeps evidence, and returns its URL.

    Example:
        >>> cite(response, "What is the capital of France?", 1, link).text
        'The capital is Paris [1].'
    """
    found = find_citations(response.answer, response.answers, len(response.evidence))
    numbers = range(first, first + len(found))
    marks = [(one.at, number) for one, number in zip(found, numbers, strict=True)]
    text, spans = with_marks(response.answer, marks, markdown_text)
    citations = (
        Citation(
            number,
            link(cited_evidence(response, question, one.evidence)),
            _title(response.evidence[one.evidence]),
            *span,
        )
        for one, number, span in zip(found, numbers, spans, strict=True)
    )
    return CitedText(text, tuple(citations))


def link_definitions(citations: Sequence[Citation]) -> str:
    """Return Markdown that turns the marks into links, for front ends that do not show annotations."""
    lines = [f'[{one.number}]: {one.url} "{_quotable(one.title)}"' for one in citations]
    return "\n\n" + "\n".join(lines) if lines else ""


def cited_evidence(response: AskResponse, question: str, index: int) -> CitedEvidence:
    """Return what a citation of an item of evidence leads to."""
    supported = [answer for answer in response.answers if index in answer.evidence]
    item = response.evidence[index]
    return CitedEvidence(
        question=question,
        answers=answer_names(supported),
        text=item.text,
        triples=item.triples,
        omitted=item.omitted,
        plan=response.plan.text if response.plan else None,
    )


def _title(item: Evidence) -> str:
    return shortened(" ".join(item.text.split()), _MAX_TITLE_CHARACTERS)


def _quotable(title: str) -> str:
    return markdown_text(title).replace('"', "&quot;")
