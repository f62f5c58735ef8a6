"""Doubt plans that mean nothing, read nothing of their question, or miss what it measures by."""

from language.english.attributes import leaves_attribute
from services.retriever.plans.accounting.unread import says_something
from services.retriever.plans.assembly.plan_structure import Structure
from services.retriever.plans.grammar.actions import Op
from services.retriever.plans.judging.doubt import Candidate, Doubt, DoubtExample, Effect
from services.retriever.plans.names.asked_question import AskedQuestion


def has_idle_node(candidate: Candidate, _: AskedQuestion) -> bool:
    """Return whether a node has conditions of its own, but nothing to do with what the plan returns."""
    return Structure.IDLE_NODE in candidate.structure


def reads_nothing(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether a plan reads no word of a question, such as a greeting."""
    text, unread = asked.question.text, {one.text for one in candidate.unread}
    if any(action.op is Op.VALUE for action in candidate.actions) or any(
        text[one.start : one.end] not in unread for one in asked.question.phrases
    ):
        return False
    missed = {word for one in unread for word in one.split()}
    said = [text[word.start : word.end] for word in asked.question.words]
    return all(word in missed for word in said if says_something(word))


def misses_attribute(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether a plan leaves the noun unread by which the question measures, sorts, groups, or restricts."""
    return leaves_attribute(asked.question, candidate.missed_words)


_JOB = "(:Job {name: STRING, cost: INTEGER})"

MEANING_DOUBTS = (
    Doubt(
        "has-idle-node",
        "nodes without a relationship or a comparison",
        "finds a node wrong that has nothing to do with the result",
        DoubtExample(
            _JOB,
            "Which jobs are like Alpha?",
            "MATCH (j:Job), (other:Job {name: 'Alpha'}) RETURN j",
            right_plan="MATCH (j:Job), (other:Job {name: 'Alpha'}) WHERE j.cost = other.cost RETURN j",
        ),
        Effect.WRONG,
        has_idle_node,
    ),
    Doubt(
        "reads-nothing",
        "the words that the plan reads",
        "finds plans wrong that read no word of the question, such as a greeting",
        DoubtExample(_JOB, "hello", "MATCH (j:Job) RETURN j", right_question="list the jobs"),
        Effect.WRONG,
        reads_nothing,
    ),
    Doubt(
        "misses-attribute",
        "the noun behind `average`, `sorted by`, and the like",
        "doubts plans that measure, sort, or group by something else",
        DoubtExample(
            "(:Cage {name: STRING, size: INTEGER})",
            "What is the average age of the cages?",
            "MATCH (c:Cage) RETURN avg(c.size) AS average",
            right_question="What is the average size of the cages?",
        ),
        Effect.INCOMPLETE,
        misses_attribute,
    ),
)
