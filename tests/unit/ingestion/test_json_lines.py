import json
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.unit.ingestion.stored_graph import import_error, imported

_NODE = '{"type": "node", "id": "1"}\n'


def _node(value: Any) -> str:
    return json.dumps({"type": "node", "id": "1", "properties": {"v": value}}) + "\n"


def test_nodes_and_relationships_are_imported_as_apoc_exports_them(tmp_path: Path) -> None:
    graph = imported(
        tmp_path,
        {
            "g.jsonl": '{"id":"7","type":"relationship","label":"KNOWS","properties":{"since":1993},'
            '"start":{"id":"0","labels":["User"],"properties":{"name":"Adam"}},"end":{"id":"1"}}\n'
            "\n"
            '{"type":"node","id":"0","labels":["User"],"properties":{"name":"Adam","age":42}}\r\n'
            '{"type":"node","id":"1","labels":["User"],"properties":{"name":"Jim","old":null}}\n'
            '{"type":"relationship","label":"KNOWS","start":"0","end":"1"}'
        },
    )

    assert graph.nodes == {
        "0": ("Adam", {"User"}, {"name": "Adam", "age": 42}),
        "1": ("Jim", {"User"}, {"name": "Jim"}),
    }
    assert graph.relationships == [("0", "KNOWS", "1", {"since": 1993}), ("0", "KNOWS", "1", {})]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (-(2**63), -(2**63)),
        (1.5, 1.5),
        (True, True),
        ("", ""),
        ("two\nlines", "two\nlines"),
        ([], ()),
        (["a", "b"], ("a", "b")),
        ([1, 2.5], (1.0, 2.5)),
        ({"date": "1996-08-01"}, date(1996, 8, 1)),
        ({"datetime": "1996-08-01T09:30:00Z"}, datetime(1996, 8, 1, 9, 30)),
        ([{"date": "1996-08-01"}], (date(1996, 8, 1),)),
    ],
)
def test_json_values_keep_their_types(tmp_path: Path, written: Any, value: Any) -> None:
    stored = imported(tmp_path, {"g.jsonl": _node(written)}).nodes["1"].properties["v"]

    assert (stored, type(stored)) == (value, type(value))


def test_lines_with_the_same_id_are_one_node(tmp_path: Path) -> None:
    lines = [{"labels": ["A"], "properties": {"a": 1, "b": 1}}, {"labels": ["B"], "properties": {"b": 2}}]
    content = "".join(json.dumps({"type": "node", "id": "1", **line}) + "\n" for line in lines)

    assert imported(tmp_path, {"g.jsonl": content}).nodes == {"1": ("1", {"A", "B"}, {"a": 1, "b": 2})}


def test_json_lines_and_csv_files_make_one_graph(tmp_path: Path) -> None:
    graph = imported(tmp_path, {"r.csv": ":START_ID,:END_ID,:TYPE\n1,2,R\n", "g.jsonl": _NODE, "n.csv": ":ID\n2\n"})

    assert graph.relationships == [("1", "R", "2", {})]


_VALUES = [
    ("NaN", "NaN is not a value"),
    ("-Infinity", "-Infinity is not a value"),
    ("1e999", "is too large for a float"),
    ("9223372036854775808", "v: the integer 9223372036854775808 needs more than 64 bits"),
    ("9" * 5000, "an integer needs more than 64 bits"),
    ('{"a": 1}', "v: {'a': 1} is not a value"),
    ('{"date": "1996-08-01", "x": 1}', "is not a value"),
    ('{"date": "1996-02-30"}', "'1996-02-30' is not a date"),
    ('{"date": 1996}', "{'date': 1996} is not a value"),
    ('{"datetime": "noon"}', "'noon' is not a datetime"),
    ("[[1]]", "v: [1] is not a value"),
    ("[null]", "None is not a value"),
    ('[1, "a"]', "v: a list mixes values of the types integer, string"),
    ("[1, true]", "a list mixes values of the types boolean, integer"),
    ('"a\\u0000"', "contains the control character U+0000"),
    ('"\\ud800"', "contains U+D800, which is half of a character"),
    ("[" * 100_000, "nested too deeply"),
]


@pytest.mark.parametrize(("value", "message"), _VALUES)
def test_bad_values_are_reported_with_their_line(tmp_path: Path, value: str, message: str) -> None:
    line = f'{{"type": "node", "id": "2", "properties": {{"v": {value}}}}}\n'

    error = import_error(tmp_path, {"g.jsonl": _NODE + line})

    assert error.startswith("g.jsonl, line 2: ")
    assert message in error
    assert len(error) < 250


_LINES = [
    ("oops", "not JSON at column 1"),
    ('{"type": "node", "id": "2"', "not JSON at column"),
    ('{"type": "node", "id": "2"} {}', "not JSON at column 29 (Extra data)"),
    ("[1]", "expected an object in braces, found [1]"),
    ("{}", 'the field "type" is missing'),
    ('{"type": "edge"}', "the type is 'edge'; set it to"),
    ('{"type": ["node"]}', "the type is ['node']"),
    ('{"type": "node"}', 'the field "id" is missing; add it'),
    ('{"type": "node", "id": 2}', "the id is 2; write a string in quotes"),
    ('{"type": "node", "id": " "}', "the id is empty"),
    ('{"type": "node", "id": "2", "id": "3"}', "the field 'id' occurs twice in one object"),
    ('{"type": "node", "id": "2", "label": "A"}', "unknown field 'label'; keep only type, id, labels, properties"),
    ('{"type": "node", "id": "2", "labels": "A"}', "the labels are 'A'; write a list of strings"),
    ('{"type": "node", "id": "2", "labels": [1]}', "the label is 1; write a string"),
    ('{"type": "node", "id": "2", "labels": [""]}', "the label is empty"),
    ('{"type": "node", "id": "2", "properties": []}', "the properties are []; write an object"),
    ('{"type": "node", "id": "2", "properties": {"": 1}}', "the property name is empty"),
    ('{"type": "relationship", "start": "1", "end": "1"}', 'the field "label" is missing'),
    ('{"type": "relationship", "label": 1, "start": "1", "end": "1"}', "the relation is 1"),
    ('{"type": "relationship", "label": "^R", "start": "1", "end": "1"}', "the relation '^R' begins with"),
    ('{"type": "relationship", "label": "R", "start": "1"}', 'the field "end" is missing'),
    ('{"type": "relationship", "label": "R", "start": {}, "end": "1"}', 'the field "id" is missing'),
    ('{"type": "relationship", "label": "R", "start": {"id": 1}, "end": "1"}', "the id of the start is 1"),
    ('{"type": "relationship", "label": "R", "start": "1", "end": ["1"]}', "the end is ['1']; write a string"),
    ('{"type": "relationship", "label": "R", "start": "1", "end": "9"}', "no node has the ID '9'; add the node"),
]


@pytest.mark.parametrize(("line", "message"), _LINES)
def test_bad_lines_are_reported_with_their_number(tmp_path: Path, line: str, message: str) -> None:
    error = import_error(tmp_path, {"g.jsonl": f"{_NODE}{line}\n{_NODE}"})

    assert error.startswith("g.jsonl, line 2: ")
    assert message in error
