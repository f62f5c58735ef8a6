"""How much a stretch of a question looks like a name: evidence from words, capitals and spelling, as factors."""

from collections.abc import Iterable, Sequence

from rapidfuzz.distance import OSA

from services.retriever.mentions import Mention, word_spans
from shared.graph.store import NameMatch
from shared.text import normalise, words

# Words of questions in general, for graphs without a trained model's own list. Graphs of films, songs or towns have
# an entity for nearly each of them (Of in Turkey, Many in Louisiana, Nice in France).
_FUNCTION_WORDS = (
    "a about after all also am an and any are around as at be been before begin being belong belongs between both but "
    "by called can could did do does during each else ever every find finds first for from give given go goes had has "
    "have having he her hers him his how i if in inside into is it its itself kind know known last least less let like "
    "list located long made main make makes many may me mean means might more most much must my name named names near "
    "next nice no nor not number of off on one only or other others our out over own part place please same say see "
    "she should show so some sort such tell than that the their them then there these they thing this those to told "
    "too type under up us use used uses using very want was we were what whats when where which while who whom whos "
    "whose why will with within without would you your"
)

_COMMON = 0.08
_COMMON_CAPITALISED = 0.5
_LOWER_CASE = 0.6
_ALIAS = 0.95
_CUT_ENDING = 0.6
_CODE_IN_LOWER_CASE = 0.2
_EDGE_WORD = 0.7
_MISSPELT = (1.0, 0.85, 0.7, 0.55)
# For each edit between what is written and the name, accents and signs counted: `Peru's` is rather Peru than Perus.
_EACH_EDIT = 0.97
_OTHER_INITIAL = 0.5
_SHORT_AND_MISSPELT = 0.7
_LONGEST_CODE = 3
_SHORTEST_MISSPELT = 4


class QuestionWords:
    """Words that are poor evidence for a name."""

    def __init__(self, learnt: Iterable[str] = ()) -> None:
        self._common = frozenset(_FUNCTION_WORDS.split()) | frozenset(learnt)

    def __contains__(self, word: str) -> bool:
        return word in self._common


class Naming:
    """Scores the mentions of one question."""

    def __init__(self, question: str, common: QuestionWords) -> None:
        self._question = question
        self._common = common
        self._spans = word_spans(question)
        # Capitals tell names only where somebody cared to write them, and then not at the start or in a heading.
        inner = [question[start] for start, _ in self._spans[1:] if question[start].isalpha()]
        capitals = sum(letter.isupper() for letter in inner)
        self._capitals_tell = 0 < capitals < max(2, len(inner))

    def score(self, mention: Mention, match: NameMatch) -> float:
        """From 0 to 1: how likely the mention is meant to name the match's entity."""
        text = self._question[mention.start : mention.end]
        score = _MISSPELT[min(match.distance, len(_MISSPELT) - 1)]
        if match.is_alias:
            score *= _ALIAS
        if mention.stripped:
            score *= _CUT_ENDING
        if match.distance:
            score *= self._as_misspelt(mention, match)
        score *= _EACH_EDIT ** min(OSA.distance(text.casefold(), match.name.casefold()), 10)
        if _is_literal(text, match.name):
            return score
        return score * self._as_written(mention, text, match)

    def unexplained(self, explained: Sequence[Mention]) -> list[Mention]:
        """Words that are neither common nor part of a mention found, and long enough to be misspelt names."""
        single = (Mention(start, end, normalise(self._question[start:end]), 1) for start, end in self._spans)
        return [
            word
            for word in single
            if len(word.name) >= _SHORTEST_MISSPELT
            and not self._is_common(word.name)
            and not any(word.overlaps(mention) for mention in explained)
        ]

    def _as_written(self, mention: Mention, text: str, match: NameMatch) -> float:
        capitalised = text[:1].isupper() or not text[:1].isalpha()
        if match.name.isupper() and len(match.name) <= _LONGEST_CODE and not text.isupper():
            return _CODE_IN_LOWER_CASE * (_COMMON if self._is_common(mention.name) else 1.0)
        if self._is_common(mention.name):
            at_start = bool(self._spans) and mention.start == self._spans[0][0]
            return _COMMON_CAPITALISED if self._capitals_tell and capitalised and not at_start else _COMMON
        return 1.0 if capitalised or not self._capitals_tell else _LOWER_CASE

    def _as_misspelt(self, mention: Mention, match: NameMatch) -> float:
        """Ordinary words come close to some name, too, but typing errors spare the first letter nearly always."""
        factor = _EDGE_WORD if self._has_common_edge(mention) else 1.0
        if mention.name[0] != normalise(match.name)[0]:
            factor *= _OTHER_INITIAL
        return factor * (_SHORT_AND_MISSPELT if len(mention.name) <= _SHORTEST_MISSPELT else 1.0)

    def _has_common_edge(self, mention: Mention) -> bool:
        parts = mention.name.split()
        return bool(parts) and (self._is_common(parts[0]) or self._is_common(parts[-1]))

    def _is_common(self, name: str) -> bool:
        return all(word in self._common for word in words(name))


def _is_literal(text: str, name: str) -> bool:
    """Whether a name with signs in it is written out with them: `.in`, `+33`."""
    return text.casefold() == name.casefold() and normalise(text) != text.casefold()
