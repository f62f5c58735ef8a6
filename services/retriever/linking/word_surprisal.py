"""How telling a word is: the rarer it is among all that people write, the likelier it was written to name something."""

import math
from collections.abc import Iterable, Mapping

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
# Short ones of German, French, Spanish, Italian, Portuguese and Dutch: rare in English, and no codes in small letters.
_FOREIGN_WORDS = (
    "als am an au auf aus bei bin bis che com con da dal das de del dem den der des di die du e een ein el en es "
    "est et eu fue fur gli hat het hij ich il im in ist je la las le les lo los mit na ne nel no non nos nur o ou "
    "par pas per por que qui se sei sie sin son su sua sui sur tu um un una und une van vom von vor war was wer wie "
    "wir wo y zu zum zur"
)
_FOREIGN = frozenset(_FOREIGN_WORDS.split())
# In nats, like -log P(word).
_FUNCTION = 0.3
_OF_QUESTIONS = 1.2
_LETTER = 2.0
_UNRANKED = 8.0
_UNKNOWN = 11.0
# bert-base-uncased lists its whole words by frequency from here on; MiniLM took the list over.
_MOST_FREQUENT = ("the", 1996)


class WordRarity:
    """Tells how telling words are, in nats: 0.3 for `the`, 5 for `film`, 11 for a name that few texts hold."""

    def __init__(self, question_words: Iterable[str] = (), vocabulary: Mapping[str, int] | None = None) -> None:
        """`question_words`: what questions on this graph use beside names; `vocabulary`: the encoder's, word to id."""
        self._function = frozenset(_FUNCTION_WORDS.split())
        self._question_words = frozenset(question_words)
        word, rank = _MOST_FREQUENT
        self._ids = vocabulary if vocabulary and vocabulary.get(word) == rank else None

    def is_common(self, word: str) -> bool:
        """Whether a word is poor evidence for a name: questions use it anyway."""
        return word in self._function or word in self._question_words

    def is_foreign(self, word: str) -> bool:
        """Whether other languages of Latin script use a normalised word as often as English uses `the`."""
        return word in _FOREIGN

    def is_word(self, word: str) -> bool:
        """Whether a normalised word is known to be spelt right; False where no vocabulary tells."""
        return word in self._function or (self._ids or {}).get(word, -1) >= _MOST_FREQUENT[1]

    def of(self, word: str) -> float:
        """How telling a normalised word is."""
        if word in self._function:
            return _FUNCTION
        if word in self._question_words:
            return _OF_QUESTIONS
        if len(word) == 1:
            return _LETTER
        if self._ids is None:
            return _UNRANKED
        place = self._ids.get(word, -1) - _MOST_FREQUENT[1] + 1
        return math.log(place + 1) if place > 0 else _UNKNOWN
