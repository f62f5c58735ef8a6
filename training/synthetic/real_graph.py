"""Sample facts from a graph, and generate evidence from them."""

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from graph.store import Entity, GraphStore, RelationPath, WalkRule, inverse_step, split_step
from question_sets.records import QuestionRecord
from shared.triple import Triple
from training.synthetic.evidence import EvidenceItem, Step
from training.synthetic.relations import Relation

# Limit the entities reached from hubs, which would otherwise exhaust the memory.
_MAX_REACHED = 30
_ENTITIES = 1500
_LONGER_PATHS = 3
_BATCH = 200

_Start = tuple[Entity, RelationPath]


async def sample_facts(store: GraphStore, records: Sequence[QuestionRecord], seed: int) -> list[Triple]:
    """Sample facts near the topic entities of questions and near other sampled entities.

    Return the facts along the questions' paths, all paths of one step, and some paths of two steps. The same seed gives
    the same facts.
    """
    random_ = random.Random(seed)
    asked = await _asked_paths(store, records)
    entities = list(dict.fromkeys([*(entity for entity, _ in asked), *await store.sample_entities(_ENTITIES)]))
    single = await _extended(store, [(entity, ()) for entity in entities])
    chosen = random_.sample(single, min(len(single), _LONGER_PATHS * len(entities)))
    double = await _extended(store, chosen)
    chosen = random_.sample(double, min(len(double), _LONGER_PATHS * len(entities)))
    facts: dict[Triple, None] = {}
    starts = list(dict.fromkeys([*asked, *single, *chosen]))
    for at in range(0, len(starts), _BATCH):
        for walk in await store.walk(starts[at : at + _BATCH], WalkRule(), _MAX_REACHED):
            facts.update((triple, None) for reached in walk.reached for triple in reached.reasoning_path)
    return list(facts)


async def _asked_paths(store: GraphStore, records: Sequence[QuestionRecord]) -> list[_Start]:
    with_topic = [record for record in records if record.topic]
    matches = await store.entities_named([record.topic or "" for record in with_topic])
    return [(m.entity, r.path or ()) for r, found in zip(with_topic, matches, strict=True) for m in found[:1]]


async def _extended(store: GraphStore, starts: Sequence[_Start]) -> list[_Start]:
    """Extend each path by every step that is possible at its end."""
    longer = []
    for at in range(0, len(starts), _BATCH):
        chunk = starts[at : at + _BATCH]
        for (entity, path), steps in zip(chunk, await store.steps_after(chunk), strict=True):
            longer += [(entity, (*path, step)) for step in sorted(steps)]
    return longer


class RealGraph:
    """Draw evidence from the facts in a graph, for relations that have wordings."""

    def __init__(self, triples: Iterable[Triple], relations: Mapping[str, Relation], random_: random.Random) -> None:
        """Index the facts with these relations; ignore all other facts."""
        self._random = random_
        self._relations = relations
        self._next: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        starts: dict[str, set[str]] = defaultdict(set)
        for triple in triples:
            if triple.relation in relations:
                forward, backward = triple.relation, inverse_step(triple.relation)
                self._next[triple.subject][forward].append(triple.object)
                self._next[triple.object][backward].append(triple.subject)
                starts[forward].add(triple.subject)
                starts[backward].add(triple.object)
        self._starts = {step: sorted(starts[step]) for step in sorted(starts, key=split_step)}
        self._names = sorted(self._next)

    def item(self, hops: int, topic: str | None = None) -> EvidenceItem | None:
        """Draw evidence along a random path; return None if the path reaches a dead end.

        Without a topic, the first relation is drawn before the topic, so that rare relations are drawn as often as
        common ones.
        """
        r = self._random
        first = r.choice(list(self._starts)) if topic is None else r.choice(self._steps(topic) or [""])
        start = topic or r.choice(self._starts[first])
        steps, here = [first], start
        while len(steps) < hops:
            here = r.choice(self._next[here].get(steps[-1]) or [start])
            steps.append(r.choice(self._steps(here) or [""]))
        return self._any(start, steps)

    def near(self, topic: str, path: Sequence[str]) -> EvidenceItem | None:
        """Draw evidence along a random prefix of `path`, usually extended by a step; return None at a dead end."""
        r = self._random
        kept = list(path[: r.randrange(len(path) + 1)])
        reached = self.items(topic, kept) if kept else []
        here = r.choice(r.choice(reached).ends) if reached else topic
        further = self._steps(here)
        if further and (not kept or r.random() < 0.6):
            kept.append(r.choice(further))
        return self._any(topic, kept)

    def namesake(self, name: str) -> str:
        """Draw an entity whose name is part of `name`, so that a linker may confuse the two, or else any entity."""
        words = name.split()
        parts = [" ".join(words[i:j]) for i in range(len(words)) for j in range(i + 1, len(words) + 1)]
        return self._random.choice([p for p in parts if p in self._next and p != name] or self._names)

    def items(self, topic: str, path: Sequence[str]) -> list[EvidenceItem]:
        """Return all evidence along a relation path, with one item per chain of entities.

        As in the retriever, no path uses a triple twice, the topic is never an answer, and each answer occurs once.
        A path with an unknown relation has no evidence.
        """
        split = [split_step(step) for step in path]
        if not all(relation in self._relations for relation, _ in split):
            return []
        steps = tuple(Step(self._relations[relation], relation, back) for relation, back in split)
        chains: list[tuple[str, ...]] = [(topic,)]
        for step in path[:-1]:
            chains = [(*chain, there) for chain in chains for there in self._next.get(chain[-1], {}).get(step, [])]
        seen = {topic}
        items = []
        for chain in chains:
            walked = EvidenceItem(steps, chain, ()).triples
            ends = [end for end in self._next.get(chain[-1], {}).get(path[-1], [])
                    if end not in seen and steps[-1].triple(chain[-1], end) not in walked]  # fmt: skip
            if ends and len(set(walked)) == len(walked):
                items.append(EvidenceItem(steps, chain, tuple(ends)))
                seen.update(ends)
        return items

    def _any(self, topic: str, path: Sequence[str]) -> EvidenceItem | None:
        items = self.items(topic, path)
        return self._random.choice(items) if items else None

    def _steps(self, here: str) -> list[str]:
        return sorted(self._next.get(here, {}), key=split_step)
