"""A graph's facts to make training data from: those around some topic entities, by the walks that serving makes."""

import random
from collections.abc import Sequence

from question_sets.records import QuestionRecord
from shared.graph.store import Entity, GraphStore, RelationPath, WalkRule
from shared.triple import Triple

# Enough of a long list to learn from; a hub of the graph does not fill the memory.
_MOST_REACHED = 30
_ENTITIES = 1500
_LONGER_PATHS = 3
_AT_ONCE = 200


async def facts_around(store: GraphStore, records: Sequence[QuestionRecord], seed: int) -> list[Triple]:
    """Facts on the topics of the records and on entities of every kind, the same for the same seed.

    All paths of one step, some of two, and those of the records. Raises DependencyError if the store does not answer.
    """
    random_ = random.Random(seed)
    asked = await _asked(store, records)
    entities = list(dict.fromkeys([*(entity for entity, _ in asked), *await store.sample_entities(_ENTITIES)]))
    single = await _longer(store, [(entity, ()) for entity in entities])
    chosen = random_.sample(single, min(len(single), _LONGER_PATHS * len(entities)))
    double = await _longer(store, chosen)
    chosen = random_.sample(double, min(len(double), _LONGER_PATHS * len(entities)))
    facts: dict[Triple, None] = {}
    starts = list(dict.fromkeys([*asked, *single, *chosen]))
    for at in range(0, len(starts), _AT_ONCE):
        for walk in await store.walk(starts[at : at + _AT_ONCE], WalkRule(), _MOST_REACHED):
            facts.update((triple, None) for reached in walk.reached for triple in reached.reasoning_path)
    return list(facts)


async def _asked(store: GraphStore, records: Sequence[QuestionRecord]) -> list[tuple[Entity, RelationPath]]:
    with_topic = [record for record in records if record.topic]
    bearers = await store.entities_named([record.topic or "" for record in with_topic])
    return [(m.entity, r.path or ()) for r, matches in zip(with_topic, bearers, strict=True) for m in matches[:1]]


async def _longer(
    store: GraphStore, starts: Sequence[tuple[Entity, RelationPath]]
) -> list[tuple[Entity, RelationPath]]:
    """Each path with each step that leads on from its end."""
    longer = []
    for at in range(0, len(starts), _AT_ONCE):
        chunk = starts[at : at + _AT_ONCE]
        for (entity, path), steps in zip(chunk, await store.steps_after(chunk), strict=True):
            longer += [(entity, (*path, step)) for step in sorted(steps)]
    return longer
