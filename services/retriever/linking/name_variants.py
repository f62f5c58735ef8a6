"""Other ways to write a name: `godfather` for The Godfather, `Thelma and Louise` for Thelma & Louise, `Rocky 2`."""

from collections.abc import Callable, Iterator, Sequence

from services.retriever.linking.mentions import Mention

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
# A question of 60 words has fewer, unless it is written to have many.
MAX_VARIANTS = 1_000


def variants(question: str, mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions once more under the names that they may be short or different for; see `Mention.doubt`."""
    return _of_the_last(mentions, lambda mention: [] if mention.doubt else _variants(question, mention))


def numbered_otherwise(question: str, mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions that hold a numeral, an `and` or an `&`, with it written in another way."""
    return _of_the_last(mentions, lambda mention: _numbered_otherwise(question, mention))


def with_the(mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions as names that begin with `the`, which they leave out."""
    return [_behind("the", mention) for mention in mentions if _may_lack_article(mention)]


def _of_the_last(mentions: Sequence[Mention], others: Callable[[Mention], list[Mention]]) -> list[Mention]:
    """The others of the mentions, in order; at most `MAX_VARIANTS`, of the last mentions, which are the shortest."""
    found: list[list[Mention]] = []
    room = MAX_VARIANTS
    for mention in reversed(mentions):
        found.append(others(mention)[:room])
        room -= len(found[-1])
        if not room:
            break
    return [other for some in reversed(found) for other in some]


def _variants(question: str, mention: Mention) -> list[Mention]:
    others = _numbered_otherwise(question, mention)
    short = [one for one in (mention, *others) if _may_lack_article(one)]
    return [*others, *(_behind(article, one) for one in short for article in _ARTICLES)]


def _numbered_otherwise(question: str, mention: Mention) -> list[Mention]:
    text = question[mention.start : mention.end]
    return [_named(mention, name, doubt) for name, doubt in _others(text, mention.name.split())]


def _behind(article: str, mention: Mention) -> Mention:
    return _named(mention, f"{article} {mention.name}", mention.doubt + _ARTICLE_LEFT_OUT)


def _named(mention: Mention, name: str, doubt: float) -> Mention:
    """As `dataclasses.replace`, in a quarter of the time."""
    return Mention(mention.start, mention.end, name, mention.words, doubt)


def _may_lack_article(mention: Mention) -> bool:
    words = mention.name.split()
    longest = max(mention.words, len(words))
    return bool(words) and longest <= _LONGEST_WITHOUT_ARTICLE and words[0] not in _BEFORE_NAMES


def _others(text: str, words: Sequence[str]) -> Iterator[tuple[str, float]]:
    if "and" in words[1:-1]:
        # As `&` is read.
        yield " ".join(word for word in words if word != "and"), _WRITTEN_OTHERWISE
    for place, word in enumerate(words[1:], 1):
        for other in _OTHERS.get(word, ()):
            yield " ".join((*words[:place], other, *words[place + 1 :])), _WRITTEN_OTHERWISE
    if "&" in text:
        yield " ".join(text.replace("&", " and ").lower().split()), _WRITTEN_OTHERWISE
