from collections.abc import Iterable
from pathlib import Path

import pytest

from ingestion.rejections import Problems
from shared.errors import InvalidInputError
from tests.support.imported_graphs import import_error, report, stored_graph

_GOOD = "a\tr\tb\n"


def _left_out(problems: Problems) -> list[str]:
    return [str(one) for one in problems.left_out()]


def test_rejections_are_counted_by_reason_with_their_first_five_places() -> None:
    problems = Problems()
    problems.file = "f.tsv"
    problems.reject_value(1, "odd values", "it is odd")
    for line in range(2, 9):
        problems.reject_line(line, "bad lines", f"problem {line}")

    problems.raise_if_any()
    assert _left_out(problems) == [
        "bad lines: 7 (f.tsv:2, f.tsv:3, f.tsv:4, f.tsv:5, f.tsv:6, ...)",
        "odd values: 1 (f.tsv:1)",
    ]
    assert problems.left_out()[0].example == "f.tsv, line 2: problem 2"


def test_a_strict_import_refuses_lines_and_values_but_not_notes() -> None:
    problems = Problems(is_strict=True)
    problems.note(1, "valid values", "nothing", "a.nt")
    problems.raise_if_any()
    problems.reject_value(2, "odd values", "it is odd", "a.nt")
    problems.reject_line(3, "bad lines", "it is bad", "b.nt")

    with pytest.raises(InvalidInputError) as caught:
        problems.raise_if_any()
    assert str(caught.value) == "a.nt, line 2: it is odd\nb.nt, line 3: it is bad"
    assert _left_out(problems) == ["valid values: 1 (a.nt:1)"]


@pytest.mark.parametrize(
    ("good", "bad", "limit", "is_refused"),
    [
        (1, 100, None, False),
        (1, 101, None, True),
        (11_880, 120, None, False),
        (11_880, 121, None, True),
        (5, 1, 1, False),
        (5, 2, 1, True),
        (5, 1, 0, True),
        (1, 200, 200, False),
    ],
)
def test_an_import_that_rejects_too_many_lines_fails_and_changes_nothing(
    tmp_path: Path, good: int, bad: int, limit: int | None, is_refused: bool
) -> None:
    before = report(tmp_path, {"old.tsv": _GOOD})
    content = "".join(f"a\tr\tb{number}\n" for number in range(good)) + "bad\n" * bad
    if is_refused:
        with pytest.raises(InvalidInputError) as caught:
            report(tmp_path, {"f.tsv": content}, max_rejected=limit)
        assert str(caught.value).startswith(f"{bad} of {good + bad:,} lines are invalid, but only")
        assert "--max-rejected" in str(caught.value)
        assert f"f.tsv:{good + 1}, f.tsv:{good + 2}" in str(caught.value) or bad == 1
        assert len(stored_graph(tmp_path / "graph.sqlite").relationships) == before.triples
    else:
        found = report(tmp_path, {"f.tsv": content}, max_rejected=limit)
        assert [one.number for one in found.rejected] == [bad]
        assert found.triples == good
    assert not list(tmp_path.glob(".*"))


def test_values_do_not_count_as_rejected_lines(tmp_path: Path) -> None:
    rows = "".join(f"{number},x\n" for number in range(500))

    found = report(tmp_path, {"n.csv": f":ID,a:int,:LABEL\n{rows.replace(',x', ',x,K')}"})

    assert [(one.reason, one.number) for one in found.rejected] == [("K.a: values that are not integers", 500)]
    assert found.entities == 500


def test_a_file_of_bad_lines_only_is_refused_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"(?s)no triples and no nodes.*expected 3 tab-separated fields"):
        report(tmp_path, {"f.tsv": "a,r,b\n"})


def test_rejected_lines_and_values_leave_the_rest(tmp_path: Path) -> None:
    found = report(
        tmp_path,
        {
            "n.csv": b":ID,name,born:int,height:float,:LABEL\n1,Ann,1990,N/A,P\n2,B\xe9a,1,2,P\n3,Cy,soon,1.5,P\n"
            b"4,Di\n",
            "r.csv": ":START_ID,:END_ID,:TYPE\n1,3,KNOWS\n1,2,KNOWS\n3,,KNOWS\n",
        },
    )

    graph = stored_graph(tmp_path / "graph.sqlite")
    assert graph.nodes == {
        "1": ("Ann", {"P"}, {"name": "Ann", "born": 1990}),
        "3": ("Cy", {"P"}, {"name": "Cy", "height": 1.5}),
    }
    assert graph.relationships == [("1", "KNOWS", "3", {})]
    assert sorted(map(str, found.rejected)) == [
        "P.born: values that are not integers: 1 (n.csv:4)",
        "P.height: texts that mean no value: 1 (n.csv:2)",
        "lines that are not UTF-8: 1 (n.csv:3)",
        "relationships whose nodes are missing: 1 (r.csv:3)",
        "rows that are not valid: 2 (n.csv:5, r.csv:4)",
    ]


_PEOPLE = ":ID,name\n" + "".join(f"{number},Ann {number}\n" for number in range(300))


def _knows(ends: Iterable[int]) -> str:
    return ":START_ID,:END_ID,:TYPE\n" + "".join(f"{end % 300},{end},KNOWS\n" for end in ends)


def test_relationships_without_nodes_do_not_count_as_invalid_lines(tmp_path: Path) -> None:
    files = {"n.csv": _PEOPLE, "r.csv": _knows(range(150, 450))}

    found = report(tmp_path, files)

    assert found.triples == 150
    assert [str(one) for one in found.rejected] == [
        "relationships whose nodes are missing: 150 (r.csv:152, r.csv:153, r.csv:154, r.csv:155, r.csv:156, ...)"
    ]


def test_relationships_most_of_which_have_no_nodes_are_an_error(tmp_path: Path) -> None:
    files = {"n.csv": _PEOPLE, "r.csv": _knows(range(200, 450))}

    error = import_error(tmp_path, files, is_strict=False)

    assert error.startswith("150 of 250 relationships have no node at one end; add the file with these nodes")
    assert "r.csv, line 102: no node has the ID '300'" in error


def test_a_limit_of_invalid_lines_counts_relationships_without_nodes(tmp_path: Path) -> None:
    files = {"n.csv": _PEOPLE, "r.csv": _knows(range(150, 450))}

    assert import_error(tmp_path, files, is_strict=False, max_rejected=149).startswith("150 of 602 lines are invalid")
    assert report(tmp_path, files, max_rejected=150).triples == 150
