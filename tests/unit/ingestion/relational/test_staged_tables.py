"""The temporary database says what is unique, and what is included in what."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ingestion.rejections import Problems
from ingestion.relational.staged_tables import StagedTables, key_text
from ingestion.relational.tables import Column, Row, Table

_VALUES = (
    st.none() | st.integers(0, 4) | st.sampled_from(["0", "1.0", "01", "a", " a", "a/", "/", " / "]) | st.just(2.0)
)
_ROWS = st.lists(st.tuples(_VALUES, _VALUES), max_size=8)


class Rows:
    """Tables of two columns in memory."""

    def __init__(self, **tables: Sequence[tuple[Any, Any]]) -> None:
        self._rows = tables
        self.tables = [Table(name, name, (Column("a"), Column("b"))) for name in tables]

    def rows(self, table: Table) -> Iterator[Row]:
        yield from enumerate(self._rows[table.name], 1)

    def close(self) -> None:
        """Do nothing."""


def staged(source: Rows) -> StagedTables:
    found = StagedTables()
    for table in source.tables:
        found.add(source, table, Problems())
    return found


def keys(rows: Sequence[tuple[Any, Any]]) -> list[str | None]:
    return [key_text(*row) for row in rows]


@given(_ROWS)
def test_keys_are_unique_as_their_texts_are(rows: list[tuple[Any, Any]]) -> None:
    texts = keys(rows)
    with closing(staged(Rows(one=rows))) as found:
        assert found.count("one") == len(rows)
        assert found.missing("one", ("a", "b")) == texts.count(None)
        present = [text for text in texts if text is not None]
        repeated = next((text for text in present if present.count(text) > 1), None)
        assert found.repeated("one", ("a", "b")) == (repeated and (repeated, present.count(repeated)))
        assert found.is_key("one", ("a", "b")) == (bool(rows) and None not in texts and repeated is None)


@given(_ROWS, _ROWS)
def test_shares_count_rows_whose_keys_are_included(rows: list[tuple[Any, Any]], others: list[tuple[Any, Any]]) -> None:
    present, known = [key for key in keys(rows) if key is not None], set(keys(others))
    with closing(staged(Rows(one=rows, other=others))) as found:
        share = found.share("one", ("a", "b"), "other", ("a", "b"))
        assert share == (len(present), sum(key in known for key in present))


@given(st.lists(st.text(min_size=1), min_size=2, max_size=3), st.lists(st.text(min_size=1), min_size=2, max_size=3))
def test_keys_of_several_columns_are_equal_only_if_all_parts_are(one: list[str], other: list[str]) -> None:
    parts = [[key_text(part) for part in each] for each in (one, other)]
    if len(one) == len(other) and None not in parts[0] + parts[1]:
        assert (key_text(*one) == key_text(*other)) == (parts[0] == parts[1])


@given(_ROWS)
def test_rows_come_back_as_they_were(rows: list[tuple[Any, Any]]) -> None:
    with closing(staged(Rows(one=rows))) as found:
        back = [(values.get("a"), values.get("b")) for _, values in found.rows("one")]
    assert repr(back) == repr(rows)
