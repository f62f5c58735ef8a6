"""Other ways to write a name: `godfather` for The Godfather, `Thelma and Louise` for Thelma & Louise, `Rocky 2`."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from services.retriever.mentions import Mention

_ARTICLES = ("the", "a")
_BEFORE_NAMES = frozenset({"the", "a", "an", "of", "in", "by", "to", "and", "or", "with", "for", "on", "at", "from"})
_LONGEST_WITHOUT_ARTICLE = 6
_NUMERALS = ("ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii")
_OTHER_NUMERAL = {roman: str(number) for number, roman in enumerate(_NUMERALS, 2)}
_OTHER_NUMERAL |= {digits: roman for roman, digits in _OTHER_NUMERAL.items()}
# In nats, what speaks against a name that must be read so: an article is worth more than it tells as a word.
_ARTICLE_LEFT_OUT = 2.5
_WRITTEN_OTHERWISE = 0.5


def variants(question: str, mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions once more under the names that they may be short or different for; see `Mention.doubt`."""
    return [
        replace(mention, name=name, doubt=doubt)
        for mention in mentions
        if not mention.doubt
        for name, doubt in _others(question[mention.start : mention.end], mention.name.split())
    ]


def _others(text: str, words: Sequence[str]) -> Iterator[tuple[str, float]]:
    if words and len(words) <= _LONGEST_WITHOUT_ARTICLE and words[0] not in _BEFORE_NAMES:
        for article in _ARTICLES:
            yield " ".join((article, *words)), _ARTICLE_LEFT_OUT
    if "and" in words[1:-1]:
        # As `&` is read.
        yield " ".join(word for word in words if word != "and"), _WRITTEN_OTHERWISE
    for word in words[1:]:
        if word in _OTHER_NUMERAL:
            yield " ".join(_OTHER_NUMERAL[w] if w == word else w for w in words), _WRITTEN_OTHERWISE
    if "&" in text:
        yield " ".join(text.replace("&", " and ").lower().split()), _WRITTEN_OTHERWISE
