"""How much a stretch of a question looks like a name: evidence from its words, capitals and spelling, in nats.

The stretch that is least likely to stand there by chance is the likeliest to be meant as a name: rare words speak for
it, many words, capitals, quotation marks; typing errors that must be assumed speak against it.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from rapidfuzz.distance import OSA

from services.retriever.linking.mentions import UNSPACED, Mention, word_spans
from services.retriever.linking.spans import Stretches
from services.retriever.linking.word_surprisal import WordRarity
from shared.graph.name_matching import short_name
from shared.graph.store import NameMatch
from shared.text import normalise, words

# Each word beyond the first: chance seldom puts a whole name together, even of common words.
_EACH_MORE_WORD = 1.0
_CAPITALISED = 4.0
_LOWER_CASE = -1.5
_QUOTED = 24.0
_WITHIN_QUOTES = 8.0
_LITERAL = 6.0
_CODE_IN_LOWER_CASE = -5.0
_FOREIGN = -10.0
_ALIAS = -0.3
# An edit, and what more it costs for each letter that the name is shorter than eight: short words are close to many.
_EDIT = -4.0
_EDIT_OF_SHORT = -0.8
_SHORT = 8
_OTHER_INITIAL = -2.0
_COMMON_EDGE = -1.0
_OTHER_WORD = -3.0
# What speaks against reading a word as short for a longer name.
_SHORT_NAME = -3.0
# What counts as how many corrected edits of eight letters: another first letter, a word that is one by itself, what a
# short name leaves out, and what stands beside the name without being part of it.
_INITIAL_CORRECTED, _WORD_CORRECTED, _COMPLETED, _LEFT_ASIDE = 4.0, 1.0, 1.0, 1.0
# Accents and signs that differ: `Peru's` is rather Peru than Perus.
_EACH_SIGN = -0.1
_LONGEST_CODE = 3
# So many more words tell enough, whatever they end with.
_TELLING = 2
_SHORTEST_MISSPELT = 3
_UNSPACED = re.compile(f"[{UNSPACED}]")
_QUOTED_TEXT = re.compile(r"[\"“”„«»‘]([^\"“”„«»‘’]+)[\"“”«»’]")


class Naming:
    """Weighs the mentions of one question."""

    def __init__(self, question: str, rarity: WordRarity) -> None:
        self._question = question
        self._rarity = rarity
        self._spans = word_spans(question)
        self._quoted = [match.span(1) for match in _QUOTED_TEXT.finditer(question)]
        # Capitals tell names only where somebody cared to write them, and then not at the start or in a heading.
        inner = [question[start] for start, _ in self._spans[1:] if question[start].isalpha()]
        capitals = sum(letter.isupper() for letter in inner)
        self._capitals_tell = 0 < capitals < max(2, len(inner))

    def strength(self, mention: Mention, match: NameMatch) -> float:
        """How much speaks for it that the mention names the match's entity, in nats; seldom above 30."""
        text = self._question[mention.start : mention.end]
        strength = self._told(mention.name.split())
        strength += _ALIAS * match.is_alias - mention.doubt
        if match.is_short:
            strength += _SHORT_NAME
        else:
            strength += _EACH_SIGN * min(OSA.distance(text.casefold(), match.name.casefold()), 10)
        if match.distance:
            strength += self._misspelt(mention, match)
        if _is_literal(text, match.name):
            return strength + _LITERAL
        return strength + self._written(mention, text, match)

    def correction(self, mention: Mention, match: NameMatch, is_part: bool) -> float:
        """How much had to be corrected: edits for each eight letters, and more where it is less like a typing error.

        A short name that had to be completed counts, too, and a word beside it that may belong to the name.
        """
        corrected = _LEFT_ASIDE if is_part else 0.0
        corrected += _COMPLETED if match.is_short else 0.0
        if not match.distance:
            return corrected
        if _has_other_initial(mention, match):
            corrected += _INITIAL_CORRECTED
        if self._is_other_word(mention):
            corrected += _WORD_CORRECTED
        return corrected + match.distance * _SHORT / max(len(mention.name), 1)

    def _is_other_word(self, mention: Mention) -> bool:
        """Whether what was typed is a word by itself, though the graph has no such name."""
        return mention.words == 1 and self._rarity.is_word(mention.name)

    def is_part_of_a_name(self, mention: Mention) -> bool:
        """Whether a word beside it may belong to the name, too: Peter Jackson is no other Jackson, and no Peter."""
        return self._follows_a_name(mention) or self._begins_a_name(mention)

    def _begins_a_name(self, mention: Mention) -> bool:
        """Told by a capital alone: what comes after a name is any word."""
        place = bisect_left(self._spans, mention.end, key=lambda span: span[0])
        if not self._capitals_tell or place == len(self._spans):
            return False
        start, end = self._spans[place]
        after = self._question[start:end]
        beside = not self._question[mention.end : start].strip()
        return beside and after[0].isupper() and not self._is_common(normalise(after))

    def _follows_a_name(self, mention: Mention) -> bool:
        place = bisect_right(self._spans, mention.start, key=lambda span: span[1]) - 1
        if place < 0:
            return False
        start, end = self._spans[place]
        before = self._question[start:end]
        # Of scripts without blanks between words only characters are known, not what they belong to.
        if self._question[end : mention.start].strip() or _UNSPACED.fullmatch(before):
            return False
        if self._capitals_tell and before[0].islower():
            return False
        return not self._is_common(normalise(before))

    def unexplained(self, explained: Sequence[Mention]) -> list[Mention]:
        """Words that are neither common nor part of a mention found, and long enough to be misspelt names."""
        names = Stretches(explained)
        return [
            word
            for word in self._words()
            if len(word.name) >= _SHORTEST_MISSPELT and not self._is_common(word.name) and not names.overlap(word)
        ]

    def least_telling(self, beyond: int) -> list[Mention]:
        """The words beyond the so many most telling ones; of words that tell as much the later ones.

        Words that questions use anyway are none of them.
        """
        words = [word for word in self._words() if not self._is_common(word.name)]
        ranked = sorted(dict.fromkeys(word.name for word in words), key=lambda name: -self._told(name.split()))
        left_out = set(ranked[beyond:])
        return [word for word in words if word.name in left_out]

    def _words(self) -> list[Mention]:
        return [Mention(start, end, normalise(self._question[start:end]), 1) for start, end in self._spans]

    def _told(self, words: Sequence[str]) -> float:
        return sum(self._rarity.of(word) for word in words) + _EACH_MORE_WORD * max(0, len(words) - 1)

    def _written(self, mention: Mention, text: str, match: NameMatch) -> float:
        if (mention.start, mention.end) in self._quoted:
            return _QUOTED
        if any(start <= mention.start and mention.end <= end for start, end in self._quoted):
            return _WITHIN_QUOTES
        capitalised = text[:1].isupper() or not text[:1].isalpha()
        if match.name.isupper() and len(match.name) <= _LONGEST_CODE and not text.isupper():
            return _CODE_IN_LOWER_CASE + (_FOREIGN if self._rarity.is_foreign(mention.name) else 0.0)
        if not self._capitals_tell:
            return 0.0
        at_start = bool(self._spans) and mention.start == self._spans[0][0]
        if self._is_common(mention.name):
            return _CAPITALISED if capitalised and not at_start else 0.0
        return _CAPITALISED if capitalised else _LOWER_CASE

    def _misspelt(self, mention: Mention, match: NameMatch) -> float:
        """Ordinary words come close to some name, too, but typing errors spare the first letter nearly always."""
        cost = match.distance * (_EDIT + _EDIT_OF_SHORT * max(0, _SHORT - len(mention.name)))
        if self.has_common_edge(mention):
            cost += _COMMON_EDGE
        cost += _OTHER_WORD * self._is_other_word(mention)
        return cost + (_OTHER_INITIAL if _has_other_initial(mention, match) else 0.0)

    def has_common_edge(self, mention: Mention) -> bool:
        """Whether the mention begins or ends with a word that questions use anyway."""
        parts = mention.name.split()
        return bool(parts) and (self._rarity.is_common(parts[0]) or self._rarity.is_common(parts[-1]))

    def may_lack_its_article(self, mention: Mention) -> bool:
        """Whether a misspelt mention is worth a try as a title without its article: not if it begins as questions do.

        One or two words must not end as questions do, either.
        """
        first, *others = mention.name.split() or [""]
        if self._rarity.is_common(first):
            return False
        return len(others) >= _TELLING or not self.has_common_edge(mention)

    def _is_common(self, name: str) -> bool:
        return all(self._rarity.is_common(word) for word in words(name))


def _has_other_initial(mention: Mention, match: NameMatch) -> bool:
    whole = normalise(match.name)
    meant = short_name(match.name, whole) if match.is_short else whole
    return mention.name[0] != (meant or whole)[0]


def _is_literal(text: str, name: str) -> bool:
    """Whether a name with signs in it is written out with them: `.in`, `+33`."""
    return text.casefold() == name.casefold() and normalise(text) != text.casefold()
