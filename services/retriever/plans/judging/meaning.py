"""Doubt plans that mean nothing, or read nothing of their question."""

from graph.plan.algebra import Arithmetic
from graph.plan.traversal import walk
from language.english.attributes import leaves_attribute
from language.marks import Mark
from services.retriever.plans.accounting.unread import says_something
from services.retriever.plans.assembly.plan_structure import Structure
from services.retriever.plans.grammar.actions import Op
from services.retriever.plans.judging.doubt import Candidate, Doubt, DoubtExample, Effect
from services.retriever.plans.names.asked_question import AskedQuestion


def repeats_question(candidate: Candidate, _: AskedQuestion) -> bool:
    """Return whether the answer is a node whose name the question gives."""
    return Structure.ECHO in candidate.structure


def has_idle_node(candidate: Candidate, _: AskedQuestion) -> bool:
    """Return whether a node has conditions of its own, but nothing to do with what the plan returns."""
    return Structure.IDLE_NODE in candidate.structure


def combines_with_itself(candidate: Candidate, _: AskedQuestion) -> bool:
    """Return whether a plan combines a value with itself, as `salary / salary`, which nobody asks for."""
    return any(isinstance(part, Arithmetic) and part.left == part.right for part in walk(candidate.plan))


def asks_definition(_: Candidate, asked: AskedQuestion) -> bool:
    """Return whether the question asks what a word means, as `What is an avalanche?` does."""
    return asked.question.says(Mark.DEFINITION)


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


def misses_modifier(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether a plan leaves a word unread before the noun that is asked for: `which outdoor cages`."""
    return not candidate.missed_words.isdisjoint(asked.modifiers)


def misses_attribute(candidate: Candidate, asked: AskedQuestion) -> bool:
    """Return whether a plan leaves the noun unread by which the question measures, sorts, groups, or restricts."""
    return leaves_attribute(asked.question, candidate.missed_words)


_JOB = "(:Job {name: STRING, cost: INTEGER, budget: INTEGER})"
_CAGES = "(:Cage {name: STRING, size: INTEGER})"

MEANING_DOUBTS = (
    Doubt(
        "repeats-question",
        "the first column, and the names in the question",
        "finds it wrong to answer with what the question names",
        DoubtExample(
            _JOB,
            "What is Alpha about?",
            "MATCH (j:Job {name: 'Alpha'}) RETURN j",
            right_plan="MATCH (j:Job {name: 'Alpha'}) RETURN j.cost AS cost",
        ),
        Effect.WRONG,
        repeats_question,
    ),
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
        "combines-with-itself",
        "the two sides of a calculation",
        "finds `cost / cost` wrong",
        DoubtExample(
            _JOB,
            "What is the share of the cost?",
            "MATCH (j:Job) RETURN j.cost / j.cost AS share",
            right_plan="MATCH (j:Job) RETURN j.cost / j.budget AS share",
        ),
        Effect.WRONG,
        combines_with_itself,
    ),
    Doubt(
        "asks-definition",
        "questions such as `What is an avalanche?`",
        "finds all plans wrong, since the graph explains no words",
        DoubtExample(_JOB, "What is a job?", "MATCH (j:Job) RETURN j", right_question="Which jobs are there?"),
        Effect.WRONG,
        asks_definition,
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
        "misses-modifier",
        "the word before the noun that is asked for",
        "doubts that all cages are meant by `outdoor cages`",
        DoubtExample(
            _CAGES, "Which outdoor cages are there?", "MATCH (c:Cage) RETURN c", right_question="Which cages are there?"
        ),
        Effect.INCOMPLETE,
        misses_modifier,
    ),
    Doubt(
        "misses-attribute",
        "the noun behind `average`, `sorted by`, and the like",
        "doubts plans that measure, sort, or group by something else",
        DoubtExample(
            _CAGES,
            "What is the average age of the cages?",
            "MATCH (c:Cage) RETURN avg(c.size) AS average",
            right_question="What is the average size of the cages?",
        ),
        Effect.INCOMPLETE,
        misses_attribute,
    ),
)
