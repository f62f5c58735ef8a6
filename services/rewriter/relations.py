"""Does a text say a name of another relation than its own: `The stars of Ned Kelly are Mark McManus and 1970`?

Told from the words of the relations' names, sentence by sentence, without a model. A sentence in which no relation's
words are found is taken to be right, and a name that is spelt otherwise is not seen.
"""

import re
from collections import defaultdict
from collections.abc import Sequence

from shared.llm.formats import Fact
from shared.llm.relation_form import PASTS, PREPOSITIONS, form_of
from shared.text import words

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
# Stands for a name, so that no full stop of a name ends a sentence and none of its words is taken for a relation's.
_FIRST_MARK = 0xF0000
_MARK = re.compile("[\U000f0000-\U000ffffd]")
_STEM = 4
_NOT_TELLING = PREPOSITIONS | {"has", "have", "was", "were", "the", "is", "are"}


def misplaced(text: str, facts: Sequence[Fact]) -> list[str]:
    """The names that a sentence puts under a relation that they have nothing to do with."""
    relations: dict[str, set[str]] = defaultdict(set)
    for fact in facts:
        for name in (fact.subject, fact.object):
            relations[name].add(fact.relation)
    names = sorted(relations, key=len, reverse=True)
    stems = {relation: _stems(relation) for relation in {fact.relation for fact in facts}}
    found = []
    for sentence in _SENTENCE_END.split(_marked(text, names)):
        here = [names[ord(mark) - _FIRST_MARK] for mark in _MARK.findall(sentence)]
        words_here = {word[:_STEM] for word in words(_MARK.sub(" ", sentence))}
        said = {relation for relation, some in stems.items() if some & words_here}
        found += [name for name in here if said and not relations[name] & said]
    return list(dict.fromkeys(found))


def _marked(text: str, names: Sequence[str]) -> str:
    for number, name in enumerate(names):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", chr(_FIRST_MARK + number), text)
    return text


def _stems(relation: str) -> set[str]:
    telling = [word for word in form_of(relation).words if word not in _NOT_TELLING]
    return {word[:_STEM] for word in (*telling, *(PASTS[word] for word in telling if word in PASTS))}
