from pathlib import Path

import pytest

from tests.support.imported_graphs import import_error, report, stored_graph

_HEADER = "subject,relation,object\n"


@pytest.mark.parametrize(
    ("bad", "number"),
    [
        ('Cy,says,"never closed', 1),
        ('Cy,says,"she said "hi""', 1),
        ('"Cy" the Great,lives_in,Rome', 1),
        ('Cy,says,"open\nDi,says,"open, too', 2),
    ],
)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_line_with_invalid_quotes_is_left_out_alone(tmp_path: Path, bad: str, number: int, place: int) -> None:
    good = ['Ana,likes,"tea, milk"', "Bo,lives_in,Oslo", 'Ed,says,"a ""b"" c"']
    lines = [*good[:place], bad, *good[place:]]

    found = report(tmp_path, {"f.csv": _HEADER + "".join(f"{line}\n" for line in lines)})

    facts = [fact[:3] for fact in stored_graph(tmp_path / "graph.sqlite").relationships]
    assert facts == [("Ana", "likes", "tea, milk"), ("Bo", "lives_in", "Oslo"), ("Ed", "says", 'a "b" c')]
    assert [(one.reason, one.number, one.places[0]) for one in found.rejected] == [
        ("lines with invalid quotes", number, f"f.csv:{place + 2}")
    ]


@pytest.mark.parametrize(("bad", "line"), [(3, 2), (150, 102)])
def test_a_file_with_many_invalid_quotes_is_refused(tmp_path: Path, bad: int, line: int) -> None:
    lines = [f'a{number},r,"b" c' for number in range(bad)]

    error = import_error(
        tmp_path, {"f.csv": _HEADER + "".join(f"{line}\n" for line in [*lines, "a,r,b"])}, is_strict=False
    )

    assert f"f.csv, line {line}: invalid quotes" in error


def test_a_strict_import_refuses_invalid_quotes(tmp_path: Path) -> None:
    assert "line 2: invalid quotes" in import_error(tmp_path, {"f.csv": f'{_HEADER}a,r,"b\nc,r,d\n'})
