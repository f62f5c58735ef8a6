"""An index file holds what was written, and damage is noticed."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.retriever.dense.index_file import IndexHeader, entities_in, read_index, triples_by_entity, write_index
from shared.errors import InvalidInputError


def write(file: Path, triples: int = 3, dimension: int = 2) -> IndexHeader:
    ids = np.arange(triples * 3, dtype=np.int32).reshape(-1, 3)
    header = IndexHeader(
        graph_version="v1", encoder="e1", triples=triples, entities=entities_in(ids), dimension=dimension
    )
    vectors = np.arange(triples * dimension, dtype=np.float32).reshape(-1, dimension)
    with file.open("wb") as opened:
        write_index(opened, header, ids, iter([vectors[:1], vectors[1:]]))
    return header


@given(triples=st.integers(0, 9), dimension=st.integers(1, 9))
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, triples: int, dimension: int) -> None:
    file = tmp_path_factory.mktemp("index") / "g.triples"
    header = write(file, triples, dimension)

    found, (ids, starts, around, vectors) = read_index(file)

    assert found == header
    assert ids.tolist() == np.arange(triples * 3).reshape(-1, 3).tolist()
    assert (len(starts), len(around)) == (header.entities + 1, triples * 2)
    assert vectors.tolist() == np.arange(triples * dimension).reshape(-1, dimension).tolist()


_ENTITY = st.integers(0, 6)


@given(triples=st.lists(st.tuples(_ENTITY, _ENTITY), max_size=20))
def test_the_triples_of_each_entity_are_listed(triples: list[tuple[int, int]]) -> None:
    ids = np.array([(subject, 0, object_) for subject, object_ in triples], dtype=np.int32).reshape(-1, 3)

    starts, around = triples_by_entity(ids)

    for entity in range(len(starts) - 1):
        listed = around[starts[entity] : starts[entity + 1]].tolist()
        assert sorted(listed) == [row for row, ends in enumerate(triples) for end in ends if end == entity]


def test_a_file_that_was_cut_off_is_damaged(tmp_path: Path) -> None:
    file = tmp_path / "g.triples"
    write(file)
    file.write_bytes(file.read_bytes()[:-1])

    with pytest.raises(InvalidInputError, match=r"is damaged: it has 4,207 bytes instead of 4,208"):
        read_index(file)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"{}", b'{"layout": 1}'])
def test_another_file_is_no_index(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "g.triples"
    file.write_bytes(content)

    with pytest.raises(InvalidInputError, match="is damaged, or an index of another version"):
        read_index(file)
