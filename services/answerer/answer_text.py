"""Count and enumerate answers in text, as in `Spain, Italy and 3 more`."""

import re
from collections.abc import Sequence

from shared.exact_match import composed, mentions, tokens
from shared.verbalise.template import join_names

_REMAINDER = r"(?:\d[\d,]* )?(?:more|others?)\b"
_ANY_REMAINDER = re.compile(rf"\b{_REMAINDER}", re.IGNORECASE)
_AND_REMAINDER = re.compile(rf"(?<=\band ){_REMAINDER}", re.IGNORECASE)
_REMAINDER_CLAUSE = re.compile(rf"(?:,? and|[,;])? {_REMAINDER}", re.IGNORECASE)
_CONJUNCTIONS = frozenset({"and", "or"})
MAX_NAMED_ANSWERS = 20


def enumerate_answers(answers: Sequence[str]) -> str:
    """List up to `MAX_NAMED_ANSWERS` answers, and state how many more there are."""
    omitted = len(answers) - MAX_NAMED_ANSWERS
    return join_names([*answers[:MAX_NAMED_ANSWERS], *([f"{omitted} more"] if omitted > 0 else [])])


def is_list(text: str, names: Sequence[str]) -> bool:
    """Return whether a text consists only of names, conjunctions, and phrases such as `3 more`."""
    rest, _ = without_remainder(text, names)
    covered = {at for mention in mentions(rest, names) for at in range(mention.first, mention.last)}
    return all(at in covered or token.key in _CONJUNCTIONS for at, token in enumerate(tokens(rest)))


def remainder_clauses(text: str, names: Sequence[str]) -> list[re.Match[str]]:
    """Find phrases such as `3 more` in `composed(text)`, except within a name such as `The Others`."""
    spans = [(mention.start, mention.end) for mention in mentions(text, names)]
    return [
        match
        for match in _ANY_REMAINDER.finditer(composed(text))
        if not any(start < match.end() and match.start() < end for start, end in spans)
    ]


def without_remainder(text: str, names: Sequence[str]) -> tuple[str, list[int]]:
    """Replace each phrase such as `3 more` with spaces; return the resulting text and the numbers."""
    rest, counts = composed(text), []
    for clause in remainder_clauses(text, names):
        rest = rest[: clause.start()] + " " * len(clause[0]) + rest[clause.end() :]
        if count := re.match(r"[\d,]+", clause[0]):
            counts.append(int(count[0].replace(",", "")))
    return rest, counts


def correct_remainder(text: str, named: Sequence[str], answers: Sequence[str]) -> str:
    """Correct the number in a phrase such as `3 more`, or append the phrase if a long list is incomplete.

    The model sees only part of a long list, so it cannot know the number. `named` holds the answers that occur in the
    text.
    """
    omitted = len(answers) - len(named)
    if omitted == 0 or any(map(_ANY_REMAINDER.search, named)):
        return text
    if not _ANY_REMAINDER.search(text) and len(answers) > MAX_NAMED_ANSWERS:
        remainder = f"{omitted} more"
        return join_names([*named, remainder]) if is_list(text, named) else f"{text.rstrip('. ')} and {remainder}"
    # A small model may state the number twice: `A, B, 9 more and 9 more`.
    before, *clauses = _REMAINDER_CLAUSE.split(text)
    if len(clauses) > 1 and not "".join(clauses).strip(" ."):
        return f"{before} and {omitted} more"
    if len(_AND_REMAINDER.findall(text)) != 1:
        return text
    return _AND_REMAINDER.sub(lambda match: f"{omitted} {match[0].split()[-1]}", text)
