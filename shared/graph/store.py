"""What the project needs of a graph store, and the words it uses for what comes back.

A relation path is a tuple of steps; a step is a relation, `^relation` when walked from object to subject (SPARQL's
notation). A store answers a whole set of (topic entity, relation path) pairs in one call, so that a remote store
costs one round trip a question.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from shared.triple import Triple

INVERSE = "^"

RelationPath = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entity:
    """A node of the graph: `id` is the store's own key, `name` what people read."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class WalkRule:
    """How a relation path may walk this graph; a property of the data, kept with the trained model.

    `trail`: no triple twice within a path, as Neo4j matches one pattern; `walk`: any. With `exclude_topic` the topic
    entity is not an answer to its own question.
    """

    mode: Literal["trail", "walk"] = "trail"
    exclude_topic: bool = True


@dataclass(frozen=True, slots=True)
class NameMatch:
    """An entity that answers to a name.

    `name`: the name or alias that matched; `distance`: edits between what was asked and `name`, after normalising;
    `degree`: the number of triples that touch the entity; `is_short`: whether only a part of `name` was asked for.
    """

    entity: Entity
    name: str
    is_alias: bool
    distance: int
    degree: int
    is_short: bool = False


@dataclass(frozen=True, slots=True)
class Reached:
    """An answer: an entity at the end of a relation path, with one reasoning path that leads there.

    `reasoning_path` has one triple a step, in the order of the walk.
    """

    entity: Entity
    reasoning_path: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class PathWalk:
    """What one relation path reaches from one topic entity.

    `reached` holds distinct entities in a stable order; `truncated` says that there are more than the limit.
    `unfinished`: the store's own limits ended the walk, so that nobody knows what it reaches; `reached` is empty then.
    """

    topic: Entity
    relation_path: RelationPath
    reached: tuple[Reached, ...]
    truncated: bool
    unfinished: bool = False


class GraphStore(Protocol):
    """A knowledge graph that can be walked and searched by name. Implementations are safe for concurrent use."""

    async def version(self) -> str:
        """A string that changes whenever the graph's facts change; part of cache keys."""
        ...

    async def relations(self) -> tuple[str, ...]:
        """All relation names of the graph, sorted, without scanning its triples."""
        ...

    async def entities_named(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """For each name, the entities that bear it as name or alias after `shared.text.normalise`, best known first.

        One round trip for all names; an unknown name gives an empty list. Of a name that very many bear, only the best
        known bearers are given.
        """
        ...

    async def entities_like(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """For each name, the entities with a name that is a few typing errors away, closest first.

        A short name of one word counts as a name here, and a word that sounds like the one meant as one error.

        Exact matches are not repeated here; at most a handful a name.
        """
        ...

    async def entities_for_short(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """For each name, the entities that go by it for short: by a surname, or by a title without its subtitle.

        See `shared.graph.short_names`. Best known first; none for what more than a handful go by.
        """
        ...

    async def steps_after(self, starts: Sequence[tuple[Entity, RelationPath]]) -> list[frozenset[str]]:
        """For each pair, the steps that lead on from where its relation path ends; all in one round trip.

        The empty path ends at its entity. Of a path that ends at very many entities only some are looked at. A walk
        that may not use a triple twice can find that one of these steps leads nowhere. Raises DependencyError if the
        store does not answer.
        """
        ...

    async def entities_of_each_kind(self, most: int) -> list[Entity]:
        """At most `most` entities, spread evenly over the kinds, which are the sets of steps that entities have.

        Always the same ones of a graph. It may read all entities: for training, not for serving.
        """
        ...

    async def walk(
        self, starts: Sequence[tuple[Entity, RelationPath]], rule: WalkRule, limit: int = 1000
    ) -> list[PathWalk]:
        """Walk each relation path from its entity, all in one round trip; at most `limit` answers each.

        A relation that the graph does not have reaches nothing. The store takes the paths in the order given: a path
        that fans out too far, or for which no time is left, comes back as `unfinished` and does not spoil the others.
        Raises DependencyError if the store does not answer.
        """
        ...

    async def ready(self) -> bool:
        """Whether the store answers a query now."""
        ...

    async def check(self) -> None:
        """Raise RefusedError if the settings do not fit the graph, DependencyError if the store does not answer."""
        ...

    async def close(self) -> None:
        """Release what the store holds; it cannot be used afterwards."""
        ...


def turned(step: str) -> str:
    """The step back: `r` -> `^r` and `^r` -> `r`."""
    relation, inverse = step_relation(step)
    return relation if inverse else INVERSE + relation


def step_relation(step: str) -> tuple[str, bool]:
    """Split a step into its relation and whether it is walked backwards: `^r` -> (`r`, True)."""
    return (step[len(INVERSE) :], True) if step.startswith(INVERSE) else (step, False)
