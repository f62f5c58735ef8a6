"""Score matches by how strongly a question's words, capitals, and spelling suggest that a mention is a name.

The less likely a mention is to occur by chance, the likelier it is to be a name. Rare words, multiple words, capitals,
and quotation marks are evidence for a name; assumed typos are evidence against it. Evidence is measured in nats.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter

from rapidfuzz.distance import OSA

from graph.name_matching import short_name
from graph.store import Entity, NameMatch
from language.marks import Mark
from language.mentions import Mention, has_unspaced
from language.question import Question, Said
from services.retriever.linking.word_surprisal import LexicalFeatures, WordSurprisal
from shared.text import normalise

_CAPITALISED = 4.0
_LOWER_CASE = -1.5
_QUOTED = 24.0
_WITHIN_QUOTES = 8.0
_LITERAL = 6.0
_CODE_IN_LOWER_CASE = -5.0
_FOREIGN_WORD = -10.0
_ALIAS = -0.3
_SHORT_NAME = -3.0
_BEST_KNOWN = 0.3
# The cost of an edit, and the extra cost for each letter short of eight, because short words resemble many others.
_EDIT = -4.0
_EDIT_OF_SHORT = -0.8
_SHORT = 8
_OTHER_INITIAL = -2.0
_COMMON_EDGE = -1.0
_OTHER_WORD = -3.0
# The cost of each difference in accents or punctuation, so that `Peru's` is read as Peru rather than Perus.
_EACH_SIGN = -0.1
_MAX_SIGNS = 10
_MAX_CODE_LETTERS = 3
# Corrections, in units of one edit in eight letters: a different first letter, a typo that is itself a word, a short
# name, and an omitted adjacent word that may belong to the name.
_INITIAL_CORRECTED, _WORD_CORRECTED, _COMPLETED, _LEFT_OUT = 4.0, 1.0, 1.0, 1.0
# If many entities share a name, only the best-known ones are scored.
_MAX_BEARERS = 8
# If the client supplies the topic's name, these factors favour an entity with exactly that name over entities for which
# it is an alias or a different spelling.
_GIVEN_ALIAS = 0.8
_GIVEN_OTHER_SPELLING = 0.5


@dataclass(frozen=True, slots=True)
class ScoredMatch:
    """Hold an entity that a mention may name.

    `strength` is the evidence for the match, in nats; it is rarely above 30. `correction` measures how much of the
    mention had to be corrected; it is 0 if the name is written as in the graph. One edit in eight letters counts as 1,
    and an unlikely typo counts as more. A short name counts as 1, and so does an adjacent word that may belong to the
    name.
    """

    entity: Entity
    mention: Mention
    strength: float
    correction: float


class MentionScorer:
    """Score the matches for the mentions in one question."""

    def __init__(self, question: Question, surprisal: WordSurprisal) -> None:
        self._question = question.text
        self._surprisal = surprisal
        self._spans = question.word_spans
        self._quoted = [_within(quoted) for quoted in question.all(Mark.QUOTED_TEXT)]
        # Capitals are evidence only if some words have them and others do not, unlike in a heading. The first word of
        # the question is ignored.
        initials = [one for start, _ in self._spans[1:] if (one := self._question[start]).isalpha()]
        capitals = sum(map(str.isupper, initials))
        self._case_is_informative = 0 < capitals < max(2, len(initials))

    def score(self, found: Iterable[tuple[Mention, Sequence[NameMatch]]]) -> list[ScoredMatch]:
        """Score each mention against the entities found for it, which are listed best known first.

        A short name does not match if an adjacent word may belong to the name: `Peter Jackson` must not match a
        different Jackson.
        """
        scored = []
        for mention, matches in found:
            bearers = matches[:_MAX_BEARERS]
            features = self._surprisal.features(mention.name)
            max_degree = max(match.degree for match in bearers)
            is_part = self._follows_name(mention) or self._precedes_name(mention)
            for match in bearers:
                if match.is_short and is_part:
                    continue
                popularity = _BEST_KNOWN * (match.degree / max(max_degree, 1) - 1.0)
                strength = self._strength(mention, features, match) + popularity
                correction = _correction(mention, features, match, is_part)
                scored.append(ScoredMatch(match.entity, mention, strength, correction))
        return scored

    def _follows_name(self, mention: Mention) -> bool:
        """Return whether the previous word may belong to the name."""
        place = bisect_right(self._spans, mention.start, key=itemgetter(1)) - 1
        if place < 0:
            return False
        start, end = self._spans[place]
        before = self._question[start:end]
        # In scripts without spaces, only the characters are known, not the words that they form.
        if self._question[end : mention.start].strip() or has_unspaced(before):
            return False
        if self._case_is_informative and before[0].islower():
            return False
        return not self._surprisal.are_common(before)

    def _precedes_name(self, mention: Mention) -> bool:
        """Return whether the next word may belong to the name; it must be capitalised, since any word may follow."""
        place = bisect_left(self._spans, mention.end, key=itemgetter(0))
        if not self._case_is_informative or place == len(self._spans):
            return False
        start, end = self._spans[place]
        after = self._question[start:end]
        is_adjacent = not self._question[mention.end : start].strip()
        return is_adjacent and after[0].isupper() and not self._surprisal.are_common(after)

    def _strength(self, mention: Mention, features: LexicalFeatures, match: NameMatch) -> float:
        text = self._question[mention.start : mention.end]
        strength = features.surprisal + (_ALIAS * match.is_alias - mention.penalty)
        if match.is_short:
            strength += _SHORT_NAME
        else:
            strength += _EACH_SIGN * min(OSA.distance(text.casefold(), match.name.casefold()), _MAX_SIGNS)
        if match.distance:
            strength += _misspelling(mention, features, match)
        if text.casefold() == match.name.casefold() and normalise(text) != text.casefold():
            return strength + _LITERAL  # a name such as `.in` or `+33`, typed with its punctuation
        return strength + self._orthography(mention, features, match)

    def _orthography(self, mention: Mention, features: LexicalFeatures, match: NameMatch) -> float:
        """Return the evidence from quotation marks and capitals."""
        if (mention.start, mention.end) in self._quoted:
            return _QUOTED
        if any(start <= mention.start and mention.end <= end for start, end in self._quoted):
            return _WITHIN_QUOTES
        text = self._question[mention.start : mention.end]
        if match.name.isupper() and len(match.name) <= _MAX_CODE_LETTERS and not text.isupper():
            return _CODE_IN_LOWER_CASE + _FOREIGN_WORD * features.is_foreign
        if not self._case_is_informative:
            return 0.0
        is_capitalised = text[:1].isupper() or not text[:1].isalpha()
        if features.are_common:
            is_first = bool(self._spans) and mention.start == self._spans[0][0]
            return _CAPITALISED if is_capitalised and not is_first else 0.0
        return _CAPITALISED if is_capitalised else _LOWER_CASE


def _within(quoted: Said) -> tuple[int, int]:
    """Return the span of the text within quotation marks."""
    return quoted.places[0], quoted.places[0] + len(quoted.parts[0] or "")


def score_given_name(name: str, matches: Sequence[NameMatch]) -> list[float]:
    """Score, from 0 to 1, the entities that a name supplied by the client may refer to.

    Entities with the same name are ordered by degree, but a degree has too little weight to override the evidence from
    the relations that each entity has. If names differ only in case or punctuation, the one spelled exactly as supplied
    comes first.
    """
    max_degree = max(match.degree for match in matches)
    is_exact = any(match.name == name for match in matches)
    scores = []
    for match in matches:
        likelihood = _GIVEN_ALIAS if match.is_alias else 1.0
        if is_exact and match.name != name:
            likelihood *= _GIVEN_OTHER_SPELLING
        scores.append((0.9 + 0.1 * match.degree / max(max_degree, 1)) * likelihood)
    return scores


def _misspelling(mention: Mention, features: LexicalFeatures, match: NameMatch) -> float:
    """Return the negative evidence from an assumed typo; typos rarely change the first letter."""
    cost = match.distance * (_EDIT + _EDIT_OF_SHORT * max(0, _SHORT - len(mention.name)))
    if features.has_common_edge:
        cost += _COMMON_EDGE
    cost += _OTHER_WORD * (mention.words == 1 and features.is_word)
    return cost + _OTHER_INITIAL * _has_other_initial(mention, match)


def _correction(mention: Mention, features: LexicalFeatures, match: NameMatch, is_part: bool) -> float:
    correction = _LEFT_OUT * is_part + _COMPLETED * match.is_short
    if match.distance:
        correction += _INITIAL_CORRECTED * _has_other_initial(mention, match)
        correction += _WORD_CORRECTED * (mention.words == 1 and features.is_word)
        correction += match.distance * _SHORT / max(len(mention.name), 1)
    return correction


def _has_other_initial(mention: Mention, match: NameMatch) -> bool:
    whole = normalise(match.name)
    short = short_name(match.name, whole) if match.is_short else None
    return mention.name[0] != (short or whole)[0]
