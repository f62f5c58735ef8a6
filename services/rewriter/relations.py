"""Does a text say a name of another relation than its own: `The stars of Ned Kelly are Mark McManus and 1970`?

Told from the words of the relations' names, sentence by sentence, without a model. A sentence in which no relation's
words are found is taken to be right, and a name that is spelt otherwise is not seen.
"""

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Sequence

from shared.exact_match import Mention, composed, exact, mentions, tokens
from shared.triple import Triple, entity_names
from shared.verbalise.morphology import PAST_TENSES as PASTS
from shared.verbalise.morphology import PREPOSITIONS
from shared.verbalise.morphology import relation_form as form_of

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_STEM = 4
_NOT_TELLING = PREPOSITIONS | {"has", "have", "was", "were", "the", "is", "are"}


def misplaced(text: str, facts: Sequence[Triple]) -> list[str]:
    """The names that a sentence puts under a relation that they have nothing to do with."""
    relations: dict[str, set[str]] = defaultdict(set)
    for fact in facts:
        for name in (fact.subject, fact.object):
            relations[exact(name)].add(fact.relation)
    text = composed(text)
    named = mentions(text, entity_names(facts))
    ends = _sentence_ends(text, named)
    said = _relations_said(text, named, ends, {fact.relation for fact in facts})
    found = [
        mention.name
        for mention in named
        if (here := said[bisect(ends, mention.start)]) and not relations[exact(mention.name)] & here
    ]
    return list(dict.fromkeys(found))


def _sentence_ends(text: str, named: Sequence[Mention]) -> list[int]:
    """Where sentences end; the full stop of a name ends none."""
    ends = [match.start() for match in _SENTENCE_END.finditer(text)]
    return [end for end in ends if not any(mention.start < end < mention.end for mention in named)]


def _relations_said(
    text: str, named: Sequence[Mention], ends: Sequence[int], relations: set[str]
) -> dict[int, set[str]]:
    """The relations of which each sentence has a word beside its names."""
    in_names = {at for mention in named for at in range(mention.first, mention.last)}
    words_in: dict[int, set[str]] = defaultdict(set)
    for at, token in enumerate(tokens(text)):
        if at not in in_names:
            words_in[bisect(ends, token.start)].add(token.key[:_STEM])
    stems = {relation: _stems(relation) for relation in relations}
    return {number: {r for r, some in stems.items() if some & words_in[number]} for number in range(len(ends) + 1)}


def _stems(relation: str) -> set[str]:
    telling = [word for word in form_of(relation).words if word not in _NOT_TELLING]
    return {word[:_STEM] for word in (*telling, *(PASTS[word] for word in telling if word in PASTS))}
