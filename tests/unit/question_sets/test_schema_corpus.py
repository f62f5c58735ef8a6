import json
from pathlib import Path
from typing import Any

import pytest

from graph.plan.algebra import Comparison, Property, RelationshipPattern
from graph.plan.traversal import walk
from graph.plan.values import ValueType
from question_sets.schema_corpus import read_schema_corpus
from shared.errors import NotFoundError

_GRAPH: dict[str, Any] = {
    "id": "harbour",
    "kinds": [
        {
            "name": "Ship",
            "properties": [
                {"name": "name", "type": "str"},
                {"name": "built", "type": "int"},
                {"name": "flags", "type": "list[str]"},
                {"name": "berth", "type": "POINT"},
            ],
        },
        {"name": "Port", "properties": [{"name": "name", "type": "String", "samples": ["Turku", "Gdynia"]}]},
    ],
    "relationships": [
        {"type": "CALLS_AT", "from": "Ship", "to": "Port", "properties": [{"name": "hours", "type": "FLOAT"}]},
    ],
}
_TABLES: dict[str, Any] = {
    "id": "library",
    "tables": [
        {
            "name": "branch",
            "original": "BRANCH",
            "columns": [
                {"name": "branch id", "original": "branch_id", "type": "integer"},
                {"name": "town", "original": "town", "type": "text"},
            ],
        },
        {
            "name": "loan",
            "original": "Loan",
            "columns": [
                {"name": "loan id", "original": "loan_id", "type": "integer"},
                {"name": "branch id", "original": "branch_id", "type": "integer"},
                {"name": "fee", "original": "fee", "type": "real"},
            ],
        },
    ],
    "primary_keys": [["BRANCH", "branch_id"], ["Loan", "loan_id"]],
    "foreign_keys": [{"column": ["Loan", "branch_id"], "references": ["BRANCH", "branch_id"]}],
}
_SHIPS = "MATCH (s:Ship)-[:CALLS_AT]->(p:Port {name: 'Turku'}) WHERE s.built > 1990 RETURN s.name"
_LOANS = "SELECT T2.town FROM Loan AS T1 JOIN BRANCH AS T2 ON T1.branch_id = T2.branch_id WHERE T1.fee > 2.5"


def _write(folder: Path, schema: dict[str, Any], *rows: dict[str, Any]) -> Path:
    folder.mkdir(parents=True)
    (folder / "schemas.jsonl").write_text(json.dumps(schema) + "\n")
    complete = [{"question": "Which?", "schema": schema["id"], **row} for row in rows]
    (folder / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in complete))
    return folder.parent


def test_cypher_is_read_over_the_schema_of_its_graph(tmp_path: Path) -> None:
    corpus = _write(tmp_path / "multi_domain", _GRAPH, {"question": " Which  ships? ", "query": _SHIPS})

    found = read_schema_corpus(corpus, "multi_domain")

    [question] = found.questions
    assert (question.question, question.schema, question.source) == (
        "Which ships?",
        "harbour",
        "multi_domain:harbour",
    )
    schema = found.schemas["harbour"]
    assert schema.relationships["CALLS_AT"].ends == {("Ship", "Port")}
    assert schema.relationships["CALLS_AT"].properties["hours"].content is ValueType.FLOAT
    contents = {key: one.content for key, one in schema.kinds["Ship"].properties.items()}
    assert contents == {"name": ValueType.STRING, "built": ValueType.INTEGER, "flags": ValueType.LIST}


def test_sql_is_read_over_the_graph_that_the_tables_become(tmp_path: Path) -> None:
    corpus = _write(tmp_path / "bird", _TABLES, {"question": "Towns with fees above 2.5?", "query": _LOANS})

    [question] = read_schema_corpus(corpus, "bird").questions

    parts = list(walk(question.plan))
    assert [one for one in parts if isinstance(one, RelationshipPattern)]
    [compared] = [one for one in parts if isinstance(one, Comparison)]
    assert isinstance(compared.left, Property)
    assert (compared.left.key, compared.operator) == ("fee", ">")


@pytest.mark.parametrize(
    "row",
    [
        {"near": "movies"},
        {"verdict": "INCORRECT"},
        {"verdict": "UNANSWERABLE"},
        {"split": "manual only"},
        {"split": "dev"},
        {"query": "MATCH (s:Ship) RETURN s.colour"},
        {"query": "MATCH (s:Ship) CALL db.labels() YIELD label RETURN label"},
        {"query": "MATCH (s:Ship"},
    ],
)
def test_a_question_to_measure_on_or_with_a_doubtful_query_is_left_out(tmp_path: Path, row: dict[str, Any]) -> None:
    corpus = _write(tmp_path / "cypherbench", _GRAPH, {"query": _SHIPS, "question": "Kept?"}, {"query": _SHIPS, **row})

    assert [one.question for one in read_schema_corpus(corpus, "cypherbench").questions] == ["Kept?"]


def test_questions_to_validate_on_are_read_apart(tmp_path: Path) -> None:
    corpus = _write(
        tmp_path / "bird", _TABLES, {"query": _LOANS}, {"query": _LOANS, "question": "Dev?", "split": "dev"}
    )

    assert [one.question for one in read_schema_corpus(corpus, "bird", only_dev=True).questions] == ["Dev?"]


def test_reasons_for_leaving_questions_out_are_counted(tmp_path: Path) -> None:
    corpus = _write(tmp_path / "cypherbench", _GRAPH, {"query": "MATCH (s:Ship) RETURN s.colour"}, {"query": "MATCH ("})

    assert sum(read_schema_corpus(corpus, "cypherbench").skipped.values()) == 2


def test_a_missing_set_is_reported(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="bird"):
        read_schema_corpus(tmp_path, "bird")
