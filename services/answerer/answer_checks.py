"""Check that the QA model's text agrees with the graph before it becomes the answer.

The checks cannot detect a false statement that uses only words and names that the model was given.
"""

from collections.abc import Sequence

from contracts.answers import answer_names
from contracts.retrieve import RetrieveResponse
from language.english.measures import grouped_quantities
from services.answerer.answer_text import is_list, without_remainder
from shared.exact_match import exact, named, times_named
from shared.text import words
from shared.triple import Triple, entity_names
from texts.grounding.hallucination_checks import Source, find_hallucinations
from texts.grounding.spelling import copy_names, respelt_names

_SHORTEST_LIST = 3


def check_answer(text: str, question: str, retrieved: RetrieveResponse) -> list[str]:
    """Return a phrase for each problem that makes a text unfit to be the answer.

    Besides hallucinations, the checks report a text that names no answer, an altered name, a wrong number of omitted
    answers, names that only a less likely interpretation reaches, repeated answers, and names in a list that are not
    answers. `retrieved` must contain an answer.
    """
    best = answer_names(retrieved.answers)
    on_path, off_path = _evidence_names(retrieved)
    names = list(dict.fromkeys([*best, *on_path, *off_path]))
    said = named(text, names)
    right = [name for name in best if name in said]
    if not right:
        return ["names no answer"]
    facts = _facts(retrieved)
    source = _source(names, facts, question, frozenset({str(len(best)), str(len(right))}))
    rest, counts = without_remainder(text, said)
    problems = find_hallucinations(text, source, rest)
    respelt = respelt_names(text, said, _ordinary_words(source, retrieved), grouped_quantities(facts))
    problems += [f"alters a name to {found!r}" for found in respelt]
    problems += [f"miscounts the answers it omits: {count}" for count in counts if count != len(best) - len(right)]
    wrong = set(off_path).difference(named(question, off_path))
    problems += [f"names {name!r}, which belongs to another interpretation" for name in said if name in wrong]
    if is_list(text, said):
        problems += [f"lists {name!r}, which is not an answer" for name in said if name not in best]
    if len(best) >= _SHORTEST_LIST:
        times = times_named(text, said)
        problems += [f"names {name!r} {times[name]} times" for name in right if times[name] > 1]
    return problems


def with_copied_names(text: str, question: str, retrieved: RetrieveResponse) -> str:
    """Return a text in which the names of the answers and of the evidence are spelt as in the graph."""
    facts = _facts(retrieved)
    names = list(dict.fromkeys([*answer_names(retrieved.answers), *entity_names(facts)]))
    ordinary = _ordinary_words(_source(names, facts, question), retrieved)
    return copy_names(text, names, ordinary, grouped_quantities(facts))


def _facts(retrieved: RetrieveResponse) -> list[Triple]:
    return [triple for item in retrieved.evidence for triple in item.triples]


def _source(
    names: Sequence[str], facts: Sequence[Triple], question: str, counts: frozenset[str] = frozenset()
) -> Source:
    relations = tuple(dict.fromkeys(triple.relation for triple in facts))
    return Source(tuple(names), relations, question, counts)


def _ordinary_words(source: Source, retrieved: RetrieveResponse) -> set[str]:
    """Return the words of the relations and the question that a text may use without meaning an entity.

    The question may name its entity, or suggest an answer, in lower case: `what is the capital of turkey`.
    """
    meant = [*answer_names(retrieved.answers), *(topic.entity for topic in retrieved.topic_entities)]
    return {*source.topic_words}.difference(word for name in meant for word in words(name)) | source.relation_words


def _evidence_names(retrieved: RetrieveResponse) -> tuple[list[str], list[str]]:
    """Return the names on the paths to the answer set, and all other names in the evidence."""
    indexes = {index for answer in retrieved.answers for index in answer.evidence}
    on_path = entity_names(triple for index in sorted(indexes) for triple in retrieved.evidence[index].triples)
    known = set(map(exact, on_path))
    every = entity_names(_facts(retrieved))
    return on_path, [name for name in every if exact(name) not in known]
