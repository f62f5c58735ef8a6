"""An import says which numbers and datetimes it stores with fewer digits."""

from pathlib import Path

import pytest

from tests.support.imported_graphs import report

_NANOSECONDS = "2021-01-05T10:00:00.123456789Z"
_ODD = 2**53 + 1
_NODE = '{"type": "node", "id": "1", "labels": ["Cat"], "properties": {"at": %s}}'
_MOMENTS, _FLOATS = "Cat.at: digits beyond microseconds", "Cat.at: digits of integers that no float can hold"
_XSD = "http://www.w3.org/2001/XMLSchema#"


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.csv", f":ID,at:datetime,:LABEL\n1,{_NANOSECONDS},Cat\n", _MOMENTS),
        ("a.csv", f":ID,at:datetime[],:LABEL\n1,2021-01-05T10:00:00Z;{_NANOSECONDS},Cat\n", _MOMENTS),
        ("a.csv", f":ID,at:float,:LABEL\n1,{_ODD},Cat\n", _FLOATS),
        ("a.jsonl", _NODE % f'{{"datetime": "{_NANOSECONDS}"}}', _MOMENTS),
        ("a.jsonl", _NODE % f"[{_ODD}, 0.5]", _FLOATS),
        (
            "a.nt",
            f'<http://x/a> <http://x/at> "{_NANOSECONDS}"^^<{_XSD}dateTime> .',
            "digits beyond",
        ),
    ],
)
def test_lost_digits_are_counted_with_the_first_value(tmp_path: Path, name: str, text: str, reason: str) -> None:
    [left_out] = report(tmp_path, {name: text}, is_strict=True).rejected

    assert left_out.reason.startswith(reason)
    assert left_out.number == 1
    assert str(_ODD) in left_out.example or _NANOSECONDS in left_out.example
    assert f"is stored as {float(_ODD)}" in left_out.example or "is stored as 2021-01-05 10:00:00.123456" in (
        left_out.example
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", ":ID,at:datetime,:LABEL\n1,2021-01-05T10:00:00.123456000Z,Cat\n"),
        ("a.csv", f":ID,at:float,:LABEL\n1,{2**54},Cat\n2,0.1,Cat\n"),
        ("a.csv", f":ID,at,:LABEL\n1,{_NANOSECONDS},Cat\n"),
        ("a.jsonl", _NODE % f"[{2**54}, 0.5, 3]"),
        ("a.jsonl", _NODE % f"[{_ODD}, 3]"),
    ],
)
def test_values_with_all_digits_are_not_reported(tmp_path: Path, name: str, text: str) -> None:
    assert report(tmp_path, {name: text}, is_strict=True).rejected == ()
