"""Check, without a second model, that a generated text states its facts and nothing else.

If a text names two entities, the checks cannot tell whether it also states the relation between them.
"""

from collections import Counter
from collections.abc import Sequence

from language.english.measures import grouped_quantities
from services.rewriter.relation_checks import misplaced_names, reversed_relations
from shared.exact_match import exact, named, times_named
from shared.text import words
from shared.triple import Triple, entity_names
from texts.grounding.hallucination_checks import Source, find_hallucinations
from texts.grounding.spelling import respelt_names

CHECKS_VERSION = "6"
"""Part of every cache key. Change it whenever the checks change, to discard texts that passed only the old checks."""

_WORDS_PER_FACT = 16
_SHORTEST_LIST = 3


def check_faithfulness(text: str, facts: Sequence[Triple]) -> list[str]:
    """Return a phrase for each way in which a text departs from its facts.

    Example:
        >>> check_faithfulness("The capital of Paris is France.", [Triple("France", "capital", "Paris")])
        ["reverses 'capital'"]
    """
    entities = entity_names(facts)
    problems = [f"does not name {name!r}" for name in missing_names(text, facts)]
    source = Source.from_facts(facts)
    problems += find_hallucinations(text, source)
    respelt = respelt_names(text, entities, source.relation_words, grouped_quantities(facts))
    problems += [f"alters a name to {found!r}" for found in respelt]
    problems += [f"names {name!r} twice" for name in _repeated_names(text, facts)]
    problems += [f"reverses {relation!r}" for relation in reversed_relations(text, facts)]
    problems += [f"puts {name!r} under another relation" for name in misplaced_names(text, facts)]
    if len(words(text)) > _WORDS_PER_FACT * len(facts) + 3 * sum(len(words(name)) for name in entities):
        problems.append("is too long")
    return problems


def missing_names(text: str, facts: Sequence[Triple]) -> list[str]:
    """Return the entities that occur in the facts but not in the text."""
    entities = entity_names(facts)
    present = set(named(text, entities))
    return [name for name in entities if name not in present]


def _repeated_names(text: str, facts: Sequence[Triple]) -> list[str]:
    """Return the names that a list repeats instead of naming other entities, as in `Monaco, Spain and Monaco`."""
    entities = entity_names(facts)
    uses = Counter(exact(name) for fact in facts for name in {fact.subject, fact.object})
    lists = Counter(fact.relation for fact in facts)
    listed = {name for fact in facts if lists[fact.relation] >= _SHORTEST_LIST for name in (fact.subject, fact.object)}
    times = times_named(text, entities)
    return [name for name in entities if times[name] > 1 and uses[exact(name)] == 1 and name in listed]
