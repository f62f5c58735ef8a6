"""Say the names of relations and properties in words."""

from language.english.abbreviations import ABBREVIATIONS
from shared.text import readable, word_set

# These are words themselves, or stand for several: a person may have a `cat`.
_AMBIGUOUS = word_set(
    "auth cat cd co coll cond cont del dev dir disc div doc exp ind len nat op ord pat perf pos prd prod prof pub rel "
    "rep req resp rev sal sec seq spec srv sup supp temp trans val vend vol"
)
_ACRONYMS = word_set("api ceo cto dna gdp gps http iata icao id ip isbn iso sku sla url utc vat")


def in_words(identifier: str) -> str:
    """Return an identifier as words, with abbreviations written out, and with acronyms in capitals.

    Example:
        >>> in_words("rpts_to"), in_words("costCtr"), in_words("ACTED_IN")
        ('reports to', 'cost center', 'acted in')
    """
    return " ".join(map(_spelt_out, readable(identifier).split()))


def _spelt_out(word: str) -> str:
    if word in _AMBIGUOUS:
        return word
    return word.upper() if word in _ACRONYMS else ABBREVIATIONS.get(word, word)
