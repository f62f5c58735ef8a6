"""Doubt plans that negate something else than their question, or more, or less."""

from collections.abc import Sequence

from graph.plan.algebra import Comparison, Constant, Exists, IsMissing, ListOf, Not, Or, RelationshipPattern
from graph.plan.traversal import walk
from language.english.stems import stems_of
from language.marks import Mark
from language.question import Question
from services.retriever.plans.judging.doubt import Candidate, Doubt, DoubtExample, Effect
from services.retriever.plans.names.asked_question import AskedQuestion


def negates_another(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether a plan negates another relationship than the question: `wrote but not directed`."""
    excluded = [one.condition for one in walk(candidate.plan) if isinstance(one, Not)]
    negated = _roots([one for part in excluded if isinstance(part, Exists) for one in walk(part)])
    if not negated:
        return False
    stated = _roots(list(walk(candidate.plan, not_into=(Not,)))) - negated
    words = _negated_words(asked.question)
    return not stated.isdisjoint(words) and negated.isdisjoint(words)


def _negated_words(question: Question) -> list[str]:
    """Return the stem of the word behind each negation."""
    behind = ((word.root for word in question.words if word.start >= one.end) for one in question.all(Mark.NEGATION))
    return [root for roots in behind for root in [next(roots, "")] if root]


def _roots(parts: Sequence[object]) -> frozenset[str]:
    """Return the stems of the words of relationship types."""
    types = [type_ for one in parts if isinstance(one, RelationshipPattern) for type_ in one.types]
    return frozenset(root for type_ in types for root in stems_of(type_))


def negates_less(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether a question says `not` more than once, and its plan negates less often."""
    said = len(asked.question.all(Mark.EACH_NEGATION))
    return said > 1 and sum(map(_exclusions, walk(candidate.plan))) < said


def negates_unasked(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether a plan leaves out those with something, although no word of the question may ask for that."""
    excludes = any(
        (isinstance(one, Not) and isinstance(one.condition, Exists))
        or (isinstance(one, Comparison) and one.operator == "!=" and isinstance(one.right, Constant))
        for one in walk(candidate.plan)
    )
    return excludes and not asked.question.says(Mark.MAY_EXCLUDE)


def _exclusions(part: object) -> int:
    """Return how often a part of a plan negates something: once for each alternative within a negation."""
    match part:
        case Not():
            inner = list(walk(part))
            several = [len(one.items) for one in inner if isinstance(one, ListOf)]
            several += [len(one.conditions) for one in inner if isinstance(one, Or)]
            return max(several, default=1)
        case Comparison(right=Constant(value=value)) if part.operator == "!=" or value in (False, 0):
            return 1
        case IsMissing():
            return 1
    return 0


_CREDITS = "(:Person {name: STRING})-[:WROTE]->(:Film {name: STRING})\n(:Person)-[:DIRECTED]->(:Film)"
_NOT_DIRECTED = "MATCH (p:Person)-[:WROTE]->(f:Film) WHERE NOT (p)-[:DIRECTED]->(:Film) RETURN p"

NEGATION_DOUBTS = (
    Doubt(
        "negates-another",
        "the verb behind `not`, and the relationship that the plan negates",
        "finds the negation of another relationship wrong",
        DoubtExample(
            _CREDITS,
            "Who directed a film but has not written one?",
            _NOT_DIRECTED,
            right_question="Who wrote a film but has not directed one?",
        ),
        Effect.WRONG,
        negates_another,
    ),
    Doubt(
        "negates-less",
        "how often the question and the plan negate",
        "finds fewer negations than the question has wrong",
        DoubtExample(
            _CREDITS,
            "Who did not write a film and did not direct one?",
            "MATCH (p:Person) WHERE NOT (p)-[:WROTE]->(:Film) RETURN p",
            right_question="Who did not write a film?",
        ),
        Effect.WRONG,
        negates_less,
    ),
    Doubt(
        "negates-unasked",
        "words that may exclude something, and the plan's negations",
        "finds a negation wrong if no word of the question may ask for it",
        DoubtExample(
            _CREDITS,
            "Who wrote films?",
            "MATCH (p:Person) WHERE NOT (p)-[:WROTE]->(:Film) RETURN p",
            right_question="Who wrote no films?",
        ),
        Effect.WRONG,
        negates_unasked,
    ),
)
