import json
from pathlib import Path
from typing import Any

import pytest

from question_sets.query_questions import QueryLanguage, QueryQuestion, read_r3_nl2gql, read_spcql
from shared.errors import InvalidInputError, NotFoundError

_QUERY = "match (:ENTITY{name:'图尔库'})-[:Relationship{name:'国家'}]->(m) return m.name"
_SPCQL = {"query": " 图尔库在哪个国家？", "entities": ["图尔库"], "decomposition": [], "target_text": f"{_QUERY}\n"}
_R3: dict[str, Any] = {
    "prompt": "Which ports does Aino call at?",
    "content": 'MATCH (:ship{name: "Aino"})-[:calls_at]->(v) RETURN v.port.name',
    "schema": "class ship: pass",
    "class": "harbour",
    "result": ['["Turku", 3]', '["Gdynia", 5]', "(Aino)"],
}


def write_spcql(folder: Path, content: object) -> Path:
    (folder / "decomp").mkdir()
    (folder / "decomp" / "dev.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


def read_r3(folder: Path, *lines: str) -> list[QueryQuestion]:
    (folder / "test_data_shuffle.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return read_r3_nl2gql(folder)


def test_spcql_pairs_questions_with_cypher(tmp_path: Path) -> None:
    [found] = read_spcql(write_spcql(tmp_path, [_SPCQL]))

    assert (found.question, found.query, found.entities) == ("图尔库在哪个国家？", _QUERY, ("图尔库",))
    assert (found.language, found.graph, found.rows) == (QueryLanguage.CYPHER, "ownthink", None)


@pytest.mark.parametrize(
    "content", [{}, [1], [{"query": "?"}], [{**_SPCQL, "target_text": ""}], [{**_SPCQL, "entities": 3}], "text"]
)
def test_a_damaged_file_of_spcql_is_an_error_that_names_it(tmp_path: Path, content: object) -> None:
    with pytest.raises(InvalidInputError, match=r"dev\.json"):
        read_spcql(write_spcql(tmp_path, content))


def test_r3_pairs_questions_with_ngql_and_rows(tmp_path: Path) -> None:
    [found] = read_r3(tmp_path, json.dumps(_R3))

    assert (found.language, found.graph) == (QueryLanguage.NGQL, "harbour")
    assert found.rows == (("Turku", 3), ("Gdynia", 5), ("(Aino)",))


def test_r3_repairs_the_quotes_of_a_graph(tmp_path: Path) -> None:
    line = json.dumps(_R3).replace('"class": "harbour"', "\"class\":'harbour'")

    assert [one.graph for one in read_r3(tmp_path, line)] == ["harbour"]


def test_r3_reads_results_that_are_one_text(tmp_path: Path) -> None:
    [found] = read_r3(tmp_path, json.dumps({**_R3, "result": str(_R3["result"])}))

    assert found.rows == (("Turku", 3), ("Gdynia", 5), ("(Aino)",))


@pytest.mark.parametrize(
    "row",
    ["{", "[]", json.dumps({**_R3, "result": "x("}), json.dumps({**_R3, "result": 3}), json.dumps({"prompt": "?"})],
)
def test_a_damaged_line_of_r3_is_an_error_with_its_number(tmp_path: Path, row: str) -> None:
    with pytest.raises(InvalidInputError, match="line 2"):
        read_r3(tmp_path, json.dumps(_R3), row)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        read_spcql(tmp_path)
    with pytest.raises(NotFoundError):
        read_r3_nl2gql(tmp_path)
