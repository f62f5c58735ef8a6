"""Replace names in a query that the graph lacks by the most similar ones that it has (UniOQA's ERR).

Unlike in the paper, all relationship types are aligned rather than the first one, and no language model chooses.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graph.plan.algebra import Comparison, Constant, HasKind, Match, NodePattern, Plan, Property, RelationshipPattern
from graph.plan.schema import GraphSchema
from graph.plan.traversal import rewrite, walk
from graph.store import Entity, NameMatch
from services.retriever.linking.selection import LinkedTopic
from services.retriever.plans.schema.graph_view import GraphView
from services.retriever.strategies.likeness import SIMILAR, nearest, similarity
from services.retriever.strategies.relation_name_values import align_relation_values

MAX_NAMES = 20
"""The number of names in a query that are looked up."""
_Kinds = Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Replacement:
    """Hold a name as the model wrote it, and the name of the graph that replaces it."""

    written: str
    used: str


@dataclass(frozen=True, slots=True)
class AlignedPlan:
    """Hold a plan in the graph's own names.

    Attributes:
        plan: The plan.
        replacements: What was replaced, in the order of the plan.
        names: The names of nodes that the plan asks for.
    """

    plan: Plan
    replacements: tuple[Replacement, ...]
    names: tuple[str, ...]


async def align(plan: Plan, view: GraphView, topics: Sequence[LinkedTopic]) -> AlignedPlan:
    """Replace names of kinds, relations, and nodes that the graph lacks, where it has a similar one.

    Args:
        plan: The plan as the model wrote it.
        view: The graph.
        topics: The entities that the question may name, which names in the query may stand for.

    Raises:
        DependencyError: The graph store does not respond.
    """
    changed: dict[str, str] = {}
    plan = rewrite(plan, lambda part: _with_known_kind(part, view.schema, changed))
    kinds = _kinds_of_variables(plan)
    plan = rewrite(plan, lambda part: _with_known_type(part, view.schema, kinds, changed))
    names: dict[str, None] = {}
    lookup = _NameLookup(view, topics)
    used: dict[tuple[str, frozenset[str]], str] = {}
    for name, of_kinds in list(dict.fromkeys(_names(plan, view.schema, kinds)))[:MAX_NAMES]:
        found = await lookup.nearest(name, of_kinds)
        names[found or name] = None
        if found is not None and found != name:
            used[name, of_kinds] = changed[name] = found
    plan = rewrite(plan, lambda part: _with_names(part, view.schema, kinds, used))
    plan, values = await align_relation_values(plan, view)
    changed |= values
    return AlignedPlan(plan, tuple(Replacement(*one) for one in changed.items()), tuple(names))


def _with_known_kind(part: Any, schema: GraphSchema, changed: dict[str, str]) -> Any:
    if isinstance(part, NodePattern) and part.kinds:
        return replace(part, kinds=tuple(_known_kind(kind, schema, changed) for kind in part.kinds))
    if isinstance(part, HasKind):
        return replace(part, kind=_known_kind(part.kind, schema, changed))
    return None


def _known_kind(kind: str, schema: GraphSchema, changed: dict[str, str]) -> str:
    if kind in schema.kinds:
        return kind
    found = nearest(kind, {name: one.synonyms for name, one in schema.kinds.items() if name})
    return kind if found is None else changed.setdefault(kind, found)


def _with_known_type(part: Any, schema: GraphSchema, kinds: _Kinds, changed: dict[str, str]) -> Any:
    if not isinstance(part, RelationshipPattern) or not part.types:
        return None
    sources, targets = kinds.get(part.source, frozenset()), kinds.get(part.target, frozenset())
    fitting = {
        name: ()
        for name, one in schema.relationships.items()
        if any(_may_be(source, sources) and _may_be(target, targets) for source, target in one.ends)
    }
    types = []
    for name in part.types:
        if name not in schema.relationships:
            found = nearest(name, fitting) or nearest(name, dict.fromkeys(schema.relationships, ()))
            name = name if found is None else changed.setdefault(name, found)
        types.append(name)
    return replace(part, types=tuple(dict.fromkeys(types)))


def _may_be(kind: str, kinds: Collection[str]) -> bool:
    return not kinds or kind in kinds


def _kinds_of_variables(plan: Plan) -> _Kinds:
    kinds: dict[str, frozenset[str]] = {}
    for part in walk(plan):
        if isinstance(part, Match):
            for node in part.nodes:
                kinds[node.variable] = kinds.get(node.variable, frozenset()) | {*node.kinds}
    return kinds


def _names(plan: Plan, schema: GraphSchema, kinds: _Kinds) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the names that nodes must have, with the kinds of the nodes."""
    for part in walk(plan):
        if (of_kinds := _named_kinds(part, schema, kinds)) is not None:
            for constant in walk((part.left, part.right)):
                if isinstance(constant, Constant):
                    values = constant.value if isinstance(constant.value, tuple) else (constant.value,)
                    yield from ((value, of_kinds) for value in values if isinstance(value, str) and value.strip())


def _named_kinds(part: Any, schema: GraphSchema, kinds: _Kinds) -> frozenset[str] | None:
    """Return the kinds of the node whose name a comparison equates with a value, and None for other parts."""
    if not isinstance(part, Comparison) or part.operator not in {"=", "in"}:
        return None
    for side in (part.left, part.right):
        if isinstance(side, Property) and side.variable in kinds:
            of_kinds = kinds[side.variable]
            owners = [one for name, one in schema.kinds.items() if _may_be(name, of_kinds)]
            if any(one.name_property == side.key for one in owners):
                return of_kinds
    return None


def _with_names(part: Any, schema: GraphSchema, kinds: _Kinds, used: Mapping[tuple[str, frozenset[str]], str]) -> Any:
    """Replace the names that a comparison equates with the name of a node; None keeps other parts."""
    of_kinds = _named_kinds(part, schema, kinds)
    if of_kinds is None:
        return None

    def renamed(value: Any) -> Any:
        return used.get((value, of_kinds), value) if isinstance(value, str) else value

    def constant(one: Any) -> Constant | None:
        if not isinstance(one, Constant):
            return None
        return Constant(tuple(map(renamed, one.value)) if isinstance(one.value, tuple) else renamed(one.value))

    return replace(part, left=rewrite(part.left, constant), right=rewrite(part.right, constant))


class _NameLookup:
    """Find the nodes that names in a query stand for."""

    def __init__(self, view: GraphView, topics: Sequence[LinkedTopic]) -> None:
        self._view = view
        self._topics = topics

    async def nearest(self, name: str, kinds: Collection[str]) -> str | None:
        """Return the name as the graph spells it, or the nearest one of a node of these kinds; None if there is none.

        Names that differ only in case or accents and aliases come first, then entities that the question names, then
        short and misspelled names.
        """
        [named] = await self._view.store.entities_named([name])
        if any(match.entity.name == name for match in named):
            return name
        linked = [topic.entity for topic in self._topics if similarity(name, topic.entity.name) >= SIMILAR]
        if (found := await self._first(_entities(named) + linked, kinds)) is not None:
            return found
        for search in (self._view.store.entities_by_short_name, self._view.store.entities_like):
            [matches] = await search([name])
            if (found := await self._first(_entities(matches), kinds)) is not None:
                return found
        return None

    async def _first(self, entities: Sequence[Entity], kinds: Collection[str]) -> str | None:
        if not kinds or not entities:
            return entities[0].name if entities else None
        of = await self._view.kinds_of(entities)
        return next((one.name for one in entities if of.get(one.id) in kinds), None)


def _entities(matches: Sequence[NameMatch]) -> list[Entity]:
    return [match.entity for match in matches]
