"""Follow relation paths by query plans, whose patterns can be limited to visible nodes."""

from collections.abc import Sequence
from typing import Any

from graph.plan.algebra import (
    Column,
    Comparison,
    Constant,
    Exists,
    Expression,
    Filter,
    Match,
    NodePattern,
    Plan,
    Project,
    RelationshipPattern,
    Slice,
    Step,
    Variable,
)
from graph.plan.result import PlanResult
from graph.plan.values import NodeRef
from graph.store import Entity, PathEnd, PathWalk, RelationPath, WalkRule, split_step

_TOPIC = "v0"


def steps_plan(path: RelationPath, topics: Sequence[str], steps: Sequence[str]) -> Plan:
    """Return the plan that says, for each topic entity in its first column, which steps can extend a path.

    Each step has a column of its own. A condition stops at the first way that it finds, so hubs cost little.
    """
    columns = [Column(f"step{place}", _exists((*path, step))) for place, step in enumerate(steps)]
    topic = Column(_TOPIC, Variable(_TOPIC))
    return Plan((Match((NodePattern(_TOPIC, ids=tuple(topics)),)), Project((topic, *columns))))


def _exists(path: RelationPath) -> Expression:
    """Return whether a walk along a path exists from the topic entity; a walk may repeat relationships."""
    condition: Expression | None = None
    for hop in reversed(_hops(path)):
        condition = Exists(Match(hop.nodes, hop.relationships, condition))
    return condition or Constant(True)


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
