"""Make the arrays of a triple index for tests."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from services.retriever.dense.index_file import IndexArrays, triples_by_entity


def indexed(triples: Sequence[tuple[int, int, int]], vectors: Any) -> IndexArrays:
    """Return the arrays of triples, given as row ids of subject, relation, and object, with one vector each."""
    ids = np.array(triples, dtype=np.int32).reshape(-1, 3)
    matrix = np.asarray(vectors, dtype=np.float16)
    return IndexArrays(ids, *triples_by_entity(ids), matrix if len(ids) else np.empty((0, 3), dtype=np.float16))
