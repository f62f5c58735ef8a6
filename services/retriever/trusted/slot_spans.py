"""Find what may fill the slots of trusted questions in a question that is none of their wordings."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from contracts.trusted_questions import TEXT, VALUE_TYPES
from graph.store import GraphStore
from language.english.shape import FILLERS
from language.marks import Mark
from language.question import Question
from language.values import ValueForm
from services.retriever.trusted.slots import FORMS

_MAX_WORDS_OF_NAME = 8

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class SlotSpans:
    """The places of a question's values by the types of slots, and of the names of nodes."""

    question: Question
    values: Mapping[str, Sequence[Span]]
    names: Sequence[Span]

    def fillings(self, slots: Mapping[str, str]) -> Iterator[dict[str, Span]]:
        """Yield each way to fill slots, by their names, with different places."""
        places = [self.values[type_] if type_ in VALUE_TYPES else self.names for type_ in slots.values()]
        for chosen in itertools.product(*places):
            if all(one[1] <= other[0] for one, other in itertools.pairwise(sorted(chosen))):
                yield dict(zip(slots, chosen, strict=True))

    def masked(self, filling: Mapping[str, Span]) -> str:
        """Return the question with the names of slots in braces for what fills them."""
        text = self.question.text
        for name, (start, end) in sorted(filling.items(), key=lambda one: -one[1][0]):
            text = f"{text[:start]}{{{name}}}{text[end:]}"
        return text


async def slot_spans(store: GraphStore, question: Question) -> SlotSpans:
    """Find the values and the names of a question; a name that overlaps a longer one does not count.

    Raises DependencyError if the graph does not respond.
    """
    stated = question.stated
    values = {type_: [(one.start, one.end) for one in stated if one.form in forms] for type_, forms in FORMS.items()}
    values[TEXT] = [(one.start, one.end) for one in stated if one.form is ValueForm.QUOTED]
    values[TEXT] = values[TEXT] or [(found.start, found.end) for found in question.all(Mark.CODE)]
    spans = _possible_names(question)
    found = await store.entities_named([question.text[start:end] for start, end in spans])
    named = [span for span, matches in zip(spans, found, strict=True) if matches]
    longest = [one for one in named if not any(_is_part(one, other) for other in named)]
    return SlotSpans(question, values, longest)


def _possible_names(question: Question) -> list[Span]:
    words = [(found.start, found.end) for found in question.all(Mark.PLAIN_WORD)]
    spans = (
        (words[first][0], words[last][1])
        for first in range(len(words))
        for last in range(first, min(first + _MAX_WORDS_OF_NAME, len(words)))
    )
    return [(start, end) for start, end in spans if question.text[start:end].lower() not in FILLERS]


def _is_part(one: Span, other: Span) -> bool:
    """Return whether a name overlaps a longer one: `the US` in `the US Dollar`."""
    return one[0] < other[1] and other[0] < one[1] and one[1] - one[0] < other[1] - other[0]
