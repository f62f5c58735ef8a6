"""Does a generated text say what its facts say, and no more than that? Checked without a model.

What is checked: every entity of the facts is named, those of a list once; no other name, number or word is, but for
words that claim nothing (`grounding/support.py`); no negation, link or markup that the facts do not have; no relation
is turned round and none is said of another one's names, as far as words tell (`direction.py`, `relations.py`); the text
neither loops nor rambles.
What is not: whether a relation is said at all between two entities that are both named.
"""

from collections import Counter
from collections.abc import Sequence

from services.rewriter.relation_checks import turned_round
from services.rewriter.relations import misplaced
from shared.exact_match import exact, named, times_named
from shared.grounding.markup import markup
from shared.grounding.support import Told, loops, unsupported
from shared.text import words
from shared.triple import Triple, entity_names

CHECKS_VERSION = "2"
"""Part of cache keys, and changes with the checks: a text that passed others may not pass these."""

_WORDS_A_FACT = 16
_SHORTEST_LIST = 3


def faults(text: str, facts: Sequence[Triple]) -> list[str]:
    """What is wrong with a text, in words for a log; empty for a faithful one."""
    entities = entity_names(facts)
    found = [f"does not name {name!r}" for name in unnamed(text, facts)]
    found += [f"{does} {word!r}, which is not in the facts" for does, word in unsupported(text, Told.by_facts(facts))]
    found += markup(text, entities)
    found += [f"names {name!r} twice" for name in _twice(text, entities, facts)]
    found += [f"turns {relation!r} round" for relation in turned_round(text, facts)]
    found += [f"says {name!r} of another relation" for name in misplaced(text, facts)]
    if loops(text, entities):
        found.append("repeats itself")
    if len(words(text)) > _WORDS_A_FACT * len(facts) + 3 * sum(len(words(name)) for name in entities):
        found.append("is too long")
    return found


def unnamed(text: str, facts: Sequence[Triple]) -> list[str]:
    """The entities of the facts that a text does not name."""
    entities = entity_names(facts)
    in_text = set(named(text, entities))
    return [name for name in entities if name not in in_text]


def _twice(text: str, entities: Sequence[str], facts: Sequence[Triple]) -> list[str]:
    """Names of one fact in a list that the text gives again instead of another: `Monaco, Spain and Monaco`."""
    uses = Counter(exact(name) for fact in facts for name in {fact.subject, fact.object})
    lists = Counter(fact.relation for fact in facts)
    listed = {name for fact in facts if lists[fact.relation] >= _SHORTEST_LIST for name in (fact.subject, fact.object)}
    times = times_named(text, entities)
    return [name for name in entities if times[name] > 1 and uses[exact(name)] == 1 and name in listed]
