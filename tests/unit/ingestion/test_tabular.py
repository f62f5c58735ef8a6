from collections.abc import Sequence
from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from ingestion import tabular
from ingestion.name_cleaning import NameCleaner
from ingestion.node_ids import NodeIds
from ingestion.rejections import Problems
from ingestion.sqlite_writer import GraphWriter
from shared.errors import InvalidInputError

_FIELD = st.text("ab^ \r\u00a0ée\u0301\x00", max_size=3) | st.sampled_from(
    ["alias", ":LABEL", "subject", "relation", "a" * 1500]
)
_ROW = st.lists(_FIELD, min_size=3, max_size=3) | st.lists(st.sampled_from("abc"), min_size=2, max_size=4)
_TEXT = st.lists(_ROW.map("\t".join), max_size=5).map("\n".join)


class _Rows(GraphWriter):
    """Record the rows instead of writing them."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, ...]] = []
        self.names = NameCleaner(lambda _: False)
        self.ids = NodeIds()

    def add_triple(self, subject: str, relation: str, object_: str) -> None:
        self.rows.append((subject, relation, object_))

    def add_triples(self, fields: Sequence[str]) -> None:
        self.rows += zip(fields[::3], fields[1::3], fields[2::3], strict=True)

    def add_alias(self, entity: str, name: str) -> None:
        self.rows.append((entity, name))

    def add_kind(self, entity: str, kind: str) -> None:
        self.rows.append((entity, f":{kind}"))


def _read(block: bytes, first: int) -> tuple[list[tuple[str, ...]], str]:
    rows, problems = _Rows(), Problems()
    tabular.read_tsv([(first, block)], rows, problems)
    try:
        problems.raise_if_any()
    except InvalidInputError as error:
        return rows.rows, str(error)
    return rows.rows, ""


@given(_TEXT, st.sampled_from(["", "\n", "\r\n", "\n\xff"]), st.sampled_from([1, 7]))
def test_a_block_of_rows_is_parsed_like_its_lines(text: str, end: str, first: int) -> None:
    block = (text + end).encode("latin-1" if "\xff" in end else "utf-8", "replace")
    if not block:
        return
    with mock.patch.object(tabular, "plain_fields", lambda _: None):
        by_line = _read(block, first)

    assert _read(block, first) == by_line
