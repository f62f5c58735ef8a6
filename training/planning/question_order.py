"""Bring the parts of plans whose order means nothing into the order in which the question names their constants.

`blue runs in Norhaven` may state the colour or the place first. A network that is shown both orders spreads its
probability over plans that are equal.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from graph.plan.algebra import And, Constant, Expression, ListOf, Match, Or, Plan, Property, RelationshipPattern
from graph.plan.traversal import conjunction, conjuncts, rewrite, walk
from graph.plan.values import Value

PlaceOf = Callable[[Value], float]
"""Returns where a question names a constant; infinity if it names it nowhere."""


def in_question_order(plan: Plan, place_of: PlaceOf) -> Plan:
    """Return an equal plan that names its constants in the order of the question, as far as their order is free.

    Conditions that must all hold, alternatives, the items of lists, the nodes, and the relationships of a pattern move.
    What the question does not name stays behind the rest, in its former order.
    """
    return rewrite(plan, _Order(place_of).replacement)


class _Order:
    def __init__(self, place_of: PlaceOf) -> None:
        self._place_of = place_of

    def replacement(self, part: Any) -> Any:
        match part:
            case Match():
                return self._match(part)
            case And():
                return And(self._sorted(conjuncts(part)))
            case Or():
                return Or(self._sorted(part.conditions))
            case ListOf():
                return ListOf(self._sorted(part.items))
            case Constant(value=list() | tuple()):
                return Constant(tuple(sorted(part.value, key=self._place_of)))
        return None

    def _sorted(self, parts: Sequence[Expression]) -> tuple[Expression, ...]:
        """Return parts, within which all is in order, in the order of the question."""
        return tuple(sorted((rewrite(one, self.replacement) for one in parts), key=self._first_place))

    def _match(self, match: Match) -> Match:
        conditions = self._sorted(conjuncts(match.where))
        own = self._named_places(conditions)
        places = {**_places_beside(match, own), **own}

        def link_place(link: RelationshipPattern) -> float:
            ends = (link.source, link.target)
            named = _earliest(own, ends)
            return named if named < math.inf else _earliest(places, ends)

        nodes = sorted(match.nodes, key=lambda node: _earliest(places, [node.variable]))
        links = sorted(match.relationships, key=link_place)
        return Match(tuple(nodes), tuple(links), conjunction(conditions), match.optional)

    def _named_places(self, conditions: Sequence[Expression]) -> dict[str, float]:
        """Return where the question names the constants of each node."""
        found: dict[str, float] = {}
        for condition in conditions:
            place = self._first_place(condition)
            for part in walk(condition):
                if isinstance(part, Property) and place < math.inf:
                    found[part.variable] = min(place, found.get(part.variable, math.inf))
        return found

    def _first_place(self, part: Expression) -> float:
        """Return where the question first names a constant of an expression."""
        found = [one.value for one in walk(part) if isinstance(one, Constant)]
        values = [value for one in found for value in (one if isinstance(one, list | tuple) else (one,))]
        return min(map(self._place_of, values), default=math.inf)


def _places_beside(match: Match, named: Mapping[str, float]) -> dict[str, float]:
    """Return the places of nodes that a relationship connects with named ones: that of the first of these."""
    found: dict[str, float] = {}
    for link in match.relationships:
        for near, far in ((link.source, link.target), (link.target, link.source)):
            if far in named:
                found[near] = min(named[far], found.get(near, math.inf))
    return found


def _earliest(places: Mapping[str, float], names: Sequence[str]) -> float:
    return min(places.get(name, math.inf) for name in names)
