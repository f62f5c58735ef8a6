"""Does the QA model's text say what the graph says, as far as names tell?

The grounded answers come from the graph whatever the model says; this decides whether its words may stand above them.
What is not checked: a wrong claim about names that all belong there.
"""

import re
from collections.abc import Sequence

from shared.contracts import RetrieveResponse, answer_set
from shared.exact import exact, mentions, named, times_named, tokens
from shared.llm.formats import names_of
from shared.llm.invented import loops, strangers, words_of
from shared.text import words

_SHORTEST_LIST = 3
# `3 others`, as a piece of patterns.
HOW_MANY = r"(?:\d[\d,]* )?(?:more|others?)\b"
SAYS_MORE = re.compile(rf"\b{HOW_MANY}", re.IGNORECASE)
_JOINED_BY = frozenset({"and", "or"})


def doubts(text: str, question: str, retrieved: RetrieveResponse) -> list[str]:
    """What speaks against giving a text as the answer, in words for a log; empty if nothing does.

    It must name an answer; no name or number that neither the evidence nor the question has; nothing that only a
    less likely reading leads to; in a bare list nothing but answers, none twice; and it may not loop.
    """
    best = answer_set(retrieved.answers)
    behind, beside = _evidence(retrieved)
    said = named(text, list(dict.fromkeys([*best, *behind, *beside])))
    if not set(said) & set(best):
        return ["names no answer"]
    counts = {str(len(best)), str(len(set(said) & set(best)))}
    facts = [fact for item in retrieved.evidence for fact in item.triples]
    known = words_of(facts) | {word for name in (*best, question) for word in words(name)} | counts
    found = [f"names {name!r}, which nobody told it" for name in strangers(SAYS_MORE.sub(" ", text), known)]
    asked = named(question, beside)
    found += [
        f"names {name!r}, which another reading leads to" for name in said if name in beside and name not in asked
    ]
    if is_list(text, said):
        found += [f"lists {name!r}, which is no answer" for name in said if name not in best]
    if len(best) >= _SHORTEST_LIST:
        times = times_named(text, said)
        found += [f"names {name!r} {times[name]} times" for name in said if name in best and times[name] > 1]
    if loops(text, said):
        found.append("repeats itself")
    return found


def _evidence(retrieved: RetrieveResponse) -> tuple[list[str], list[str]]:
    """The names on the way to the answers, and the other names of the evidence."""
    best = retrieved.answers[0].score
    indexes = {index for answer in retrieved.answers if answer.score == best for index in answer.evidence}
    behind = names_of([fact for index in sorted(indexes) for fact in retrieved.evidence[index].triples])
    every = names_of([fact for item in retrieved.evidence for fact in item.triples])
    known = {exact(name) for name in behind}
    return behind, [name for name in every if exact(name) not in known]


def is_list(text: str, said: Sequence[str]) -> bool:
    """Whether a text is names and nothing else."""
    rest = SAYS_MORE.sub(" ", text)
    covered = {at for mention in mentions(rest, said) for at in range(mention.first, mention.last)}
    return all(at in covered or token.key in _JOINED_BY for at, token in enumerate(tokens(rest)))
