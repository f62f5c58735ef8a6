"""Whatever a file holds, an import succeeds or says what is wrong."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingestion.relational.importing import import_tables, survey_tables
from shared.errors import KGQAError
from tests.support.company_tables import WRITERS

_PIECES = st.sampled_from(
    [
        b"id",
        b"name",
        b"a_id",
        b",",
        b";",
        b"\t",
        b'"',
        b"'",
        b"\n",
        b"\r\n",
        b"1",
        b"2.0",
        b"NULL",
        b"\x00",
        b"\xff",
        b"\xef\xbb\xbf",
    ]
)
_TEXTS = st.lists(_PIECES, max_size=30).map(b"".join)


@given(_TEXTS, _TEXTS)
def test_any_text_files(first: bytes, second: bytes) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name) / "tables"
        folder.mkdir()
        (folder / "as.csv").write_bytes(first)
        (folder / "bs.tsv").write_bytes(second)
        try:
            report = import_tables(folder, Path(name) / "graph.sqlite")
        except KGQAError as error:
            assert str(error)
        else:
            assert set(survey_tables(folder).mapping.tables) == set(report.mapping.tables)


@pytest.fixture(scope="module")
def binary_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return a file of the company in each format that is not text."""
    files = {}
    for form in ("sqlite", "duckdb", "parquet", "workbook"):
        path = WRITERS[form](tmp_path_factory.mktemp(form) / "company")
        files[form] = path / "employees.parquet" if path.is_dir() else path
    return files


@pytest.mark.parametrize("form", ["sqlite", "duckdb", "parquet", "workbook"])
@given(share=st.floats(0, 1), is_cut=st.booleans())
@settings(max_examples=30)
def test_any_damage_to_other_files(form: str, binary_files: dict[str, Path], share: float, is_cut: bool) -> None:
    content = binary_files[form].read_bytes()
    place = int(share * len(content))
    damaged = content[:place] if is_cut else content[:place] + b"\xa5\x5a\xff" + content[place + 3 :]
    with TemporaryDirectory() as folder:
        file = Path(folder) / binary_files[form].name
        file.write_bytes(damaged)
        try:
            import_tables(file, Path(folder) / "graph.sqlite")
        except KGQAError as error:
            assert str(error)
