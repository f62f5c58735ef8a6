"""Spell a name in other ways that graphs use: `Lost Pier, The`, `Calder, Ines`, `St. Olaf`, `mouse` for `mice`."""

from collections.abc import Iterable, Iterator

from services.retriever.linking.mentions import Mention
from services.retriever.planning.stems import singular
from shared.text import normalise

_ARTICLES = frozenset({"the", "a", "an"})
_SAINTS = {"saint": "st", "st": "saint"}
_LEGAL_FORMS = ("ltd", "limited", "inc", "llc", "plc", "corp", "gmbh", "ag", "sa", "bv")
_PERSON_WORDS = (2, 3)
_TITLE_WORDS = range(2, 7)


def other_spellings(text: str) -> list[str]:
    """Return other spellings of a name in a question, normalised, the likeliest first.

    A legal form may be missing on either side. Only capitalised names are read as those of people and companies.

    Example:
        >>> other_spellings("Ines Calder")[:2]
        ['ines calder the', 'calder ines']
    """
    words = normalise(text).split()
    return list(dict.fromkeys(_spellings(words, is_name=_is_capitalised(text)))) if words else []


def respelled_mentions(question: str, mentions: Iterable[Mention], penalty: float) -> list[Mention]:
    """Return the mentions as written in other spellings, with a penalty in nats."""
    return [
        Mention(mention.start, mention.end, name, mention.words, penalty)
        for mention in mentions
        if not mention.penalty
        for name in other_spellings(question[mention.start : mention.end])
        if name != mention.name
    ]


def _spellings(words: list[str], is_name: bool) -> Iterator[str]:
    *before, last = words
    if before and words[0] in _ARTICLES:
        yield " ".join((*words[1:], words[0]))
    elif len(words) in _TITLE_WORDS:
        yield " ".join((*words, "the"))
    if is_name and len(words) in _PERSON_WORDS:
        yield " ".join((last, *before))
    if not _SAINTS.keys().isdisjoint(words):
        yield " ".join(_SAINTS.get(word, word) for word in words)
    if "and" in words[1:-1]:
        yield " ".join(word for word in words if word != "and")
    if noun := singular(last):
        yield " ".join((*before, noun))
    if before and last in _LEGAL_FORMS:
        yield " ".join(before)
    elif is_name:
        yield from (" ".join((*words, form)) for form in _LEGAL_FORMS)


def _is_capitalised(text: str) -> bool:
    return all(word[0].isupper() for word in text.split())
