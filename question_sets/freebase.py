"""Freebase edges whose direction got lost, and the nodes without a name.

A relation such as `people.person.place_of_birth` leads away from an entity of the type `people.person`. Which end of
an edge has that type is told from what else the graph says of both ends, mediators first: a mediator has a type of its
own (`film.performance`), and all other edges lead to it. For the remaining edges each end's share of the type's edges
that it is the subject of is weighed against the other's, round by round, as in expectation maximisation.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

Triple = tuple[str, str, str]

_MACHINE_ID = re.compile(r"[mg]\.[0-9a-z_]+")
_BLANK_NODE = "_:"
_ROUNDS = 8
# Paths that were searched from a question's topic walk an edge forwards more often than not.
_FORWARDS = 0.75


def is_nameless(node: str) -> bool:
    """Whether a node is a mediator, or an entity known by its Freebase id alone."""
    return node.startswith(_BLANK_NODE) or _MACHINE_ID.fullmatch(node) is not None


def subject_type(relation: str) -> str:
    """The type of a relation's subjects: `people.person.place_of_birth` -> `people.person`."""
    return relation.rpartition(".")[0]


def directed(known: Collection[Triple], walked: Iterable[Triple]) -> list[Triple]:
    """The walked edges, each once, as triples in the direction that Freebase most likely has; `known` ones left out.

    `known`: triples whose direction is sure; `walked`: edges from any end to the other.
    """
    sure = set(known)
    edges = [edge for edge in dict.fromkeys(walked) if edge not in sure and _turned(edge) not in sure]
    of_mediators = _mediator_types(sure, edges)
    found: list[Triple] = []
    doubtful: dict[Triple, float] = {}
    for edge in edges:
        subject, relation, object_ = edge
        if is_nameless(subject) != is_nameless(object_):
            from_nameless = subject_type(relation) in of_mediators
            found.append(edge if is_nameless(subject) == from_nameless else _turned(edge))
        elif _turned(edge) in doubtful:
            doubtful[_turned(edge)] = 0.5
        else:
            doubtful[edge] = _FORWARDS
    believed = _believed([*sure, *found], doubtful)
    found += [edge if belief >= 0.5 else _turned(edge) for edge, belief in believed.items()]
    return list(dict.fromkeys(found))


def _turned(edge: Triple) -> Triple:
    subject, relation, object_ = edge
    return object_, relation, subject


def _mediator_types(sure: Iterable[Triple], edges: Iterable[Triple]) -> set[str]:
    """The types of nameless nodes, as sure triples show them.

    Of other types, those of which two relations or more meet in a nameless node more often than in a node beside one.
    """
    with_names = {subject_type(relation) for node, relation, end in sure if is_nameless(end) and not is_nameless(node)}
    nameless = {subject_type(relation) for node, relation, end in sure if is_nameless(node) and not is_nameless(end)}
    meeting: dict[tuple[str, str], set[str]] = defaultdict(set)
    for subject, relation, object_ in edges:
        if is_nameless(subject) != is_nameless(object_):
            for node in (subject, object_):
                meeting[node, subject_type(relation)].add(relation)
    balance: dict[str, int] = defaultdict(int)
    for (node, type_), relations in meeting.items():
        if len(relations) > 1:
            balance[type_] += 1 if is_nameless(node) else -1
    voted = {type_ for type_, surplus in balance.items() if surplus > 0}
    return nameless | (voted - with_names)


def _believed(sure: Iterable[Triple], doubtful: Mapping[Triple, float]) -> dict[Triple, float]:
    """How likely each doubtful edge is to be a triple as it stands, given how likely that seemed without the others."""
    subjects: dict[tuple[str, str], float] = defaultdict(float)
    touching: dict[tuple[str, str], int] = defaultdict(int)
    for subject, relation, object_ in [*sure, *doubtful]:
        for node in (subject, object_):
            touching[node, subject_type(relation)] += 1
    for subject, relation, _ in sure:
        subjects[subject, subject_type(relation)] += 1
    beliefs = dict(doubtful)
    for _ in range(_ROUNDS):
        expected = subjects.copy()
        for (subject, relation, object_), belief in beliefs.items():
            expected[subject, subject_type(relation)] += belief
            expected[object_, subject_type(relation)] += 1 - belief
        beliefs = {edge: _belief(edge, belief, doubtful[edge], expected, touching) for edge, belief in beliefs.items()}
    return beliefs


def _belief(
    edge: Triple,
    now: float,
    before: float,
    expected: Mapping[tuple[str, str], float],
    touching: Mapping[tuple[str, str], int],
) -> float:
    """One edge's next belief: the prior times the odds of its ends' shares, the edge itself not counted."""
    subject, relation, object_ = edge
    here, there = (subject, subject_type(relation)), (object_, subject_type(relation))
    share = (expected[here] - now + 0.5) / touching[here]
    other = (expected[there] - (1 - now) + 0.5) / touching[there]
    forwards, backwards = before * share, (1 - before) * other
    return forwards / (forwards + backwards)
