"""List the words by which titles that mean the same differ: articles and numerals."""

ARTICLES = ("the", "a")
"""Articles that a question may leave out at the beginning of a title."""
NEVER_AFTER_ARTICLE = frozenset(
    {"the", "a", "an", "of", "in", "by", "to", "and", "or", "with", "for", "on", "at", "from"}
)
_ROMAN = ("ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii")
_SPELLED = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen")
_NUMERALS = [(str(number), *names) for number, names in enumerate(zip(_ROMAN, _SPELLED, strict=True), 2)]
OTHER_NUMERALS = {one: [other for other in same if other != one] for same in _NUMERALS for one in same}
"""Other ways to write a numeral: `2` and `two` for `ii`."""
CONJUNCTION = "and"
"""The word for `&`."""
