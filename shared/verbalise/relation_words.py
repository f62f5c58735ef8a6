"""Say the names of relations and properties in words."""

from shared.abbreviations import ABBREVIATIONS
from shared.text import readable, word_set

# These are words themselves, or stand for several: a person may have a `cat`.
_AMBIGUOUS = word_set(
    "auth cat cd co coll cond cont del dev dir disc div doc exp ind len nat op ord pat perf pos prd prod prof pub rel "
    "rep req resp rev sal sec seq spec srv sup supp temp trans val vend vol"
)


def in_words(identifier: str) -> str:
    """Return an identifier as words, with abbreviations written out.

    Example:
        >>> in_words("rpts_to"), in_words("costCtr"), in_words("ACTED_IN")
        ('reports to', 'cost center', 'acted in')
    """
    return " ".join(
        word if word in _AMBIGUOUS else ABBREVIATIONS.get(word, word) for word in readable(identifier).split()
    )
