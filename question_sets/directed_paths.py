"""Relation paths whose steps' directions got lost, and the graph that tells them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import product

from question_sets.freebase import Triple
from shared.graph.store import INVERSE, RelationPath, split_step

# Of a variant with a smaller share of the walks than this, the few there are may come from edges turned wrongly.
_LEAST_SHARE = 0.01


class PathDirections:
    """Directs relation paths by the triples of a graph."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self._ends: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for subject, relation, object_ in triples:
            self._ends[relation][subject].add(object_)
            self._ends[INVERSE + relation][object_].add(subject)
        self._likeliest: dict[tuple[str, ...], RelationPath | None] = {}

    def likeliest(self, relations: Sequence[str]) -> RelationPath | None:
        """The variant with the fewest steps backwards, of those that most walks in the whole graph take.

        Most walks alone would go through hubs: from a country to all who live there rather than the other way round.
        None where the graph has no such walk at all.
        """
        key = tuple(relations)
        if key not in self._likeliest:
            walks = {path: self._walks(path) for path in _variants(key)}
            least = max(1.0, _LEAST_SHARE * max(walks.values(), default=0))
            common = [path for path, count in walks.items() if count >= least]
            self._likeliest[key] = min(common, key=lambda path: (_backwards(path), -walks[path], path), default=None)
        return self._likeliest[key]

    def fan_out(self, path: RelationPath) -> float:
        """How many walks of a relation path lead on from an entity that can begin it, on average."""
        return self._walks(path) / max(1, len(self._ends.get(path[0], {})))

    def best(
        self, ground_paths: Iterable[Sequence[str]], topic: str, answers: Collection[str]
    ) -> tuple[RelationPath, float] | None:
        """The variant of any path whose walk from the topic comes closest to the answers, with its F1.

        The shortest of several; None if none reaches an answer.
        """
        scored = [
            (path, _f1(self.reached(topic, path), set(answers)))
            for ground in ground_paths
            for path in _variants(ground)
        ]
        return min(
            (found for found in scored if found[1]),
            key=lambda found: (-found[1], len(found[0]), _backwards(found[0]), found[0]),
            default=None,
        )

    def reached(self, topic: str, path: RelationPath) -> set[str]:
        """The ends of all walks of a relation path from the topic, but for the topic itself."""
        ends = {topic}
        for step in path:
            following = self._ends.get(step, {})
            ends = {end for node in ends for end in following.get(node, ())}
        return ends - {topic}

    def _walks(self, path: RelationPath) -> int:
        counts = dict.fromkeys(self._ends.get(path[0], {}), 1)
        for step in path:
            following = self._ends.get(step, {})
            after: dict[str, int] = defaultdict(int)
            for node, count in counts.items():
                for end in following.get(node, ()):
                    after[end] += count
            counts = after
        return sum(counts.values())


def _variants(relations: Sequence[str]) -> list[RelationPath]:
    """All ways to direct the steps of a path; none of an empty path."""
    return list(product(*((relation, INVERSE + relation) for relation in relations))) if relations else []


def _backwards(path: RelationPath) -> int:
    return sum(split_step(step)[1] for step in path)


def _f1(reached: set[str], answers: set[str]) -> float:
    return 2 * len(reached & answers) / (len(reached) + len(answers) or 1)
