"""Read misspelt words of a question as the words of the schema and of the stored values that are close to them."""

from collections.abc import Container, Sequence

from language.english.stems import stem
from language.question import Question
from language.values import QuestionValue
from services.retriever.plans.names.name_links import is_known_word
from services.retriever.plans.names.value_index import ValueIndex, overlaps
from services.retriever.plans.schema.schema_elements import SchemaElements

_MOST = 3


class MisspeltWords:
    """Find the words that the models do not know, and that are close to others; instances are immutable."""

    def __init__(self, elements: SchemaElements, values: ValueIndex, known: Container[str] | None) -> None:
        """Prefer the words of a schema and of stored values; `known` words are spelt right, and all are without any."""
        self._elements = elements
        self._values = values
        self._known = known

    def respelled(self, question: Question, values: Sequence[QuestionValue]) -> dict[str, str]:
        """Return how the misspelt words of a question are spelt, at most three.

        Args:
            question: The question.
            values: The values that it states, whose words stay as they are.
        """
        if self._known is None:
            return {}
        found: dict[str, str] = {}
        taken = [(one.start, one.end) for one in values]
        for start, end, root in question.words:
            word = question.text[start:end]
            is_known = root in self._elements.words or is_known_word(word, root, self._known)
            if is_known or overlaps(start, end, taken):
                continue
            if len(found) < _MOST and (new := question.language.respelled(word, self._is_likely)) is not None:
                found[word] = new
        return found

    def _is_likely(self, word: str) -> bool:
        root = stem(word)
        return root in self._elements.words or word in self._values.texts or root in self._values.stems
