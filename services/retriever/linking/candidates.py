"""Generate the names to look up for a question: as written, as variants, as short names, and as misspelled names.

Each round has a budget, which is the same for every script. Ordinary questions stay within it. For long questions, only
the shortest mentions and the most surprising words are tried.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate

from graph.name_matching import MAX_SHORT_WORDS
from language.mentions import Mention
from language.question import Question
from services.retriever.linking.mention_scoring import ScoredMatch
from services.retriever.linking.name_variants import article_variants, name_variants
from services.retriever.linking.word_surprisal import WordSurprisal
from shared.text import normalise

MAX_SHORT_NAMES = 800
MAX_MISSPELLED = 400
# Counts distinct words, or characters in scripts without spaces. Correcting a word costs far more than looking it up.
MAX_MISSPELLED_WORDS = 40
_MIN_MISSPELLED_LETTERS = 3
# In nats. A match of at least this strength is a strong match; no ordinary word is that strong on its own.
_STANDS_OUT = 10.5
# A misspelled name with this many words after the first is distinctive, whatever its last word is.
_DISTINCTIVE_WORDS = 2


class CandidateGenerator:
    """Generate candidate names for one question in four rounds, each narrowed by the matches from earlier rounds."""

    def __init__(self, question: Question, surprisal: WordSurprisal) -> None:
        self._question = question
        self._surprisal = surprisal
        self._mentions = question.mentions

    def exact_names(self, _: Sequence[ScoredMatch]) -> Sequence[Mention]:
        """Return all mentions as written."""
        return self._mentions

    def variants(self, found: Sequence[ScoredMatch]) -> list[Mention]:
        """Return variants of all mentions or, if there are strong matches, only of mentions that contain one."""
        mentions: Sequence[Mention] = self._mentions
        if standing_out := _standing_out(found):
            spans = SpanIndex(standing_out)
            mentions = [mention for mention in mentions if spans.any_within(mention)]
        return name_variants(self._question, mentions)

    def short_names(self, found: Sequence[ScoredMatch]) -> list[Mention]:
        """Return possible surnames and titles without a subtitle; none if a multi-word name is a strong match."""
        if any(mention.words > 1 for mention in _standing_out(found)):
            return []
        short = [
            mention
            for mention in self._mentions
            if not mention.penalty
            and len(mention.name.split()) <= MAX_SHORT_WORDS
            and not self._surprisal.has_common_edge(mention.name)
        ][-MAX_SHORT_NAMES:]
        return short + article_variants([mention for mention in short if mention.words > 1], ("the",))

    def misspelled_names(self, found: Sequence[ScoredMatch]) -> list[Mention]:
        """Return mentions that may be misspelled: mentions with a word that no match covers, and multi-word mentions.

        Common words never count as uncovered. All multi-word mentions are included unless there is a strong match; a
        weaker match proves little, because nearly every ordinary word is the name of some entity.
        """
        nothing_stands_out = not _standing_out(found)
        unexplained, over_budget = self._correctable_words(found)
        mentions = [
            mention
            for mention in self._mentions
            if not mention.penalty
            and (unexplained.overlaps(mention) or (mention.words > 1 and nothing_stands_out))
            and not over_budget.overlaps(mention)
        ][-MAX_MISSPELLED:]
        mentions += name_variants(self._question, mentions, articles=())[-MAX_MISSPELLED:]
        return mentions + article_variants(list(filter(self._may_lack_article, mentions)), ("the",))

    def _correctable_words(self, found: Sequence[ScoredMatch]) -> tuple["SpanIndex", "SpanIndex"]:
        """Return the spans of uncommon words that no match covers, and the spans of words that exceed the budget."""
        text = self._question.text
        words = [Mention(start, end, normalise(text[start:end]), 1) for start, end in self._question.word_spans]
        features = {word.name: self._surprisal.features(word.name) for word in words}
        uncommon = [name for name in features if not features[name].are_common]
        ranked = sorted(uncommon, key=lambda name: -features[name].surprisal)
        correctable = {name for name in ranked if len(name) >= _MIN_MISSPELLED_LETTERS}
        excess = set(ranked[MAX_MISSPELLED_WORDS:])
        explained = SpanIndex(match.mention for match in found)
        return (
            SpanIndex(word for word in words if word.name in correctable and not explained.overlaps(word)),
            SpanIndex(word for word in words if word.name in excess),
        )

    def _may_lack_article(self, mention: Mention) -> bool:
        """Return whether a misspelled mention may be a title without its `the`, rather than ordinary words."""
        first, *others = mention.name.split() or [""]
        if self._surprisal.is_common(first):
            return False
        return len(others) >= _DISTINCTIVE_WORDS or not self._surprisal.has_common_edge(mention.name)


class SpanIndex:
    """Compare a mention with many spans by binary search, because a long question has thousands of mentions."""

    def __init__(self, mentions: Iterable[Mention]) -> None:
        spans = sorted({(mention.start, mention.end) for mention in mentions})
        ends = [end for _, end in spans]
        self._starts = [start for start, _ in spans]
        self._last_end_before = [0, *accumulate(ends, max)]
        self._first_end_from = list(accumulate(reversed(ends), min))[::-1]

    def overlaps(self, mention: Mention) -> bool:
        """Return whether any span shares a character with the mention."""
        return self._last_end_before[bisect_left(self._starts, mention.end)] > mention.start

    def any_within(self, mention: Mention) -> bool:
        """Return whether any span lies within the mention."""
        place = bisect_left(self._starts, mention.start)
        return place < len(self._starts) and self._first_end_from[place] <= mention.end


def _standing_out(found: Iterable[ScoredMatch]) -> list[Mention]:
    return [match.mention for match in found if match.strength >= _STANDS_OUT]
