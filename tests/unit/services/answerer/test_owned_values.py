import pytest

from graph.plan.algebra import Column, Plan, Project, Property, Variable
from services.answerer.owned_values import gives_owners, owned_values_sentence

_RATE, _DRIVER = Column("rate", Property("driver", "rate")), Column("driver", Variable("driver"))


def test_the_owner_of_the_first_column_is_beside_it() -> None:
    assert gives_owners(Plan((Project((_RATE, _DRIVER)),)))


@pytest.mark.parametrize(
    "columns", [(_RATE,), (_DRIVER, _RATE), (_RATE, Column("depot", Variable("depot"))), (_RATE, _RATE, _DRIVER)]
)
def test_other_columns_are_no_owners(columns: tuple[Column, ...]) -> None:
    assert not gives_owners(Plan((Project(columns),)))


@pytest.mark.parametrize(
    ("noun", "rows", "text"),
    [
        ("day rate", [("150", "Cid"), ("180", "Dan"), ("150", "Eve")], "2 day rates: 150 (Cid and Eve) and 180 (Dan)"),
        ("opened", [("1990", "West"), ("2001", "North")], "2 values: 1990 (West) and 2001 (North)"),
        ("", [("a", "Ann"), (None, "Bob"), (None, "Cid")], "1 value: a (Ann) and none (Bob and Cid)"),
        ("city", [("Oslo", f"d{n}") for n in range(7)], "1 city: Oslo (d0, d1, d2, d3, d4 and 2 more)"),
        (
            "code",
            [(f"c{n}", f"d{n}") for n in range(12)],
            f"12 codes: {', '.join(f'c{n} (d{n})' for n in range(10))} and 2 more",
        ),
    ],
)
def test_each_value_is_said_once_with_its_owners(noun: str, rows: list[tuple[str | None, str]], text: str) -> None:
    assert owned_values_sentence(noun, rows) == f"The graph lists {text}."
