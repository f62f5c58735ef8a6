"""Mark in an answer which evidence supports which name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shared.contracts import AskResponse, CitedEvidence, Evidence, answer_names
from shared.exact_match import composed, mentions
from shared.text import shortened
from shared.verbalise.values import value_text

MAX_CITATIONS = 20
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
    """A text with marks, and their citations in order."""

    text: str
    citations: tuple[Citation, ...] = ()


def cite(response: AskResponse, question: str, first: int, link: Callable[[CitedEvidence], str]) -> CitedText:
    """Put the numbers of the evidence behind the answers in a text, or at its end.

    Args:
        response: The reply whose answer is marked.
        question: The question, which the page of the evidence repeats.
        first: The number of the first mark.
        link: Keeps evidence, and returns its URL.

    Example:
        >>> cite(response, "What is the capital of France?", 1, link).text
        'The capital is Paris [1].'
    """
    text = response.answer
    numbered: dict[int, int] = {}  # the index of an item of evidence -> its number
    pieces, at = [], 0
    marks: list[tuple[int, int, int]] = []

    def write(piece: str) -> None:
        pieces.append(piece)

    def mark(index: int) -> None:
        number = numbered[index] = first + len(numbered)
        start = sum(map(len, pieces)) + 1
        write(f" [{number}]")
        marks.append((index, start, start + len(f"[{number}]")))

    for end, index in _places(text, response):
        if len(numbered) < MAX_CITATIONS and index not in numbered:
            write(text[at:end])
            at = end
            mark(index)
    rest = text[at:]
    ending = "." if rest.endswith(".") else ""
    write(rest.removesuffix(ending))
    if not numbered:
        for index in _unnamed(response)[:MAX_CITATIONS]:
            mark(index)
    write(ending)
    citations = (
        Citation(
            numbered[index],
            link(cited_evidence(response, question, index)),
            _title(response.evidence[index]),
            start,
            end,
        )
        for index, start, end in marks
    )
    return CitedText("".join(pieces), tuple(citations))


def link_definitions(citations: Sequence[Citation]) -> str:
    """Return Markdown that turns the marks into links, for front ends that do not show annotations."""
    lines = [f'[{one.number}]: {one.url} "{_quotable(one.title)}"' for one in citations]
    return "\n\n" + "\n".join(lines) if lines else ""


def _places(text: str, response: AskResponse) -> list[tuple[int, int]]:
    """Return the end of the names that an item of evidence supports, and its index, in the order of the text."""
    if composed(text) != text:
        return []  # the positions of names are those of the composed text
    supported = {value_text(one.value): one.evidence[0] for one in response.answers if one.evidence}
    first: dict[str, int] = {}
    for mention in mentions(text, list(supported)):
        first.setdefault(mention.name, mention.end)
    last: dict[int, int] = {}
    for name, end in first.items():
        last[supported[name]] = max(end, last.get(supported[name], 0))
    return sorted((end, index) for index, end in last.items())


def _unnamed(response: AskResponse) -> list[int]:
    """Return the evidence of an answer that the text does not name, such as `Yes.`."""
    indexes = dict.fromkeys(index for answer in response.answers for index in answer.evidence)
    return list(indexes) or list(range(min(1, len(response.evidence))))


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
    return title.replace("\\", "").replace('"', "'").replace("<", "‹").replace(">", "›")
