"""Warn of values that are missing in the properties that a plan uses, because a graph file could not hold them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from contracts.answers import ReplyWarning
from graph.plan.algebra import Match, Plan, Property
from graph.plan.schema import GraphSchema, LeftOutValues
from graph.plan.traversal import walk

_Owners = Mapping[str, frozenset[str] | None]


def left_out_warnings(plan: Plan, schema: GraphSchema) -> list[ReplyWarning]:
    """Return a warning for each property in a plan of which the import left values out.

    Example:
        `2 of 4 values of Person.birthDate are left out, because a property cannot hold them; ...`
    """
    return [ReplyWarning(kind="left_out_values", text=_text(one)) for one in _used_by(plan, schema)]


def share_of_values(plan: Plan, schema: GraphSchema) -> float:
    """Return the least share of a property's values that a plan can read, from 0 to 1."""
    return min((1 - one.count / one.total for one in _used_by(plan, schema) if one.total), default=1.0)


def _used_by(plan: Plan, schema: GraphSchema) -> list[LeftOutValues]:
    if not schema.left_out:
        return []
    owners = _owners(plan)
    used = dict.fromkeys((part.variable, part.key) for part in walk(plan) if isinstance(part, Property))
    found = dict.fromkeys(
        left_out
        for variable, key in used
        for left_out in schema.left_out
        if left_out.key == key and _may_own(owners.get(variable), left_out.owner)
    )
    return list(found)


def _owners(plan: Plan) -> _Owners:
    """Return the kinds or relationship types of the variables in patterns; None if they may be any."""
    found: dict[str, set[str] | None] = defaultdict(set)
    for variable, names in _patterns(plan):
        known = found[variable]
        found[variable] = None if known is None or not names else known | set(names)
    return {variable: frozenset(names) if names else None for variable, names in found.items()}


def _patterns(plan: Plan) -> Iterator[tuple[str, tuple[str, ...]]]:
    for part in walk(plan):
        if isinstance(part, Match):
            yield from ((node.variable, node.kinds) for node in part.nodes)
            yield from ((link.variable, link.types) for link in part.relationships if link.variable)


def _may_own(owners: frozenset[str] | None, owner: str) -> bool:
    return owners is None or owner in owners


def _text(left_out: LeftOutValues) -> str:
    verb = "is" if left_out.count == 1 else "are"
    reason = "because a property cannot hold them; the result may be incomplete"
    return f"{left_out} {verb} left out, {reason}."
