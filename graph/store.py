"""Define the graph store interface and the data types that it exchanges.

A relation step is a relation, or `^relation` to traverse it from object to subject, as in SPARQL. A relation path is a
tuple of steps, one per hop. Methods take batches, so that a remote store needs only one round trip per call.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from graph.plan.algebra import Plan
from graph.plan.result import DEFAULT_MAX_ROWS, PlanResult
from graph.plan.schema import GraphSchema
from shared.triple import Triple

INVERSE = "^"

TOO_MANY_PATHS = "too many paths to follow; ask about an entity with fewer connections"

QUESTION_PLACES, PLAN_PLACES = 4, 2
"""How many queries for questions, and how many plans of callers, one store of this process runs at once."""

RelationPath = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entity:
    """Identify a node of the graph: `id` is the store's own key, `name` is the display name."""

    id: str
    name: str


PathStart = tuple[Entity, RelationPath]
"""A topic entity and the relation path to follow from it."""


@dataclass(frozen=True, slots=True)
class WalkRule:
    """Restrict how relation paths may traverse a graph. The rule depends on the data set and is saved with the model.

    A `trail` uses each triple at most once per path, as a Neo4j pattern does; a `walk` may repeat triples. With
    `exclude_topic`, the topic entity is not an answer to its own question.
    """

    mode: Literal["trail", "walk"] = "trail"
    exclude_topic: bool = True


@dataclass(frozen=True, slots=True)
class NameMatch:
    """Describe how an entity matches a requested name.

    `name` is the name or alias that matches, `distance` the number of edits between the two normalised names, `degree`
    the number of triples that contain the entity. With `is_short`, only the short form of `name` matches.
    """

    entity: Entity
    name: str
    is_alias: bool
    distance: int
    degree: int
    is_short: bool = False


@dataclass(frozen=True, slots=True)
class PathEnd:
    """Pair an entity at the end of a relation path with one reasoning path to it, one triple per hop."""

    entity: Entity
    reasoning_path: tuple[Triple, ...]

    @classmethod
    def of_walk(cls, entity: Entity, path: RelationPath, names: Sequence[str]) -> "PathEnd":
        """Build the reasoning path from the names of all entities that a walk along `path` visits."""
        facts = []
        for start, step, end in zip(names, path, names[1:], strict=False):
            relation, is_inverse = split_step(step)
            facts.append(Triple(end, relation, start) if is_inverse else Triple(start, relation, end))
        return cls(entity, tuple(facts))


@dataclass(frozen=True, slots=True)
class PathWalk:
    """Hold the distinct entities that one relation path reaches from one topic entity, in a stable order.

    `truncated` means that there are more entities than the limit. `unfinished` means that the store hit its own limits
    first, so that the result is unknown; in that case, `reached` is empty.
    """

    topic: Entity
    relation_path: RelationPath
    reached: tuple[PathEnd, ...]
    truncated: bool
    unfinished: bool = False


class GraphStore(Protocol):
    """Query a knowledge graph by entity name and by relation path. Implementations are safe for concurrent use.

    Raises:
        DependencyError: From any method, if the store does not respond.

    Example:
        [[match, *_]] = await store.entities_named(["alien"])
        [walk] = await store.walk([(match.entity, ("directed_by",))], WalkRule())
        print([reached.entity.name for reached in walk.reached])  # ['Ridley Scott']
    """

    async def version(self) -> str:
        """Return a string that changes whenever the facts of the graph change. Cache keys contain this string."""

    async def relations(self) -> tuple[str, ...]:
        """Return all relation names, sorted, without scanning the triples."""

    async def entities_named(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find entities by exact name or alias.

        Args:
            names: Names to look up. `shared.text.normalise` is applied to both sides of the comparison.

        Returns:
            The matches for each name, highest degree first; an empty list for an unknown name. If very many entities
            share a name, only the entities with the highest degrees are returned.
        """

    async def entities_like(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find entities by misspelled names.

        One-word short names count as names. A word that sounds like the correct word counts as one edit.

        Args:
            names: Names to look up.

        Returns:
            At most five matches for each name, smallest distance first, without entities that match exactly.
        """

    async def entities_by_short_name(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find entities by surname, or by title without subtitle; see `graph.name_matching.short_name`.

        Args:
            names: Short names to look up.

        Returns:
            The matches for each name, highest degree first; an empty list if more than eight entities share it.
        """

    async def steps_after(self, starts: Sequence[PathStart]) -> list[frozenset[str]]:
        """Find the relation steps that can extend each path.

        Args:
            starts: Topic entities with the paths to extend. The empty path ends at its topic entity.

        Returns:
            The steps that exist at the end of each path. If a path ends at very many entities, the store looks only at
            some of them. A walk that must not repeat a triple may still find nothing along one of these steps.
        """

    async def sample_entities(self, limit: int) -> list[Entity]:
        """Sample entities evenly across characteristic sets (the sets of relation steps that entities have).

        The sample is deterministic. The call may scan all entities, so use it only for training.

        Args:
            limit: The maximum number of entities.

        Returns:
            The sampled entities.
        """

    async def walk(self, starts: Sequence[PathStart], rule: WalkRule, limit: int = 1000) -> list[PathWalk]:
        """Follow each relation path from its topic entity, and return the results in the order of `starts`.

        Args:
            starts: Topic entities with the paths to follow.
            rule: Which walks are allowed.
            limit: The maximum number of reached entities per path.

        Returns:
            One result per start. An unknown relation or topic entity reaches nothing. A path that fans out too far or
            runs out of time is marked `unfinished` and does not affect the results of the other paths.
        """

    async def schema(self) -> GraphSchema:
        """Describe the kinds, properties, and relationship types of the graph."""

    async def run(self, plan: Plan, max_rows: int = DEFAULT_MAX_ROWS) -> PlanResult:
        """Check a query plan against the schema, and run it as one query.

        Args:
            plan: The plan; see `docs/reference/query-plans.md`.
            max_rows: The maximum number of rows.

        Returns:
            All rows of the result, in an order that does not depend on the store.

        Raises:
            InvalidInputError: If the plan does not make sense for the graph.
            PlanLimitError: If the result has more rows, or takes more time, than is allowed.
        """

    async def ready(self) -> bool:
        """Return whether the store can answer queries now."""

    async def check(self) -> None:
        """Check that the settings fit the graph.

        Raises:
            RefusedError: If the graph lacks something that the settings name.
        """

    async def close(self) -> None:
        """Release all resources. The store cannot be used afterwards."""


def inverse_step(step: str) -> str:
    """Reverse the direction of a step: `r` -> `^r` and `^r` -> `r`."""
    relation, is_inverse = split_step(step)
    return relation if is_inverse else INVERSE + relation


def split_step(step: str) -> tuple[str, bool]:
    """Split a step into its relation and whether the relation is traversed backward: `^r` -> (`r`, True)."""
    return (step[len(INVERSE) :], True) if step.startswith(INVERSE) else (step, False)
