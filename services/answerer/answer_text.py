"""Count and enumerate answers in text, as in `Spain, Italy and 3 more`."""

from collections.abc import Sequence

from language.english.english import english
from language.english.lexicon import words_of_class
from language.marks import Mark
from language.question import Said
from shared.exact_match import composed, mentions, tokens
from texts.verbalise.template import join_names

_CONJUNCTIONS = words_of_class("conjunction")
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


def _remainder_clauses(text: str, names: Sequence[str]) -> list[Said]:
    """Find phrases such as `3 more` in `composed(text)`, except within a name such as `The Others`."""
    spans = [(mention.start, mention.end) for mention in mentions(text, names)]
    return [
        said
        for said in english(composed(text)).all(Mark.REMAINDER)
        if not any(start < said.end and said.start < end for start, end in spans)
    ]


def without_remainder(text: str, names: Sequence[str]) -> tuple[str, list[int]]:
    """Replace each phrase such as `3 more` with spaces; return the resulting text and the numbers."""
    rest, counts = composed(text), []
    for clause in _remainder_clauses(text, names):
        rest = rest[: clause.start] + " " * len(clause.text) + rest[clause.end :]
        if count := clause.parts[0]:
            counts.append(int(count.replace(",", "")))
    return rest, counts
