"""Follow relation paths by query plans, whose patterns can be limited to visible nodes."""

from collections.abc import Iterator, Sequence
from typing import Any

from shared.graph.store import INVERSE, Entity, PathEnd, PathWalk, RelationPath, WalkRule, split_step
from shared.plan.algebra import (
    Column,
    Comparison,
    Filter,
    Match,
    NodePattern,
    Plan,
    Project,
    RelationshipPattern,
    RelationshipType,
    Slice,
    Step,
    Variable,
)
from shared.plan.result import PlanResult
from shared.plan.values import NodeRef

_TOPIC = "v0"
_ENDS_PER_TOPIC = 10_000


def next_steps_plan(path: RelationPath, topics: Sequence[str], is_inverse: bool) -> Plan:
    """Return the plan for the types of the relationships at the end of a path from several topic entities."""
    end = f"v{len(path)}"
    first = NodePattern(_TOPIC, ids=tuple(topics))
    steps: list[Step] = [Match((first,)), *_hops(path)]
    ends = (Column(_TOPIC, Variable(_TOPIC)), *((Column(end, Variable(end)),) if path else ()))
    steps += [Project(ends, distinct=True), Slice(_ENDS_PER_TOPIC, per=(_TOPIC,))]
    source, target = ("next", end) if is_inverse else (end, "next")
    link = RelationshipPattern(source, target, variable="link")
    steps.append(Match((NodePattern(end), NodePattern("next")), (link,)))
    columns = (Column(_TOPIC, Variable(_TOPIC)), Column("type", RelationshipType("link")))
    return Plan((*steps, Project(columns, distinct=True)))


def steps_of(result: PlanResult, is_inverse: bool) -> Iterator[tuple[str, str]]:
    """Yield the id of a topic entity and a step, for each row of such a plan."""
    for topic, type_ in result.rows:
        yield topic.id, f"{INVERSE}{type_}" if is_inverse else type_


def ends_plan(topic: Entity, path: RelationPath, rule: WalkRule, limit: int) -> Plan:
    """Return the plan for the nodes on one way along a path to each entity that it reaches.

    In a trail, all relationships belong to one pattern, because a pattern uses each relationship at most once. In a
    walk, one way to each node suffices after each hop, so that hubs do not multiply.
    """
    variables = [f"v{place}" for place in range(len(path) + 1)]
    first = NodePattern(_TOPIC, ids=(topic.id,))
    hops = _hops(path)
    steps: list[Step] = []
    if rule.mode == "trail":
        nodes = (first, *map(NodePattern, variables[1:]))
        steps.append(Match(nodes, tuple(link for hop in hops for link in hop.relationships)))
    else:
        steps.append(Match((first,)))
        for place, hop in enumerate(hops, 2):
            steps += [hop, _columns(variables[:place]), Slice(1, per=(variables[place - 1],))]
    if rule.exclude_topic:
        steps.append(Filter(Comparison("!=", Variable(_TOPIC), Variable(variables[-1]))))
    return Plan((*steps, _columns(variables), Slice(1, per=(variables[-1],)), Slice(limit)))


def _columns(variables: Sequence[str]) -> Project:
    return Project(tuple(Column(name, Variable(name)) for name in variables))


def walk_of(topic: Entity, path: RelationPath, result: PlanResult, limit: int) -> PathWalk:
    """Return the walk that the rows of such a plan describe."""
    ends = [PathEnd.of_walk(_entity(row[-1]), path, [node.name for node in row]) for row in result.rows]
    return PathWalk(topic, path, tuple(ends[:limit]), truncated=len(ends) > limit)


def _entity(node: Any) -> Entity:
    return Entity(node.id, node.name) if isinstance(node, NodeRef) else Entity("", "")


def _hops(path: RelationPath) -> list[Match]:
    """Return one pattern for each step of a path."""
    matches = []
    for place, step in enumerate(path):
        relation, is_inverse = split_step(step)
        start, end = f"v{place}", f"v{place + 1}"
        source, target = (end, start) if is_inverse else (start, end)
        nodes = (NodePattern(start), NodePattern(end))
        matches.append(Match(nodes, (RelationshipPattern(source, target, (relation,)),)))
    return matches
