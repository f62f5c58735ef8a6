"""Doubt plans that date something by its end."""

from graph.plan.algebra import Property
from graph.plan.traversal import walk
from language.english.stems import stems_of
from services.retriever.plans.judging.doubt import Candidate, Doubt, DoubtExample, Effect
from services.retriever.plans.names.asked_question import AskedQuestion
from services.retriever.plans.schema.spans import says_end


def reads_end(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether a plan dates something by its end, such as a loan by its return, and the question does not."""
    ends = {one.span.end: one.span.start for one in asked.elements.properties if one.span is not None}
    read = {part.key for part in walk(candidate.plan) if isinstance(part, Property)}
    said = [asked.question.text[word.start : word.end].lower() for word in asked.question.words]
    return any(
        end in read and start not in read and not says_end(said) and stems_of(end).isdisjoint(asked.question.roots)
        for end, start in ends.items()
    )


MOMENT_DOUBTS = (
    Doubt(
        "reads-end",
        "the dates at which something starts and ends",
        "finds it wrong to date something by its end, unless the question names the end",
        DoubtExample(
            "(:Loan {name: STRING, loaned_at: DATE, returned_at: DATE})",
            "Which loans are from March?",
            "MATCH (l:Loan) WHERE l.returned_at.month = 3 RETURN l",
            right_question="Which loans were returned in March?",
        ),
        Effect.WRONG,
        reads_end,
    ),
)
