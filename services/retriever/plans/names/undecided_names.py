"""Count the entities that a name in a question may mean, if nothing in the question tells them apart."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from contracts.retrieve import TopicEntity
from graph.plan.algebra import Comparison, Constant, Plan
from graph.plan.traversal import walk
from language.english.stems import stems_of
from language.question import Question


def undecided_entities(question: Question, plan: Plan, topics: Sequence[TopicEntity], kinds: Mapping[str, str]) -> int:
    """Return the largest number of entities that share a name in a question and that nothing tells apart; at least 1.

    A second name or value of the plan tells them apart, as in `Springfield, Illinois`, or the kind of one of them: `the
    film Frozen`.

    Args:
        question: The question.
        plan: The plan that reads it.
        topics: The entities of the names in the question.
        kinds: The kinds of these entities, by their ids.
    """
    constants = sum(isinstance(part, Comparison) and isinstance(part.right, Constant) for part in walk(plan))
    if constants > 1:
        return 1
    by_mention: dict[str, list[TopicEntity]] = defaultdict(list)
    for topic in topics:
        by_mention[topic.mention or ""].append(topic)
    return max((_undecided(question, mention, kinds, several) for mention, several in by_mention.items()), default=1)


def _undecided(question: Question, mention: str, kinds: Mapping[str, str], several: Sequence[TopicEntity]) -> int:
    said = question.reworded(question.text.replace(mention, " ", 1)).roots
    of_kind = sum(not said.isdisjoint(stems_of(kinds.get(topic.id or "", ""))) for topic in several)
    return 1 if of_kind == 1 else of_kind or len(several)
