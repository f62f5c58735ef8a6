"""Recover the directions of Freebase edges and relation paths, which are missing from published data.

A relation such as `people.person.place_of_birth` points away from an entity of type `people.person`. Which of an
edge's two nodes has that type is inferred from their other edges. Edges at mediators are resolved first: a mediator has
a type of its own (`film.performance`), and edges of other types point to it. For each remaining edge, the two nodes are
compared by how often each is the subject of its edges of that type. The comparison is repeated with the resulting
probabilities, as in expectation maximisation.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, product

from graph.store import INVERSE, RelationPath, split_step
from shared.triple import Triple

_TypedNode = tuple[str, str]

_MACHINE_ID = re.compile(r"[mg]\.[0-9a-z_]+")
_BLANK_NODE = "_:"
_ROUNDS = 8
# Paths found by searching from a question's topic follow edges forward more often than backward.
_FORWARD_PRIOR = 0.75
# The walks along a direction variant may exist only because of misdirected edges if there are fewer of them than this
# fraction of the walks along the most common variant.
_MIN_WALK_SHARE = 0.01


def is_nameless(node: str) -> bool:
    """Return whether a node is a mediator, or an entity known only by its Freebase id."""
    return node.startswith(_BLANK_NODE) or _MACHINE_ID.fullmatch(node) is not None


def subject_type(relation: str) -> str:
    """Return the type of a relation's subjects: `people.person.place_of_birth` -> `people.person`."""
    return relation.rpartition(".")[0]


def direct_edges(known: Collection[Triple], walked: Iterable[Triple]) -> list[Triple]:
    """Return the distinct walked edges that are not in `known`, each in the direction it most likely has in Freebase.

    The direction of the `known` triples is certain; the `walked` edges may have been walked in either direction.
    """
    certain = set(known)
    edges = [edge for edge in dict.fromkeys(walked) if edge not in certain and _reversed(edge) not in certain]
    of_mediators = _mediator_types(certain, edges)
    found: list[Triple] = []
    priors: dict[Triple, float] = {}
    for edge in edges:
        if _has_one_nameless_end(edge):
            from_nameless = subject_type(edge.relation) in of_mediators
            found.append(edge if is_nameless(edge.subject) == from_nameless else _reversed(edge))
        elif _reversed(edge) in priors:
            priors[_reversed(edge)] = 0.5
        else:
            priors[edge] = _FORWARD_PRIOR
    probabilities = _forward_probabilities([*certain, *found], priors)
    found += [edge if probability >= 0.5 else _reversed(edge) for edge, probability in probabilities.items()]
    return list(dict.fromkeys(found))


def _reversed(edge: Triple) -> Triple:
    return Triple(edge.object, edge.relation, edge.subject)


def _has_one_nameless_end(edge: Triple) -> bool:
    return is_nameless(edge.subject) != is_nameless(edge.object)


def _mediator_types(certain: Iterable[Triple], edges: Iterable[Triple]) -> set[str]:
    """Return the types of nameless nodes.

    Triples whose direction is certain take precedence. A type that they never assign to a named node is also included
    if two or more of its relations meet more often at a nameless node than at a named node next to one.
    """
    at_mediators = [triple for triple in certain if _has_one_nameless_end(triple)]
    named = {subject_type(triple.relation) for triple in at_mediators if is_nameless(triple.object)}
    nameless = {subject_type(triple.relation) for triple in at_mediators if is_nameless(triple.subject)}
    meeting: dict[_TypedNode, set[str]] = defaultdict(set)
    for edge in edges:
        if _has_one_nameless_end(edge):
            for node in (edge.subject, edge.object):
                meeting[node, subject_type(edge.relation)].add(edge.relation)
    balance: dict[str, int] = defaultdict(int)
    for (node, type_), relations in meeting.items():
        if len(relations) > 1:
            balance[type_] += 1 if is_nameless(node) else -1
    voted = {type_ for type_, surplus in balance.items() if surplus > 0}
    return nameless | (voted - named)


def _forward_probabilities(certain: Iterable[Triple], priors: Mapping[Triple, float]) -> dict[Triple, float]:
    """Return the probability that each edge with a prior already points in the right direction."""
    subjects: dict[_TypedNode, float] = defaultdict(float)
    touching: dict[_TypedNode, int] = defaultdict(int)
    for edge in [*certain, *priors]:
        for end in _typed_ends(edge):
            touching[end] += 1
    for triple in certain:
        subjects[_typed_ends(triple)[0]] += 1
    current = dict(priors)
    for _ in range(_ROUNDS):
        expected = subjects.copy()
        for edge, probability in current.items():
            here, there = _typed_ends(edge)
            expected[here] += probability
            expected[there] += 1 - probability
        for edge, probability in current.items():
            # Compare how often each node is the subject of its other edges of this type.
            here, there = _typed_ends(edge)
            forward = priors[edge] * ((expected[here] - probability + 0.5) / touching[here])
            backward = (1 - priors[edge]) * ((expected[there] - (1 - probability) + 0.5) / touching[there])
            current[edge] = forward / (forward + backward)
    return current


def _typed_ends(edge: Triple) -> tuple[_TypedNode, _TypedNode]:
    """Return both nodes of an edge, each paired with the type of the relation's subjects."""
    type_ = subject_type(edge.relation)
    return (edge.subject, type_), (edge.object, type_)


class PathDirector:
    """Choose the direction of each step in a relation path, based on the walks that exist in a graph."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self._ends: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for triple in triples:
            self._ends[triple.relation][triple.subject].add(triple.object)
            self._ends[INVERSE + triple.relation][triple.object].add(triple.subject)
        self._likeliest: dict[tuple[str, ...], RelationPath | None] = {}

    def likeliest(self, relations: Sequence[str]) -> RelationPath | None:
        """Return the direction variant with the fewest backward steps among those with enough walks, or None.

        Choosing by the number of walks alone would favour paths through hubs, such as the path from a country to all of
        its people instead of the reverse.
        """
        key = tuple(relations)
        if key not in self._likeliest:
            walks = {path: self._count_walks(path) for path in _variants(key)}
            least = max(1.0, _MIN_WALK_SHARE * max(walks.values(), default=0))
            common = [path for path, count in walks.items() if count >= least]
            best = min(common, key=lambda path: (_backward_steps(path), -walks[path], path), default=None)
            self._likeliest[key] = best
        return self._likeliest[key]

    def fan_out(self, path: RelationPath) -> float:
        """Return the average number of walks along a path from each entity at which the path can start."""
        return self._count_walks(path) / max(1, len(self._ends.get(path[0], {})))

    def best(
        self, undirected_paths: Iterable[Sequence[str]], topic: str, answers: Collection[str]
    ) -> RelationPath | None:
        """Return the direction variant of a path whose results from the topic match the answers with the highest F1.

        Ties go to the shortest path. Return None if no variant reaches an answer.
        """
        ranked = []
        for path in chain.from_iterable(map(_variants, undirected_paths)):
            reached = self._reached(topic, path)
            if common := len(reached.intersection(answers)):
                f1 = 2 * common / (len(reached) + len(set(answers)))
                ranked.append((-f1, len(path), _backward_steps(path), path))
        return min(ranked)[-1] if ranked else None

    def _reached(self, topic: str, path: RelationPath) -> set[str]:
        ends = {topic}
        for step in path:
            following = self._ends.get(step, {})
            ends = {end for node in ends for end in following.get(node, ())}
        return ends - {topic}

    def _count_walks(self, path: RelationPath) -> int:
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
    """Return all ways to direct the steps of a path, or an empty list for an empty path."""
    return list(product(*((relation, INVERSE + relation) for relation in relations))) if relations else []


def _backward_steps(path: RelationPath) -> int:
    return sum(split_step(step)[1] for step in path)
