"""Say the names of relations and properties in words."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

from language.english.abbreviations import ABBREVIATIONS
from language.english.lexicon import words_of_class
from shared.text import readable

_AMBIGUOUS = words_of_class("ambiguous abbreviation")
_ACRONYMS = words_of_class("acronym")


_called: ContextVar[Mapping[str, str]] = ContextVar("called", default=MappingProxyType({}))


@contextmanager
def calling(names: Mapping[str, str]) -> Iterator[None]:
    """Say names as the owner of a graph does, within a request; `names` are by stored name.

    Example:
        >>> with calling({"rpts_to": "reports to"}):
        ...     in_words("rpts_to")
        'reports to'
    """
    token = _called.set(names)
    try:
        yield
    finally:
        _called.reset(token)


def called(identifier: str) -> str:
    """Return what the owner of the graph calls an element, or else its stored name."""
    return _called.get().get(identifier, identifier)


def in_words(identifier: str) -> str:
    """Return an identifier as words, with abbreviations written out, and with acronyms in capitals.

    Example:
        >>> in_words("rpts_to"), in_words("costCtr"), in_words("ACTED_IN")
        ('reports to', 'cost center', 'acted in')
    """
    return " ".join(map(_spelt_out, readable(called(identifier)).split()))


def _spelt_out(word: str) -> str:
    if word in _AMBIGUOUS:
        return word
    return word.upper() if word in _ACRONYMS else ABBREVIATIONS.get(word, word)
