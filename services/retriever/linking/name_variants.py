"""Generate variants of names, such as The Godfather for `godfather`, or Thelma & Louise for `Thelma and Louise`."""

from collections.abc import Iterable, Iterator, Sequence

from language.english.titles import ARTICLES, CONJUNCTION, NEVER_AFTER_ARTICLE, OTHER_NUMERALS
from language.mentions import Mention
from language.question import Question

# A question of 60 words has fewer variants unless it was crafted to have many.
MAX_VARIANTS = 1_000
_MAX_WORDS_AFTER_ARTICLE = 6
# Penalties in nats. Omitting an article costs more than the article's surprisal.
_WITHOUT_ARTICLE = 2.5
_REWRITTEN = 0.5


def name_variants(question: Question, mentions: Sequence[Mention], articles: Sequence[str] = ARTICLES) -> list[Mention]:
    """Return variants of the mentions as written: with other numerals, `and` for `&`, or a leading article.

    With `articles`, names are also spelt in the other ways of `Question.spellings_at`. At most `MAX_VARIANTS` are
    returned. The last mentions, which are the shortest, take precedence.
    """
    groups: list[list[Mention]] = []
    remaining = MAX_VARIANTS
    for mention in reversed(mentions):
        if not mention.penalty and remaining:
            rewritten = [_variant(mention, name, _REWRITTEN) for name in _rewritten(question, mention)]
            both = [*rewritten, *article_variants((mention, *rewritten), articles)]
            groups.append(both[:remaining])
            remaining -= len(groups[-1])
    variants = [variant for group in reversed(groups) for variant in group]
    respelled = _respelled(question, mentions, _REWRITTEN)[-remaining:] if articles and remaining else []
    return respelled + variants


def _respelled(question: Question, mentions: Iterable[Mention], penalty: float) -> list[Mention]:
    """Return the mentions as written in other spellings, with a penalty in nats."""
    return [
        Mention(mention.start, mention.end, name, mention.words, penalty)
        for mention in mentions
        if not mention.penalty
        for name in question.spellings_at(mention.start, mention.end)
        if name != mention.name
    ]


def article_variants(mentions: Sequence[Mention], articles: Sequence[str]) -> list[Mention]:
    """Return the mentions preceded by each of the articles, except where no title would begin that way."""
    return [
        _variant(mention, f"{article} {mention.name}", mention.penalty + _WITHOUT_ARTICLE)
        for mention in mentions
        if _may_follow_article(mention)
        for article in articles
    ]


def _may_follow_article(mention: Mention) -> bool:
    words = mention.name.split()
    longest = max(mention.words, len(words))
    return bool(words) and longest <= _MAX_WORDS_AFTER_ARTICLE and words[0] not in NEVER_AFTER_ARTICLE


def _variant(mention: Mention, name: str, penalty: float) -> Mention:
    # `dataclasses.replace` takes four times as long.
    return Mention(mention.start, mention.end, name, mention.words, penalty)


def _rewritten(question: Question, mention: Mention) -> Iterator[str]:
    words = mention.name.split()
    if CONJUNCTION in words[1:-1]:
        # The normalised form of a name with `&` contains neither `&` nor `and`.
        yield " ".join(word for word in words if word != CONJUNCTION)
    for place, word in enumerate(words[1:], 1):
        for numeral in OTHER_NUMERALS.get(word, ()):
            yield " ".join((*words[:place], numeral, *words[place + 1 :]))
    text = question.text[mention.start : mention.end]
    if "&" in text:
        yield " ".join(text.replace("&", f" {CONJUNCTION} ").lower().split())
