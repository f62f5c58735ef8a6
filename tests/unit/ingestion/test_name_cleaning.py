import json
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.name_cleaning import NameCleaner
from tests.support.imported_graphs import report, stored_graph

_TOWN, _PERSON = "Chamb\u00e9ry", "Zo\u00e9"
_APART = normalize("NFD", _TOWN)


def _json(id_: str) -> str:
    return json.dumps({"type": "node", "id": id_}) + "\n"


@pytest.mark.parametrize("first", ["composed", "decomposed"])
@pytest.mark.parametrize(
    ("name", "composed", "decomposed"),
    [
        ("f.tsv", f"{_PERSON}\tin\t{_TOWN}\n", f"{_APART}\tin\tFrance\n"),
        ("f.csv", f"s,p,o\n{_PERSON},in,{_TOWN}\n", f"{_APART},in,France\n"),
        (
            "f.nt",
            f'<http://e.org/z> <http://e.org/in> "{_TOWN}" .\n',
            f'<http://e.org/y> <http://e.org/in> "{_APART}" .\n',
        ),
        (
            "f.nt",
            f"<http://e.org/z> <http://e.org/in> <http://e.org/{_TOWN}> .\n",
            f"<http://e.org/{_APART}> <http://e.org/in> <http://e.org/France> .\n",
        ),
        ("f.jsonl", _json("x") + _json(_TOWN), _json(_APART) + _json("France")),
        ("f.csv", f":ID\nx\n{_TOWN}\n", f"{_APART}\nFrance\n"),
    ],
)
def test_names_in_composed_and_decomposed_form_are_one_entity(
    tmp_path: Path, name: str, composed: str, decomposed: str, first: str
) -> None:
    head, break_, rest = composed.partition("\n") if name.endswith("csv") else ("", "", composed)
    content = head + break_ + (rest + decomposed if first == "composed" else decomposed + rest)

    # A second row with the same ID is an error in a strict import.
    found = report(tmp_path, {name: content}, is_strict=head != ":ID")

    assert found.entities == 3
    assert [one.removeprefix("http://e.org/") for one in found.merged_names] == [_TOWN]
    assert _TOWN in {node.name for node in stored_graph(tmp_path / "graph.sqlite").nodes.values()}


def test_a_name_in_one_form_only_is_no_warning(tmp_path: Path) -> None:
    found = report(tmp_path, {"f.tsv": f"{_APART}\tin\tFrance\n{_APART}\tis\ta\n"})

    assert (found.entities, found.merged_names) == (3, ())


@pytest.mark.parametrize("other", ["New\u00a0York", "New\u2009York"])
def test_spaces_that_look_the_same_are_the_same(tmp_path: Path, other: str) -> None:
    found = report(tmp_path, {"f.tsv": f"{other}\tr\tb\nNew York\tr\tc\n"})

    assert (found.entities, found.merged_names) == (3, ("New York",))


def test_text_properties_are_composed(tmp_path: Path) -> None:
    line = json.dumps({"type": "node", "id": "1", "labels": ["K"], "properties": {"name": _APART, "all": [_APART]}})
    report(tmp_path, {"g.jsonl": line, "n.csv": f":ID,name,:LABEL\n2,{_APART},K\n"})

    nodes = stored_graph(tmp_path / "graph.sqlite").nodes
    assert nodes["1"] == (_TOWN, {"K"}, {"name": _TOWN, "all": (_TOWN,)})
    assert nodes["2"] == (_TOWN, {"K"}, {"name": _TOWN})


_LETTERS = st.text("ae\u00e9\u0301\u212b\u00c5A\u030a\u1100\u1161\uac00 \u00a0", min_size=1, max_size=4)


@given(st.lists(_LETTERS, max_size=6))
def test_cleaning_is_idempotent_and_keeps_names_apart_that_differ(names: list[str]) -> None:
    known: set[str] = set()
    cleaner = NameCleaner(known.__contains__)
    cleaned = []
    for name in names:
        cleaned.append(cleaner.clean(name))
        known.add(cleaned[-1])

    assert [NameCleaner(known.__contains__).clean(name) for name in cleaned] == cleaned
    spellings: dict[str, set[str]] = {}
    for name, result in zip(names, cleaned, strict=True):
        assert normalize("NFC", name.replace("\u00a0", " ")).strip() == result.strip()
        spellings.setdefault(result, set()).add(name)
    assert set(cleaner.merged) == {result for result, found in spellings.items() if len(found) > 1}
