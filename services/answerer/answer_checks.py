"""Does the QA model's text say what the graph says, and nothing else?

The grounded answers come from the graph whatever the model says; this decides whether its words may stand above them.
What is not checked: a wrong claim in words that were all told, about names that all belong there.
"""

import re
from collections.abc import Sequence

from shared.contracts import RetrieveResponse, answer_set
from shared.exact_match import composed, exact, mentions, named, times_named, tokens
from shared.grounding.hallucination_checks import Source, find_hallucinations
from shared.triple import entity_names

_SHORTEST_LIST = 3
# `3 others`, as a piece of patterns.
HOW_MANY = r"(?:\d[\d,]* )?(?:more|others?)\b"
SAYS_MORE = re.compile(rf"\b{HOW_MANY}", re.IGNORECASE)
_JOINED_BY = frozenset({"and", "or"})


def doubts(text: str, question: str, retrieved: RetrieveResponse) -> list[str]:
    """What speaks against giving a text as the answer, in words for a log; empty if nothing does.

    It must name an answer; no name, number, word or negation that neither the evidence nor the question has; no link or
    markup; nothing that only a less likely reading leads to; in a bare list nothing but answers, none twice; the right
    number of answers left out; and it may not loop.
    """
    best = answer_set(retrieved.answers)
    behind, beside = _evidence(retrieved)
    names = list(dict.fromkeys([*best, *behind, *beside]))
    said = named(text, names)
    right = [name for name in best if name in said]
    if not right:
        return ["names no answer"]
    relations = dict.fromkeys(fact.relation for item in retrieved.evidence for fact in item.triples)
    source = Source(tuple(names), tuple(relations), question, frozenset({str(len(best)), str(len(right))}))
    rest, counts = _without_more(text, said)
    found = find_hallucinations(text, source, rest)
    found += [f"counts {count} more than it names" for count in counts if count != len(best) - len(right)]
    asked = named(question, beside)
    found += [
        f"names {name!r}, which another reading leads to" for name in said if name in beside and name not in asked
    ]
    if is_list(text, said):
        found += [f"lists {name!r}, which is no answer" for name in said if name not in best]
    if len(best) >= _SHORTEST_LIST:
        times = times_named(text, said)
        found += [f"names {name!r} {times[name]} times" for name in right if times[name] > 1]
    return found


def is_list(text: str, said: Sequence[str]) -> bool:
    """Whether a text is names and nothing else."""
    rest, _ = _without_more(text, said)
    covered = {at for mention in mentions(rest, said) for at in range(mention.first, mention.last)}
    return all(at in covered or token.key in _JOINED_BY for at, token in enumerate(tokens(rest)))


def _evidence(retrieved: RetrieveResponse) -> tuple[list[str], list[str]]:
    """The names on the way to the answers, and the other names of the evidence."""
    best = retrieved.answers[0].score
    indexes = {index for answer in retrieved.answers if answer.score == best for index in answer.evidence}
    behind = entity_names([fact for index in sorted(indexes) for fact in retrieved.evidence[index].triples])
    every = entity_names([fact for item in retrieved.evidence for fact in item.triples])
    known = {exact(name) for name in behind}
    return behind, [name for name in every if exact(name) not in known]


def more_clauses(text: str, names: Sequence[str]) -> list[re.Match[str]]:
    """Where a text says that there are more, in `composed(text)`; `The Others` may be one of the names."""
    named_at = [(mention.start, mention.end) for mention in mentions(text, names)]
    return [
        match
        for match in SAYS_MORE.finditer(composed(text))
        if not any(start < match.end() and match.start() < end for start, end in named_at)
    ]


def _without_more(text: str, said: Sequence[str]) -> tuple[str, list[int]]:
    """The text without `and 3 more`, and the numbers that were told so."""
    rest, counts = composed(text), []
    for clause in more_clauses(text, said):
        rest = rest[: clause.start()] + " " * len(clause[0]) + rest[clause.end() :]
        if count := re.match(r"[\d,]+", clause[0]):
            counts.append(int(count[0].replace(",", "")))
    return rest, counts
