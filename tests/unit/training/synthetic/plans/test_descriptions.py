from pathlib import Path

import pytest

from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from graph.plan.values import ValueType
from shared.errors import InvalidInputError, NotFoundError
from training.synthetic.plans.descriptions import read_descriptions

_TEXT = PropertySchema(frozenset({ValueType.STRING}), ValueType.STRING)
_SCHEMA = GraphSchema(
    {"Person": KindSchema(3, {"cost_ctr": _TEXT}), "": KindSchema(2, {})},
    {"rpts_to": RelationshipSchema(2, frozenset(), {"since": _TEXT})},
)


def _write(folder: Path, text: str) -> Path:
    file = folder / "descriptions.txt"
    file.write_text(text, encoding="utf-8")
    return file


def test_descriptions_of_kinds_properties_and_relations(tmp_path: Path) -> None:
    text = "# who\nrpts_to: reports to, boss ,manager\n\nPerson: employee\nsince:start\nrpts_to: line  manager\n"

    assert read_descriptions(_write(tmp_path, text), _SCHEMA) == {
        "rpts_to": ("reports to", "boss", "manager", "line manager"),
        "Person": ("employee",),
        "since": ("start",),
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rpts_to\n", "line 1: expected a name and its descriptions"),
        ("\nrpts_to: ,\n", "line 2: expected a name and its descriptions"),
        ("rpt_to: boss\n", "no kind, property, or relation 'rpt_to'; did you mean 'rpts_to'"),
        ("zzz: boss\n", "kgqa schema lists"),
        (": boss\n", "no kind, property, or relation ''"),
        (f"rpts_to: {'x' * 61}\n", "more than 60 characters"),
    ],
)
def test_a_bad_line_is_an_error(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        read_descriptions(_write(tmp_path, text), _SCHEMA)


def test_a_missing_or_binary_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        read_descriptions(tmp_path / "none", _SCHEMA)
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInputError, match="UTF-8"):
        read_descriptions(tmp_path / "binary", _SCHEMA)
