from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.gold_tables import has_gold_rows

_GOLD = [["Bern", "2"], ["Oslo", "3"]]
_CELLS = st.one_of(st.none(), st.integers(-3, 3), st.sampled_from(("a", "b", "2.5")))
_TABLES = st.integers(2, 4).flatmap(
    lambda width: st.lists(st.lists(_CELLS, min_size=width, max_size=width), min_size=1, max_size=5)
)


@pytest.mark.parametrize(
    "rows",
    [
        [["Oslo", 3], ["Bern", 2]],
        [[2, "Bern"], [3, "Oslo"]],
        [["bern", 2.0, "CH"], ["Oslo", 3, "NO"]],
        [["Bern", 2], ["Bern", 2], ["Oslo", 3]],
    ],
)
def test_the_same_rows_are_right_in_any_order(rows: list[list[Any]]) -> None:
    assert has_gold_rows(_GOLD, rows)


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [["Bern"], ["Oslo"]],
        [["Bern", 3], ["Oslo", 2]],
        [["Bern", 2]],
        [["Bern", 2], ["Oslo", None]],
        [["Bern", 2], ["Oslo", 3], ["Rome", 2]],
    ],
)
def test_the_key_column_alone_is_not_enough(rows: list[list[Any]]) -> None:
    assert not has_gold_rows(_GOLD, rows)


def test_numbers_are_rounded_as_in_the_gold_column() -> None:
    assert has_gold_rows([["a", "0.33"], ["b", "1"]], [["a", 1 / 3], ["b", 1]])
    assert not has_gold_rows([["a", "0.33"], ["b", "1"]], [["a", 0.34], ["b", 1]])


@given(_TABLES, st.data())
def test_a_table_has_its_own_rows_however_it_is_arranged(rows: list[list[Any]], data: st.DataObject) -> None:
    gold = [[None if cell is None else str(cell) for cell in row] for row in rows]
    columns = data.draw(st.permutations(range(len(rows[0]))))
    arranged = [[row[place] for place in columns] for row in data.draw(st.permutations(rows))]

    assert has_gold_rows(gold, arranged)
