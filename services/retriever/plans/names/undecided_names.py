"""Find the entities that a name in a question may mean, if nothing in the question tells them apart."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from contracts.retrieve import TopicEntity
from graph.plan.algebra import Comparison, Constant, Plan, Property, RelationshipPattern
from graph.plan.traversal import walk
from graph.plan.value_text import value_text
from language.english.stems import stems_of
from language.question import Question


def undecided_entities(
    question: Question, plan: Plan, topics: Sequence[TopicEntity], kinds: Mapping[str, str]
) -> list[TopicEntity]:
    """Return the entities that share a name in a question and that nothing tells apart; of several names, most.

    A second value of the same node, or of one that is connected with it, tells them apart, as in `Springfield,
    Illinois`, and so does the kind of one of them: `the film Frozen`.

    Args:
        question: The question.
        plan: The plan that reads it.
        topics: The entities of the names in the question.
        kinds: The kinds of these entities, by their ids.
    """
    told = _told_apart(plan)
    by_mention: dict[str, list[TopicEntity]] = defaultdict(list)
    for topic in topics:
        if told.isdisjoint((topic.entity, topic.mention)):
            by_mention[topic.mention or ""].append(topic)
    every = [_undecided(question, mention, kinds, several) for mention, several in by_mention.items()]
    most = max(every, key=len, default=[])
    return most if len(most) > 1 else []


def _told_apart(plan: Plan) -> set[str]:
    """Return the values of nodes that have another one, or that are connected with nodes that have one."""
    together: dict[str, frozenset[str]] = {}
    for link in (part for part in walk(plan) if isinstance(part, RelationshipPattern)):
        ends = (link.source, link.target)
        both = frozenset(one for end in ends for one in together.get(end, (end,)))
        together |= dict.fromkeys(both, both)
    values: dict[frozenset[str], list[str]] = defaultdict(list)
    for part in walk(plan):
        if isinstance(part, Comparison) and isinstance(part.left, Property) and isinstance(part.right, Constant):
            variable = part.left.variable
            values[together.get(variable, frozenset((variable,)))].append(value_text(part.right.value))
    return {value for several in values.values() if len(several) > 1 for value in several}


def _undecided(
    question: Question, mention: str, kinds: Mapping[str, str], several: list[TopicEntity]
) -> list[TopicEntity]:
    said = question.reworded(question.text.replace(mention, " ", 1)).roots
    return [one for one in several if not said.isdisjoint(stems_of(kinds.get(one.id, "")))] or several
