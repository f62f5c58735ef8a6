"""Doubt plans that turn a relationship round: those above Ann for `who reports to Ann`."""

from collections.abc import Sequence

from graph.plan.algebra import Match
from graph.plan.traversal import walk
from language.english.opposites import says_opposite
from language.english.stems import spelt_out, stem
from language.english.word_groups import PREPOSITIONS
from language.question import Question
from services.retriever.plans.assembly.plan_structure import element_names
from services.retriever.plans.judging.doubt import Candidate, Doubt, DoubtExample, Effect
from services.retriever.plans.names.asked_question import AskedQuestion
from services.retriever.plans.names.named_nodes import named_nodes

_NEAR = 3  # words before the preposition


def turns_relationship_round(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether a name after the words of a relationship is its source: Ann in `who reports to Ann`.

    Only relationships whose names end with a preposition say so.
    """
    return any(
        one.direction == "out"
        and len(one.types) == 1
        and one.source in starts
        and _says_before(asked.question, starts[one.source], spelt_out(one.types[0]))
        for match in walk(candidate.plan)
        if isinstance(match, Match)
        for starts in (named_nodes(match, asked.values),)
        for one in match.relationships
    )


def says_other_thing(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether the question says one thing, and a plan the opposite: births for `who died in 1999`."""
    return says_opposite(asked.question, element_names(candidate.plan, asked.elements.name_keys))


def _says_before(question: Question, place: int, words: Sequence[str]) -> bool:
    """Return whether a preposition stands right before a place, and the word before it shortly before that."""
    if len(words) < 2 or words[-1] not in PREPOSITIONS:
        return False
    said = [question.text[word.start : word.end].lower() for word in question.words if word.end <= place]
    if said[-1:] != [words[-1]]:
        return False
    return any(stem(word) == stem(words[-2]) or _abbreviates(words[-2], word) for word in said[-1 - _NEAR : -1])


def _abbreviates(short: str, word: str) -> bool:
    """Return whether a word has the letters of a shorter one in their order, such as `reports` those of `rpts`."""
    letters = iter(word)
    return len(short) > 2 and short[0] == word[0] and all(letter in letters for letter in short)


RELATIONSHIP_DOUBTS = (
    Doubt(
        "turns-relationship-round",
        "the name behind `reports to` and the like, and the direction of the relationship",
        "finds it wrong that the named one is the source",
        DoubtExample(
            "(:Employee {name: STRING})-[:rpts_to]->(:Employee)",
            "Who reports to Ann?",
            "MATCH (:Employee {name: 'Ann'})-[:rpts_to]->(e:Employee) RETURN e",
            right_question="Who does Ann report to?",
            right_plan="MATCH (:Employee {name: 'Ann'})<-[:rpts_to]-(e:Employee) RETURN e",
        ),
        Effect.WRONG,
        turns_relationship_round,
    ),
    Doubt(
        "says-opposite",
        "words such as `died` and `opened`, and the names in the plan",
        "finds births for `died` wrong; `opposites.toml` lists such words",
        DoubtExample(
            "(:Person {name: STRING, born: DATE, died: DATE})",
            "Who died first?",
            "MATCH (p:Person) RETURN p ORDER BY p.born LIMIT 1",
            right_question="Who was born first?",
            right_plan="MATCH (p:Person) RETURN p ORDER BY p.died LIMIT 1",
        ),
        Effect.WRONG,
        says_other_thing,
    ),
)
