"""Doubt plans that say the opposite of their question: births for `who died in 1999`."""

from language.english.opposites import says_opposite
from services.retriever.plans.assembly.plan_structure import element_names
from services.retriever.plans.judging.doubt import Candidate, Doubt, DoubtExample, Effect
from services.retriever.plans.names.asked_question import AskedQuestion


def says_other_thing(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether the question says one thing, and a plan the opposite: births for `who died in 1999`."""
    return says_opposite(asked.question, element_names(candidate.plan, asked.elements.name_keys))


RELATIONSHIP_DOUBTS = (
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
