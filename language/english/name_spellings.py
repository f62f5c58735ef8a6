"""Spell a name in other ways that graphs use: `Lost Pier, The`, `Calder, Ines`, `St. Olaf`, `mouse` for `mice`."""

import re
from collections.abc import Iterator

from language.english.stems import singular
from shared.text import normalise

_ARTICLES = frozenset({"the", "a", "an"})
_SAINTS = {"saint": "st", "st": "saint"}
_LEGAL_FORMS = ("ltd", "limited", "inc", "llc", "plc", "corp", "gmbh", "ag", "sa", "s a", "bv", "b v")
_LEGAL_FORM = re.compile(r",?\s+(?:ltd|limited|inc|llc|plc|corp|gmbh|ag|s\.?a|b\.?v)\b", re.IGNORECASE)
# Words that people put before a code, or leave out: `flight KL1` is `KL1`.
_BEFORE_CODES = ("flight", "train", "bus", "line", "route", "room", "gate", "order", "model")
_CODE = re.compile(r"(?=\w*[^\W\d_])(?=\w*\d)\w+")
_ENDINGS = tuple(f" {form}" for form in _LEGAL_FORMS)
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


def spellings_at(question: str, start: int, end: int) -> list[str]:
    """Return other spellings of the name at a place in a question.

    A name with one legal form is not one with another: `Nordwind S.A.` is not `Nordwind GmbH`.
    """
    found = other_spellings(question[start:end])
    has_form = _LEGAL_FORM.match(question, end) is not None
    return [name for name in found if not name.endswith(_ENDINGS)] if has_form else found


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
    if len(words) == 1 and _CODE.fullmatch(last):
        yield from (f"{word} {last}" for word in _BEFORE_CODES)
    elif before and words[0] in _BEFORE_CODES and _CODE.fullmatch("".join(words[1:])):
        yield " ".join(words[1:])
    if form := next((one for one in _ENDINGS if before and " ".join(words).endswith(one)), None):
        yield " ".join(words).removesuffix(form)
    elif is_name:
        yield from (" ".join((*words, form)) for form in _LEGAL_FORMS)


def _is_capitalised(text: str) -> bool:
    return all(word[0].isupper() for word in text.split())
