"""What kind of thing a topic entity is, as the graph shows it: the relation steps that lead away from it.

Masking hides whether a question is about a city or a country, and with it how many hops its answer is away: the
currency of a country is one hop, that of a city two. The steps that a topic has tell the model, for any graph and
without a type system. The paper does without, since its topics are not masked.
"""

from collections.abc import Sequence

from shared.errors import DependencyError
from shared.graph.store import Entity, GraphStore, WalkRule

_ANY = WalkRule("walk", exclude_topic=False)


async def steps_around(store: GraphStore, entities: Sequence[Entity], steps: Sequence[str]) -> list[frozenset[str]]:
    """For each entity, which of `steps` can be walked from it; one walk call for all.

    Raises DependencyError if the store does not say it of all of them.
    """
    if not entities or not steps:
        return [frozenset() for _ in entities]
    walks = await store.walk([(entity, (step,)) for entity in entities for step in steps], _ANY, limit=1)
    if any(walk.unfinished for walk in walks):
        raise DependencyError("the graph store did not say in time which relations the topic entities have; ask again")
    rows = [walks[start : start + len(steps)] for start in range(0, len(walks), len(steps))]
    return [frozenset(walk.relation_path[0] for walk in row if walk.reached) for row in rows]
