import json
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.support.imported_graphs import import_error, imported

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


def test_facts_are_imported_as_well(tmp_path: Path) -> None:
    graph = imported(
        tmp_path,
        {
            "g.jsonl": '{"subject": "Salt Roads", "relation": "written_by", "object": "Ivo Tann"}\n'
            '{"head": "Salt Roads", "predicate": "published_in", "tail": 2005}\n'
        },
    )

    assert sorted(graph.relationships) == [
        ("Salt Roads", "published_in", "2005", {}),
        ("Salt Roads", "written_by", "Ivo Tann", {}),
    ]


def test_a_fact_is_about_strings_and_numbers(tmp_path: Path) -> None:
    fact = '{"subject": "Salt Roads", "relation": "genre", "object": ["travel"]}'

    assert import_error(tmp_path, {"g.jsonl": fact}) == (
        'g.jsonl, line 1: the object is ["travel"]; write a string or a number'
    )


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
    lines: list[dict[str, Any]] = [
        {"labels": ["A"], "properties": {"a": 1, "b": 1}},
        {"properties": {"b": 3}},
        {"labels": ["A", "B"], "properties": {"b": 2}},
        {"labels": ["B"]},
    ]
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
    ('{"a": 1}', 'v: {"a": 1} is not a value'),
    ('{"date": "1996-08-01", "x": 1}', "is not a value"),
    ('{"date": "1996-02-30"}', "'1996-02-30' is not a date"),
    ('{"date": 1996}', '{"date": 1996} is not a value'),
    ('{"datetime": "noon"}', "'noon' is not a datetime"),
    ("[[1]]", "v: [1] is not a value"),
    ("[null]", "null is not a value"),
    ('[1, "a"]', "v: a list mixes values of the types integer, string"),
    ("[1, true]", "a list mixes values of the types boolean, integer"),
    ('"a\\u0000"', "contains the control character U+0000"),
    ('"\\ud800"', "contains U+D800, which is half of a character"),
    ("[" * 100_000, "nested too deeply"),
    ("-9223372036854775809", "v: the integer -9223372036854775809 needs more than 64 bits"),
    ("1" * 4000, "v: the integer 111111"),
    ("Infinity", "Infinity is not a value"),
    ("[1e400]", "v: the number is too large for a float; store it as a string"),
    ('{"crs": "cartesian", "x": 1.5, "y": 2.5}', 'v: {"crs": "cartesian", "x": 1.5'),
    ("{}", "v: {} is not a value"),
    ('{"a": {"b": null}}', 'v: {"a": {"b": null}} is not a value'),
    ('{"date": "2024-13-45"}', "v: '2024-13-45' is not a date"),
    ('{"datetime": "2024-01-01T10:00:00+99:99"}', "is not a datetime; write one such as"),
    ('[{"date": "1996-08-01"}, "1996"]', "v: a list mixes values of the types date, string"),
    ("[true, null]", "v: null is not a value"),
    ('["a", "\\udfff"]', "v: the string contains U+DFFF, which is half of a character; correct the escape"),
    ('{"\\ud800": 1}', 'v: {"\\ud800": 1} is not a value'),
    ('"a', "not JSON at column"),
    ("'a'", "not JSON at column"),
    ("0x10", "not JSON at column"),
    ("01", "not JSON at column"),
    ("True", "not JSON at column"),
]


_LINES = [
    ("oops", "not JSON at column 1"),
    ('{"type": "node", "id": "2"', "not JSON at column"),
    ('{"type": "node", "id": "2"} {}', "not JSON at column 29 (Extra data)"),
    ("[1]", "expected an object in braces, found [1]"),
    ("{}", 'the field "type" is missing'),
    ('{"type": "edge"}', 'the type is "edge"; set it to'),
    ('{"type": ["node"]}', 'the type is ["node"]'),
    ('{"type": "node"}', 'the field "id" is missing; add it'),
    ('{"type": "node", "id": true}', "the id is true; write a string in quotes"),
    ('{"type": "node", "id": 1.5}', "the id is 1.5; write a string"),
    ('{"type": "node", "id": null}', 'the field "id" is missing; add it'),
    ('{"type": "node", "id": {"a": 1}}', 'the id is {"a": 1}; write a string'),
    ('{"type": "node", "id": "\\ud800"}', "the id contains U+D800, which is half of a character"),
    ('{"type": "node", "id": "a\\u0000"}', "the id contains the control character U+0000; remove it"),
    (f'{{"type": "node", "id": "{"x" * 3000}"}}', "the id is 3,000 characters long (limit 2,000)"),
    ('{"type": "node", "id": "2", "start": "1"}', 'unknown field "start"'),
    ('{"type": "node", "id": "2", "\\ud800": 1}', 'unknown field "\\ud800"; keep only'),
    (f'{{"type": "node", "id": "2", "{"x" * 3000}": 1}}', 'unknown field "xxx'),
    ('{"type": "node", "id": "2", "labels": 5}', "the labels are 5; write a list of strings"),
    ('{"type": "node", "id": "2", "labels": [null]}', "the label is null; write a string"),
    ('{"type": "node", "id": "2", "labels": ["\\ud83d"]}', "the label contains U+D83D"),
    ('{"type": "node", "id": "2", "properties": "x"}', 'the properties are "x"; write an object'),
    ('{"type": "node", "id": "2", "properties": {"\\udc00": 1}}', "the property name contains U+DC00"),
    (f'{{"type": "node", "id": "2", "properties": {{"{"x" * 1999}": {{}}}}}}', "xxx...: {} is not a value"),
    ('{"type": "Node", "id": "2"}', 'the type is "Node"; set it to "node" or "relationship"'),
    ('{"type": null, "id": "2"}', 'the field "type" is missing'),
    ("null", "expected an object in braces, found null; write one per line"),
    ('[{"type": "node", "id": "2"}, 5]', 'expected an object in braces, found [{"type": "node", "id": "2"}, 5]'),
    ("{'type': 'node', 'id': '2'}", "not JSON at column 2 (Expecting property name"),
    ('{"type": "node", "id": "2",}', "not JSON at column"),
    ('{"type": "node", "id": "2\t"}', "not JSON at column 26 (Invalid control character"),
    ("\ufeff{}", "not JSON at column 1 (Unexpected UTF-8 BOM"),
    ("// comment", "not JSON at column 1"),
    (b'{"type": "node", "id": "caf\xe9"}', "not UTF-8 at byte 28; save the file as UTF-8"),
    (f'{{"type": "node", "id": "{"x" * (1 << 20)}"}}', "the id is 1,048,576 characters long (limit 2,000)"),
    ('{"type": "node", "id": " "}', "the id is empty"),
    ('{"type": "node", "id": "2", "id": "3"}', 'the field "id" occurs twice in one object'),
    ('{"type": "node", "id": "2", "label": "A"}', 'unknown field "label"; keep only type, id, labels, properties'),
    ('{"type": "node", "id": "2", "labels": {"A": 1}}', 'the labels are {"A": 1}; write a list of strings'),
    ('{"type": "node", "id": "2", "labels": [1]}', "the label is 1; write a string"),
    ('{"type": "node", "id": "2", "labels": [""]}', "the label is empty"),
    ('{"type": "node", "id": "2", "properties": []}', "the properties are []; write an object"),
    ('{"type": "node", "id": "2", "properties": {"": 1}}', "the property name is empty"),
    ('{"type": "relationship", "start": "1", "end": "1"}', 'the field "label" is missing'),
    ('{"type": "relationship", "label": 1, "start": "1", "end": "1"}', "the relation is 1"),
    ('{"type": "relationship", "label": "^R", "start": "1", "end": "1"}', "the relation '^R' begins with"),
    ('{"type": "relationship", "label": "R", "start": "1"}', 'the field "end" is missing'),
    ('{"type": "relationship", "label": "R", "start": {}, "end": "1"}', 'the field "id" is missing'),
    ('{"type": "relationship", "label": "R", "start": {"id": 1.5}, "end": "1"}', "the id of the start is 1.5"),
    ('{"type": "relationship", "label": "R", "start": "1", "end": ["1"]}', 'the end is ["1"]; write a string'),
    ('{"type": "relationship", "label": "R", "start": "1", "end": "9"}', "no node has the ID '9'; add the node"),
    (f'{{"type": "relationship", "label": "R", "start": "{"9" * 2000}", "end": "1"}}', "no node has the ID '999"),
    ('{"type": "relationship", "label": "R", "start": "1", "end": null}', 'the field "end" is missing'),
    ('{"type": "relationship", "label": "R", "start": true, "end": "1"}', "the start is true; write a string"),
    ('{"type": "relationship", "label": "\\ud800", "start": "1", "end": "1"}', "the relation contains U+D800"),
    ('{"type": "relationship", "labels": ["R"], "start": "1", "end": "1"}', 'unknown field "labels"'),
    ('{"type": "relationship", "label": "R", "start": "1", "end": "1", "properties": [1]}', "the properties are [1]"),
    *((f'{{"type": "node", "id": "2", "properties": {{"v": {value}}}}}', message) for value, message in _VALUES),
]


@pytest.mark.parametrize(("line", "message"), _LINES)
def test_bad_lines_are_reported_with_their_number(tmp_path: Path, line: str | bytes, message: str) -> None:
    content = _NODE.encode() + (line if isinstance(line, bytes) else line.encode()) + b"\n"

    error = import_error(tmp_path, {"g.jsonl": content})

    assert error.startswith("g.jsonl, line 2: ")
    assert message in error
    assert len(error) < 250


@pytest.mark.parametrize("depth", range(880, 1000, 2))
def test_values_of_any_depth_are_refused(tmp_path: Path, depth: int) -> None:
    value = "[" * depth + "]" * depth

    error = import_error(tmp_path, {"g.jsonl": f'{{"type": "node", "id": "2", "properties": {{"v": {value}}}}}\n'})

    assert error.startswith("g.jsonl, line 1: ")


_TWO = ['{"type": "node", "id": 1, "labels": "A"}', '{"type": "node", "id": 2, "labels": ["A"]}']
_LINK = '{"type": "relationship", "label": "R", "start": {"id": 1}, "end": 2}'


@pytest.mark.parametrize(
    "text",
    [
        "\n".join([*_TWO, _LINK]),
        "[" + ", ".join([*_TWO, _LINK]) + "]",
        "[" + ",\n".join([*_TWO, _LINK]) + "]\n",
        "[\n" + ",\r\n".join([*_TWO, _LINK]) + "\n]\n",
        "".join(f"{line},\n" for line in [*_TWO, _LINK]),
    ],
)
@pytest.mark.parametrize("extension", ["jsonl", "ndjson", "json"])
def test_objects_may_be_the_items_of_an_array_with_numbers_as_ids(tmp_path: Path, extension: str, text: str) -> None:
    graph = imported(tmp_path, {f"g.{extension}": text})

    assert graph.relationships == [("1", "R", "2", {})]
    assert [node.kinds for node in graph.nodes.values()] == [{"A"}, {"A"}]


def test_several_objects_with_several_lines_are_named_as_such(tmp_path: Path) -> None:
    text = "\n".join(json.dumps(json.loads(line), indent=1) for line in _TWO)

    error = import_error(tmp_path, {"g.json": text})

    assert "line 1: the object goes on in the next line; write one object per line" in error
