"""Select and join the knowledge to show the QA model."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, takewhile

from contracts.answers import EvidenceTriples
from contracts.retrieve import RetrieveResponse
from contracts.rewrite import KnowledgeFormat
from language.english.relation_words import called
from texts.verbalise.formats import as_triples, separator

# Maximum length in characters of English text, three or four of which make a token. More knowledge would confuse a
# small model and take it seconds to read. Each byte of a non-ASCII character counts as three characters.
MAX_KNOWLEDGE = 6_000
CLOSE_SHARE = 0.2


def shown_evidence(retrieved: RetrieveResponse, max_paths: int) -> list[EvidenceTriples]:
    """Return at most `max_paths` items of evidence, up to the last item that supports a likely answer.

    An answer is likely if its score is at least `CLOSE_SHARE` of the best score. Evidence for unlikely answers would
    mislead the QA model.
    """
    answers = [*retrieved.answers, *retrieved.other_answers]
    floor = CLOSE_SHARE * max((answer.score for answer in answers), default=0.0)
    last = max((index for answer in answers if answer.score >= floor for index in answer.evidence), default=-1)
    return retrieved.evidence[: min(last + 1, max_paths)]


def said_evidence(evidence: Sequence[EvidenceTriples]) -> list[EvidenceTriples]:
    """Return evidence whose relations have the names that the owner of the graph gave them, for texts."""
    return [
        EvidenceTriples(triples=[replace(one, relation=called(one.relation)) for one in item.triples])
        for item in evidence
    ]


def as_knowledge(texts: list[str], knowledge_format: KnowledgeFormat) -> str:
    """Join the texts of all items, and truncate the result to fit the QA model's context."""
    knowledge = separator(knowledge_format).join(texts)
    weights = accumulate(
        1 if character.isascii() else 3 * len(character.encode(errors="replace")) for character in knowledge
    )
    fits = sum(1 for _ in takewhile(lambda weight: weight <= MAX_KNOWLEDGE, weights))
    return knowledge if fits == len(knowledge) else knowledge[:fits].rsplit(" ", 1)[0]


def bare_facts(retrieved: RetrieveResponse, max_paths: int) -> str:
    """Join only the triples that support the answer set, because prose and other paths may mislead the QA model."""
    indexes = dict.fromkeys(index for answer in retrieved.answers for index in answer.evidence)
    shown = said_evidence([retrieved.evidence[index] for index in list(indexes)[:max_paths]])
    texts = [as_triples(item.triples) for item in shown]
    return as_knowledge(texts, KnowledgeFormat.TRIPLES)
