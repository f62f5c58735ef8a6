"""Read one node where a question speaks of one: `who acted in a film that they directed` is about the same film."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations

from graph.plan.algebra import Match, NodePattern, Plan, RelationshipPattern
from graph.plan.traversal import rename, variables_of
from language.marks import Mark
from services.retriever.plans.names.asked_kind import kinds_named
from services.retriever.plans.names.asked_question import AskedQuestion


def as_same_node(plan: Plan, asked: AskedQuestion) -> Plan:
    """Return a plan in which one node replaces two of a kind that have a relationship each, to the same third node.

    The noun of their kind, or of the third node's, is followed by a clause about the people whom the question is about,
    and one of both nodes has no condition of its own.
    """
    found = asked.question.first(Mark.NOUN_OF_SAME_PEOPLE)
    kinds = kinds_named(found.parts[0] or "", asked.elements) if found else frozenset()
    if not kinds:
        return plan
    return Plan(tuple(_merged(step, plan, kinds) if isinstance(step, Match) else step for step in plan.steps))


def _merged(match: Match, plan: Plan, kinds: frozenset[str]) -> Match:
    """Replace the first two nodes that may be one."""
    used = {name for step in plan.steps if step is not match for name in variables_of(step)} | variables_of(match.where)
    named = {node.variable for node in match.nodes if not kinds.isdisjoint(node.kinds)}
    ends = [(node, link) for node in match.nodes for link in _only(match, node)]
    for (kept, link), (gone, other) in permutations(ends, 2):
        third = _other_end(link, kept)
        is_same = (
            kept.kinds == gone.kinds
            and third == _other_end(other, gone)
            and not named.isdisjoint((kept.variable, third))
        )
        if is_same and link.types != other.types and gone.variable not in used:
            renamed = rename(replace(other, variable=None), {gone.variable: kept.variable})
            return replace(
                match,
                nodes=tuple(node for node in match.nodes if node is not gone),
                relationships=tuple(renamed if one is other else one for one in match.relationships),
            )
    return match


def _only(match: Match, node: NodePattern) -> Iterator[RelationshipPattern]:
    """Yield the relationship of a node that has one."""
    links = [one for one in match.relationships if node.variable in (one.source, one.target)]
    if len(links) == 1 and links[0].source != links[0].target:
        yield links[0]


def _other_end(link: RelationshipPattern, node: NodePattern) -> str:
    return link.target if link.source == node.variable else link.source
