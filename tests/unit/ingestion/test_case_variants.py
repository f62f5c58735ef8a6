from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.case_variants import case_variants
from tests.support.imported_graphs import report


@given(st.lists(st.text("aAbBß", max_size=3), unique=True))
def test_groups_hold_all_names_that_have_a_variant(names: list[str]) -> None:
    folded = [name.casefold() for name in names]

    groups = case_variants(names)

    assert sorted(name for group in groups for name in group) == sorted(
        name for name in names if folded.count(name.casefold()) > 1
    )
    assert all(len({name.casefold() for name in group}) == 1 for group in groups)


def test_names_that_differ_only_in_case_are_different_and_reported(tmp_path: Path) -> None:
    found = report(tmp_path, {"f.tsv": "Oslo\tmayor\tIda\nOSLO\tMayor\tBo\n"})

    assert found.entities == 4
    assert list(found.case_variants) == [("Oslo", "OSLO"), ("mayor", "Mayor")]


def test_ids_of_nodes_are_no_names(tmp_path: Path) -> None:
    found = report(tmp_path, {"n.csv": ":ID\na\nA\n", "r.csv": ":START_ID,:END_ID,:TYPE\na,A,SEES\n"})

    assert found.case_variants == []


@pytest.mark.parametrize(
    ("one", "other"), [("Ｔｏｋｙｏ", "Tokyo"), ("Oﬃce", "Office"), ("O’Brien", "O'Brien"), ("H₂O", "H2O")]
)
def test_names_that_differ_only_in_forms_of_characters_are_reported(tmp_path: Path, one: str, other: str) -> None:
    found = report(tmp_path, {"f.tsv": f"{one}\tin\tX\n{other}\tin\tY\n"})

    assert found.entities == 4
    assert list(found.case_variants) == [(one, other)]
