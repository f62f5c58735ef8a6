"""Negate relationships rather than names: countries `not in NATO` are those without a membership of it."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial

from graph.plan.algebra import (
    Comparison,
    Constant,
    Exists,
    Expression,
    HasKind,
    ListOf,
    Match,
    NodePattern,
    Not,
    Plan,
    Property,
    RelationshipPattern,
)
from graph.plan.traversal import conjunction, conjuncts, variables_of, walk
from language.marks import Mark
from services.retriever.plans.assembly.plan_variables import unused_name
from services.retriever.plans.names.asked_question import AskedQuestion


def negating_relationships(plan: Plan, asked: AskedQuestion) -> Plan:
    """Return a plan whose nodes with names other than the given ones are nodes without a relationship to these.

    `(country)-member_of->(o) where o.name != "NATO"` finds all countries that are in anything else. It becomes
    `(country) where not exists (country)-member_of->(o) where o.name = "NATO"`, unless the plan also returns `o`.
    So it is with other properties if the question negates a verb, as in `countries that do not speak English`.
    """
    names = None if asked.question.says(Mark.NEGATED_VERB) else asked.elements.name_keys
    is_negated = partial(_is_negated, names=names)
    steps = []
    for place, step in enumerate(plan.steps):
        if isinstance(step, Match) and not step.optional:
            later = {name for other in plan.steps[place + 1 :] for name in variables_of(other)}
            for node in step.nodes:
                step = _without(step, node, is_negated, later)
        steps.append(step)
    return Plan(tuple(steps))


def _without(
    match: Match, node: NodePattern, is_negated: Callable[[Expression], bool], later: Collection[str]
) -> Match:
    """Replace the conditions that a node has other names by one that the pattern does not lead to these names."""
    links = [one for one in match.relationships if node.variable in (one.source, one.target)]
    conditions = [_unequal(one) for one in conjuncts(match.where)]
    of_node = [one for one in conditions if node.variable in variables_of(one)]
    others = [one for one in of_node if is_negated(one)]
    rest = [one for one in of_node if one not in others]
    is_free = node.variable not in later and all(_is_about_one(one) for one in rest)
    if not others or len(links) != 1 or not is_free or links[0].variable in later or links[0].source == links[0].target:
        return match
    keeps_node = any(not isinstance(one, HasKind) for one in rest)
    inner = _excluded(match, node, links[0], others, [one for one in rest if isinstance(one, HasKind)])
    kept = [one for one in conditions if one not in others and (keeps_node or one not in rest)]
    return replace(
        match,
        nodes=match.nodes if keeps_node else tuple(one for one in match.nodes if one != node),
        relationships=match.relationships
        if keeps_node
        else tuple(one for one in match.relationships if one != links[0]),
        where=conjunction([*kept, Not(Exists(inner))]),
    )


def _excluded(
    match: Match,
    node: NodePattern,
    link: RelationshipPattern,
    others: Sequence[Expression],
    kinds: Sequence[Expression],
) -> Match:
    """Return the pattern that must not match: a relationship to a node with one of the names."""
    name = unused_name(node.variable, {one.variable for one in match.nodes})
    source, target = (name if end == node.variable else end for end in (link.source, link.target))
    near = target if source == name else source
    found = [one for one in others if isinstance(one, Comparison)]
    key = next(one.left.key for one in found if isinstance(one.left, Property))
    texts = tuple(dict.fromkeys(one.right for one in found if isinstance(one.right, Constant)))
    left = Property(name, key)
    is_named = replace(found[0], operator="=", left=left) if len(texts) == 1 else Comparison("in", left, ListOf(texts))
    return Match(
        (NodePattern(near), NodePattern(name, node.kinds)),
        (replace(link, source=source, target=target, variable=None),),
        conjunction([*(HasKind(name, one.kind) for one in kinds if isinstance(one, HasKind)), is_named]),
    )


def _is_negated(condition: Expression, names: Collection[str] | None) -> bool:
    """Return whether a condition excludes a value of a property that is one of the `names`, if these are given."""
    return (
        isinstance(condition, Comparison)
        and condition.operator == "!="
        and isinstance(condition.left, Property)
        and (names is None or condition.left.key in names)
        and isinstance(condition.right, Constant)
    )


def _is_about_one(condition: Expression) -> bool:
    return len(variables_of(condition)) == 1 and not any(isinstance(one, Exists) for one in walk(condition))


def _unequal(condition: Expression) -> Expression:
    """Return `x != y` for `not x = y`."""
    inner = condition.condition if isinstance(condition, Not) else None
    return replace(inner, operator="!=") if isinstance(inner, Comparison) and inner.operator == "=" else condition
