"""Find the relation of plain facts that says of which kind each entity is: `Job 1  type  Job`."""

from collections.abc import Sequence

import numpy as np

from graph.plan.content_types import words_of
from ingestion.sqlite_tables import Integers

_WORDS = (
    "type rdftype a isa isof istype oftype instanceof isinstanceof kind class category entitytype entitykind "
    "entityclass nodetype nodekind nodelabel objecttype"
)
_NAMES = frozenset(_WORDS.split())
_DESCRIBED = 0.8
"""The least share of the entities that have facts of which the relation says the kind."""
_THEMSELVES = 0.5
"""The share of the kinds that may have facts themselves, as those of an ontology do."""
_ALIKE = 0.75
"""The mean share of the relations that the entities of one kind have, above which the kinds are alike: they are a
property of entities of one kind, such as the type of an incident."""


def may_state_kinds(relation: str) -> bool:
    """Return whether the name of a relation is one that says what things are."""
    return "".join(words_of(relation)) in _NAMES


def stated_kinds(subjects: Integers, relations: Integers, objects: Integers, names: Sequence[str]) -> Integers:
    """Return the places of the facts that state kinds; none if no relation states those of nearly all entities.

    Args:
        subjects: The row ids of the subjects of all facts.
        relations: Those of the relations.
        objects: Those of the objects.
        names: The names of the relations, in the order of row ids, which start at 1.
    """
    described = np.unique(subjects)
    for row, name in enumerate(names, 1):
        if not may_state_kinds(name):
            continue
        places = np.flatnonzero(relations == row)
        kinds = np.unique(objects[places])
        have_facts = len(np.unique(subjects[places])) >= _DESCRIBED * len(described)
        if (
            have_facts
            and np.isin(kinds, described).mean() <= _THEMSELVES
            and not _are_alike(subjects, relations, objects, places)
        ):
            return places
    return np.zeros(0, np.int64)


def _are_alike(subjects: Integers, relations: Integers, objects: Integers, places: Integers) -> bool:
    """Return whether the entities of each of several kinds have nearly all relations."""
    kind_of = np.zeros(int(max(subjects.max(), objects.max())) + 1, np.int64)
    kind_of[subjects[places]] = objects[places]
    others = np.ones(len(subjects), bool)
    others[places] = False
    steps = np.concatenate((relations[others], -relations[others]))
    kinds = np.concatenate((kind_of[subjects[others]], kind_of[objects[others]]))
    pairs = np.unique(np.stack((kinds, steps))[:, kinds > 0], axis=1)
    number = len(np.unique(objects[places]))
    return number > 1 and pairs.shape[1] > _ALIKE * number * len(np.unique(pairs[1]))
