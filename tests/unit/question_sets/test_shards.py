from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from question_sets.shards import Shard
from shared.errors import InvalidInputError


@given(items=st.lists(st.integers(), unique=True), of=st.integers(1, 20))
def test_every_item_is_in_one_part(items: list[int], of: int) -> None:
    parts = [shard.part(items) for shard in Shard.all(of)]
    assert sorted(item for part in parts for item in part) == sorted(items)
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


@given(of=st.integers(1, 1000), data=st.data())
def test_a_part_is_read_as_it_is_written(of: int, data: st.DataObject) -> None:
    shard = Shard(data.draw(st.integers(0, of - 1)), of)
    assert Shard.parse(str(shard)) == shard


@pytest.mark.parametrize("text", ["", "1", "2/2", "-1/2", "a/b", "1/", "/3", "1/2/3", "²/3"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(InvalidInputError, match="write 0/10"):
        Shard.parse(text)


def test_parts_keep_their_journals_apart() -> None:
    files = {shard.file(Path("a/journal")) for shard in Shard.all(3)}
    assert files == {Path(f"a/journal.{index}-of-3") for index in range(3)}
