"""Other ways to write a name: `godfather` for The Godfather, `Thelma and Louise` for Thelma & Louise, `Rocky 2`."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from services.retriever.mentions import Mention

_ARTICLES = ("the", "a")
_BEFORE_NAMES = frozenset({"the", "a", "an", "of", "in", "by", "to", "and", "or", "with", "for", "on", "at", "from"})
_LONGEST_WITHOUT_ARTICLE = 6
_ROMAN = ("ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii")
_SPELT = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen")
_NUMERALS = [(str(number), *names) for number, names in enumerate(zip(_ROMAN, _SPELT, strict=True), 2)]
_OTHERS = {one: [other for other in same if other != one] for same in _NUMERALS for one in same}
# In nats, what speaks against a name that must be read so: an article is worth more than it tells as a word.
_ARTICLE_LEFT_OUT = 2.5
_WRITTEN_OTHERWISE = 0.5


def variants(question: str, mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions once more under the names that they may be short or different for; see `Mention.doubt`."""
    found = []
    for mention in mentions:
        if not mention.doubt:
            others = numbered_otherwise(question, [mention])
            short = [one for one in (mention, *others) if _may_lack_article(one.name)]
            found += [*others, *(_behind(article, one) for one in short for article in _ARTICLES)]
    return found


def numbered_otherwise(question: str, mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions that hold a numeral, an `and` or an `&`, with it written in another way."""
    return [
        replace(mention, name=name, doubt=doubt)
        for mention in mentions
        for name, doubt in _others(question[mention.start : mention.end], mention.name.split())
    ]


def with_the(mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions as names that begin with `the`, which they leave out."""
    return [_behind("the", mention) for mention in mentions if _may_lack_article(mention.name)]


def _behind(article: str, mention: Mention) -> Mention:
    return replace(mention, name=f"{article} {mention.name}", doubt=mention.doubt + _ARTICLE_LEFT_OUT)


def _may_lack_article(name: str) -> bool:
    words = name.split()
    return 0 < len(words) <= _LONGEST_WITHOUT_ARTICLE and words[0] not in _BEFORE_NAMES


def _others(text: str, words: Sequence[str]) -> Iterator[tuple[str, float]]:
    if "and" in words[1:-1]:
        # As `&` is read.
        yield " ".join(word for word in words if word != "and"), _WRITTEN_OTHERWISE
    for place, word in enumerate(words[1:], 1):
        for other in _OTHERS.get(word, ()):
            yield " ".join((*words[:place], other, *words[place + 1 :])), _WRITTEN_OTHERWISE
    if "&" in text:
        yield " ".join(text.replace("&", " and ").lower().split()), _WRITTEN_OTHERWISE
