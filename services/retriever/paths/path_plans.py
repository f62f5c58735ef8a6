"""Turn relation paths into query plans."""

from graph.plan.algebra import (
    Column,
    Comparison,
    Expression,
    Match,
    NodePattern,
    Plan,
    Project,
    RelationshipPattern,
    Variable,
)
from graph.store import Entity, RelationPath, WalkRule, split_step

TOPIC, ANSWER = "topic", "answer"


def path_plan(topic: Entity, path: RelationPath, rule: WalkRule) -> Plan:
    """Return the plan for the distinct entities that a relation path reaches from a topic entity.

    In a trail, all relationships belong to one pattern, because a pattern uses each relationship at most once. In a
    walk, each hop is a pattern of its own.

    Example:
        >>> readable(path_plan(Entity("1", "Heat"), ("directed_by", "^directed_by"), WalkRule()))
        'match topic -directed_by-> hop1, answer -directed_by-> hop1 where topic != answer → distinct answer'
    """
    variables = [TOPIC, *(f"hop{hop}" for hop in range(1, len(path))), ANSWER]
    nodes = [NodePattern(TOPIC, ids=(topic.id,)), *map(NodePattern, variables[1:])]
    links = []
    for start, step, end in zip(variables, path, variables[1:], strict=False):
        relation, is_inverse = split_step(step)
        source, target = (end, start) if is_inverse else (start, end)
        links.append(RelationshipPattern(source, target, (relation,)))
    condition: Expression | None = None
    if rule.exclude_topic:
        condition = Comparison("!=", Variable(TOPIC), Variable(ANSWER))
    if rule.mode == "trail":
        matches = [Match(tuple(nodes), tuple(links), condition)]
    else:
        pairs = zip(nodes, nodes[1:], links, strict=False)
        matches = [Match((first, second), (link,)) for first, second, link in pairs]
        matches[-1] = Match(matches[-1].nodes, matches[-1].relationships, condition)
    return Plan((*matches, Project((Column(ANSWER, Variable(ANSWER)),), distinct=True)))


def path_text(topic: Entity, path: RelationPath) -> str:
    """Write the plan of a relation path on one line: `Ankara <-capital- () -currency-> answer`."""
    steps = map(split_step, path)
    arrows = [f"<-{relation}-" if is_inverse else f"-{relation}->" for relation, is_inverse in steps]
    return f"{topic.name} {' () '.join(arrows)} {ANSWER}"
