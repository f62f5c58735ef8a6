"""Find the values of a question that a plan must use."""

from collections.abc import Iterable, Sequence

from language.english.stems import question_words
from language.values import QuestionValue
from services.retriever.plans.grammar.actions import Action, Op
from services.retriever.plans.schema.schema_elements import SchemaElements

_MOST = 8  # places; no plan of ordinary length uses more values


class RequiredValues:
    """Count the required values that a plan does not use yet.

    A value is required if the graph stores it, unless its text also names a schema element. Of values that overlap in
    the question, one is enough. A question with more than eight such places requires nothing.
    """

    def __init__(self, values: Sequence[QuestionValue], elements: SchemaElements) -> None:
        places = _places(values, elements)
        self._places = places if len(places) <= _MOST else []
        self._covered = [
            sum(1 << number for number, place in enumerate(self._places) if _overlaps(value, (place,)))
            for value in values
        ]

    def missing(self, used: int) -> int:
        """Return how many required places are not among those that `used` returned."""
        return len(self._places) - used.bit_count()

    def used(self, actions: Iterable[Action], before: int = 0) -> int:
        """Return the places that actions name, and those named before, as the bits of a number."""
        for action in actions:
            if action.op is Op.VALUE:
                before |= self._covered[action.number]
        return before


def _places(values: Sequence[QuestionValue], elements: SchemaElements) -> list[tuple[int, int]]:
    said = elements.words
    places: list[tuple[int, int]] = []
    for value in values:
        if not value.stored or _overlaps(value, places):
            continue
        roots = [root for _, _, root in question_words(value.text)]
        if len(roots) != 1 or roots[0] not in said:
            places.append((value.start, value.end))
    return places


def _overlaps(value: QuestionValue, places: Sequence[tuple[int, int]]) -> bool:
    return any(start < value.end and value.start < end for start, end in places)
