"""Say comparisons in the words that the model knows: `no more than 500` is `at most 500`."""

import re

_MORE = r"(?:more|greater|higher|larger|bigger|longer|heavier) than"
_LESS = r"(?:less|fewer|lower|smaller|shorter|lighter) than"
_NOT = r"(?:(?:do|does|did|can|could|will|would|should) not|(?:do|does|did|could|would|should)n['’]?t|can['’]?t|cannot)"
_RULES = tuple(
    (re.compile(pattern, re.IGNORECASE), said)
    for pattern, said in (
        (rf"\b{_NOT} (\w+) {_MORE} (?=\S*\d)", r"\1 at most "),
        (rf"\b{_NOT} (\w+) {_LESS} (?=\S*\d)", r"\1 at least "),
        (rf"\bnot? {_MORE} (?=\S*\d)", "at most "),
        (rf"\bnot? {_LESS} (?=\S*\d)", "at least "),
        (r"\bnot (?:over|above|exceeding) (?=\S*\d)", "at most "),
        (r"\bnot (?:under|below) (?=\S*\d)", "at least "),
    )
)


def in_known_words(text: str) -> str:
    """Return the text of a question in which comparisons with a number are not negated.

    Example:
        >>> in_known_words("Which halls do not hold more than 500 people?")
        'Which halls hold at most 500 people?'
    """
    for pattern, said in _RULES:
        text = pattern.sub(said, text)
    return text
