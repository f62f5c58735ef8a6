"""State the triples of inverse and symmetric relations in one way."""

import numpy as np

from ingestion.rdf_facts import LINK, Columns


def reversed_as(columns: Columns, relation: int, inverse: int) -> Columns:
    """Return the triples with those of a relation as triples of its inverse."""
    places = columns.relations == relation
    return Columns(
        np.where(places, columns.objects, columns.subjects),
        np.where(places, inverse, columns.relations),
        np.where(places, columns.subjects, columns.objects),
        columns.types,
    )


def in_both_directions(columns: Columns, relation: int) -> Columns:
    """Add the missing triples in the other direction to those of a symmetric relation."""
    places = np.flatnonzero((columns.relations == relation) & (columns.types == LINK))
    pairs = list(zip(columns.subjects[places].tolist(), columns.objects[places].tolist(), strict=True))
    known = set(pairs)
    missing = list(dict.fromkeys(pair[::-1] for pair in pairs if pair[::-1] not in known))
    if not missing:
        return columns
    subjects, objects = np.array(missing, np.int64).T
    number = len(missing)
    added = (subjects, np.full(number, relation), objects, np.full(number, LINK))
    return Columns(*(np.concatenate(both) for both in zip(columns, added, strict=True)))
