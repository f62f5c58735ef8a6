import csv
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from graph.plan.values import ValueType
from question_sets.text2cypher import read_schema, read_text2cypher
from shared.errors import NotFoundError

_STRUCTURED: dict[str, Any] = {
    "node_props": {
        "Film": [
            {"property": "title", "type": "STRING", "values": ["Alien", "Heat"], "distinct_count": 400},
            {"property": "released", "type": "STRING", "values": ["1995-11-22", "1995-12-15"]},
            {"property": "price", "type": "STRING", "values": ["32.38", "NULL"]},
            {"property": "score", "type": "FLOAT", "min": "1.0", "max": "NaN"},
            {"property": "place", "type": "POINT"},
        ],
    },
    "rel_props": {"RATED": [{"property": "stars", "type": "INTEGER", "values": ["1", "5"]}]},
    "relationships": [{"start": "User", "type": "RATED", "end": "Film"}],
}
_QUERY = "MATCH (f:Film) RETURN f.title"
_GOOD = {
    "question": "Which films?",
    "cypher": _QUERY,
    "database": "films",
    "syntax_error": "False",
    "timeout": "False",
    "false_schema": "",
}


def _write(folder: Path, *rows: dict[str, str]) -> Path:
    schemas = [{"database": "films", "schema": "", "structured_schema": repr(_STRUCTURED)}]
    questions = [
        {"question": "Which films?", "cypher": "MATCH (f:Film) RETURN f.title", **_GOOD, **row} for row in rows
    ]
    for name, content in (("schemas", schemas), ("gpt4turbo", questions), ("claudeopus", questions[:1])):
        with (folder / f"text2cypher_{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, content[0])
            writer.writeheader()
            writer.writerows(content)
    return folder


def test_properties_have_the_types_of_their_content() -> None:
    film = read_schema(_STRUCTURED).kinds["Film"]
    types = {key: (one.stored, one.content, one.samples) for key, one in film.properties.items()}
    text = frozenset((ValueType.STRING,))
    assert types["released"] == (text, ValueType.DATE, (date(1995, 11, 22), date(1995, 12, 15)))
    assert types["price"] == (text, ValueType.FLOAT, (32.38,))
    assert types["score"] == (frozenset((ValueType.FLOAT,)), ValueType.FLOAT, (1.0,))
    assert "place" not in types
    assert (film.name_property, film.count) == ("title", 400)


def test_relationships_have_ends_and_properties() -> None:
    schema = read_schema(_STRUCTURED)
    assert schema.relationships["RATED"].ends == {("User", "Film")}
    assert schema.relationships["RATED"].properties["stars"].samples == (1, 5)
    assert set(schema.kinds) == {"User", "Film"}


def test_rows_without_a_valid_plan_are_skipped_with_the_reason(tmp_path: Path) -> None:
    found = read_text2cypher(
        _write(
            tmp_path,
            {},
            {"syntax_error": "True"},
            {"timeout": "True"},
            {"false_schema": "Award"},
            {"database": "slack"},
            {"cypher": "MATCH (f:Movie) RETURN f.title"},
            {"cypher": "MATCH (f:Film) RETURN point(f.place)"},
        )
    )
    assert [(one.question, one.schema, one.source) for one in found.questions] == [
        ("Which films?", "films", "text2cypher:gpt4turbo")
    ]
    assert sum(found.skipped.values()) == 7
    assert found.skipped["repeated"] == 1
    assert found.skipped["invalid: the query had a syntax error"] == 1


def test_databases_can_be_left_out(tmp_path: Path) -> None:
    found = read_text2cypher(_write(tmp_path, {}), without=["films"])
    assert not found.questions
    assert not found.schemas
    assert not found.skipped


def test_the_error_names_the_missing_file(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"text2cypher_schemas\.csv"):
        read_text2cypher(tmp_path)
