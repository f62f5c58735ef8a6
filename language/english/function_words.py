"""List words that are common in any question, and therefore poor evidence for a name."""

# Words that are common in any question, for graphs without a word list from a trained model. In graphs of films, songs,
# or towns, nearly every one of them is also the name of an entity (Of in Turkey, Many in Louisiana, Nice in France).
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
# Short function words in German, French, Spanish, Italian, Portuguese, and Dutch. They are rare in English, but when
# written in lower case, they do not stand for a code such as `DE`.
_FOREIGN_WORDS = (
    "als am an au auf aus bei bin bis che com con da dal das de del dem den der des di die du e een ein el en es "
    "est et eu fue fur gli hat het hij ich il im in ist je la las le les lo los mit na ne nel no non nos nur o ou "
    "par pas per por que qui se sei sie sin son su sua sui sur tu um un una und une van vom von vor war was wer wie "
    "wir wo y zu zum zur"
)
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
FOREIGN_WORDS = frozenset(_FOREIGN_WORDS.split())
"""Function words of other languages."""
_ARTICLES = frozenset(("the", "a", "an"))


def is_ordinary_word(text: str) -> bool:
    """Return whether a text is a single word in lower case, apart from articles."""
    words = [word for word in text.split() if word not in _ARTICLES]
    return len(words) == 1 and words[0].isalpha() and words[0].islower()
