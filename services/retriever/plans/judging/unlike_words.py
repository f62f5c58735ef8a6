"""Doubt plans that are unlike what they leave unread of a question: all but the names, or the noun that is asked for.

In a small graph, the one property of a book is a probable answer to whatever is asked about it, such as its price.
"""

from collections.abc import Collection

from graph.plan.algebra import RelationshipPattern
from graph.plan.traversal import walk
from language.english.stems import question_words, spelt_out
from language.english.word_groups import DATED
from language.marks import Mark
from language.question import Question
from services.retriever.encoder.word_vectors import WordVectors
from services.retriever.plans.accounting.unread import says_something
from services.retriever.plans.assembly.plan_structure import element_names
from services.retriever.plans.judging.doubt import Candidate, Doubt, DoubtExample, Effect
from services.retriever.plans.names.asked_question import AskedQuestion

UNLIKE_NOUN = 0.4
"""The cosine similarity below which the noun that a question asks for is none of the nouns of a plan. Of right readings
of questions to develop with, the least has 0.45, as `actors` and `person`."""
UNLIKE_ROLE = 0.25
"""The cosine similarity below which the noun in `who is the boss of` is no role in a relationship of a plan: `boss` and
`brewed` have 0.09, and `owner` and `belongs` 0.31."""
UNLIKE = 0.22
"""The cosine similarity below which no word of a question is like a word of a plan. Of right readings of the company's
and the demo's questions to develop with that rest on names alone, the least has 0.24, as `speak` and `skill`."""


def is_unlike_question(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether a plan reads nothing of a question but the names in it, and is unlike all other words."""
    named, unread = _words(*candidate.mentions), _words(*candidate.unread_texts)
    others = _words(asked.question.text) - named
    if asked.vectors is None or not named or not others or not unread >= others:
        return False
    return _likeness(unread, _names(candidate, asked), asked.vectors) < UNLIKE


def is_unlike_noun(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether a plan is unlike the noun that is asked for, as branches are unlike `publishers`.

    Any plan may read `which year`.
    """
    noun = asked.noun
    if asked.vectors is None or noun is None or noun in DATED or noun not in _words(*candidate.unread_texts):
        return False
    return _likeness((noun,), _names(candidate, asked), asked.vectors) < UNLIKE_NOUN


def is_unlike_role(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether a plan has no relationship that is like the role in `who is the boss of the brewer`."""
    role = _asked_role(asked.question)
    if asked.vectors is None or role is None or role not in _words(*candidate.unread_texts):
        return False
    types = {name for part in walk(candidate.plan) if isinstance(part, RelationshipPattern) for name in part.types}
    words = {word for word in _spelt_out(types) if says_something(word)}
    return bool(words) and _likeness((role,), words, asked.vectors) < UNLIKE_ROLE


def _asked_role(question: Question) -> str | None:
    found = question.first(Mark.ASKED_ROLE)
    return (found.parts[0] or "").lower() if found else None


def _names(candidate: Candidate, asked: AskedQuestion) -> set[str]:
    """Return the words of a plan, apart from the keys of properties that name nodes, which say nothing about it."""
    return _spelt_out(element_names(candidate.plan, asked.elements.name_keys))


def _spelt_out(names: Collection[str]) -> set[str]:
    return {word for name in names for word in spelt_out(name)}


def _likeness(words: Collection[str], done: Collection[str], vectors: WordVectors) -> float:
    """Return how like the most similar of these words and of a plan's words are; 0 if the plan has none."""
    if not done:
        return 0.0
    vectors.learn((*words, *done))
    return float((vectors.of(sorted(words)) @ vectors.of(sorted(done)).T).max())


def _words(*texts: str) -> set[str]:
    """Return the words that say something, in lower case."""
    found = {text[start:end] for text in texts for start, end, _ in question_words(text)}
    return {word.lower() for word in found if says_something(word)}


_FILM = "(:Person {name: STRING})-[:DIRECTED]->(:Film {name: STRING, year: INTEGER})"
_YEAR = "MATCH (f:Film {name: 'Heat'}) RETURN f.year AS year"

WORD_DOUBTS = (
    Doubt(
        "is-unlike-question",
        "the likeness of unread words and a plan that reads only names",
        "finds the year of a film wrong for its price",
        DoubtExample(_FILM, "What is the price of Heat?", _YEAR, right_question="What is the year of Heat?"),
        Effect.WRONG,
        is_unlike_question,
        compares_words=True,
    ),
    Doubt(
        "is-unlike-noun",
        "the likeness of the noun that is asked for and the plan's words",
        "doubts a plan about the year of a film for `which language`",
        DoubtExample(
            _FILM, "Which language has the year of Heat?", _YEAR, right_question="What date was the year of Heat?"
        ),
        Effect.DOUBTED,
        is_unlike_noun,
        compares_words=True,
    ),
    Doubt(
        "is-unlike-role",
        "the likeness of the role in `who is the boss of` and the plan's relationships",
        "doubts the one who directed a film as its boss",
        DoubtExample(
            _FILM,
            "Who is the boss of Heat?",
            "MATCH (p:Person)-[:DIRECTED]->(:Film {name: 'Heat'}) RETURN p",
            right_question="Who directed Heat?",
        ),
        Effect.DOUBTED,
        is_unlike_role,
        compares_words=True,
    ),
)
