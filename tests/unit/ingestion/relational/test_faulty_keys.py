"""Tables whose key would be clear but for a few rows: these are named, and cost nothing but themselves."""

from pathlib import Path

import pytest

from ingestion.relational.mapping import Found, Key
from tests.support.small_tables import csv_import, database_of, error_of, folder_of, import_of, survey_of

_ORDERS = "id,person_id\n" + "".join(f"{number},{number % 7 + 1}\n" for number in range(1, 30))
_REPEATED = "people: rows whose key occurred before"
_SUSPECT = "people.id: values that do not identify rows, so that this is not the key"


def _people(*ids: object, title: str = "id") -> str:
    return f"{title},name\n" + "".join(f"{id_},Person {number}\n" for number, id_ in enumerate(ids, 1))


@pytest.mark.parametrize("title", ["id", "ID", "person_id", "nr"])
def test_one_repeated_key_costs_only_its_row(title: str, tmp_path: Path) -> None:
    people = _people(*range(1, 101), 7, title=title)

    found = csv_import(tmp_path, {"people.csv": people, "orders.csv": _ORDERS})

    assert found.mapping.tables["people"].key == Key((title,), Found.BY_NAME_AND_VALUES)
    assert (len(found.links("PERSON")), found.left_out()) == (29, {_REPEATED: 1})
    assert found.report.rejected[0].places == ("people.csv:102",)
    assert found.report.rejected[0].example == (
        f"people.csv, line 102: {title} is '7', as in line 8, which is the only one that is imported, and to which 4 "
        "references lead; remove this row, or give columns that identify each row: --key people=COLUMN"
    )


def test_a_repeated_key_is_an_error_of_a_strict_import(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"people.csv": _people(*range(1, 101), 7), "orders.csv": _ORDERS})

    assert error_of(folder, is_strict=True).startswith("people.csv, line 102: id is '7', as in line 8")


def test_one_empty_key_costs_only_its_row(tmp_path: Path) -> None:
    found = csv_import(tmp_path, {"people.csv": _people(1, 2, 3, 4, 5, 6, 7, ""), "orders.csv": _ORDERS})

    assert (len(found.links("PERSON")), found.left_out()) == (29, {"people: rows without a key": 1})


def test_tables_of_databases_without_declared_keys_are_read_alike(tmp_path: Path) -> None:
    script = """
    CREATE TABLE people (id INTEGER, name TEXT);
    CREATE TABLE orders (id INTEGER, person_id INTEGER);
    INSERT INTO people VALUES (1, 'Ann'), (2, 'Bo'), (3, 'Cy'), (4, 'Di'), (3, 'Ed');
    INSERT INTO orders VALUES (1, 3), (2, 4);
    """
    found = import_of(database_of(tmp_path, script))

    assert (found.links("PERSON"), found.left_out()) == (
        [("Order:1", "Person:3"), ("Order:2", "Person:4")],
        {_REPEATED: 1},
    )


def test_names_to_which_others_refer_are_a_key_with_one_twice(tmp_path: Path) -> None:
    people = "name,age\nAnn,1\nBo,2\nCy,3\nAnn,4\n"

    found = csv_import(tmp_path, {"people.csv": people, "orders.csv": "id,person\n1,Bo\n2,Cy\n"})

    assert (len(found.links("PERSON")), found.left_out()) == (2, {_REPEATED: 1})


def test_a_repeated_key_to_which_nothing_refers_costs_no_row_but_is_named(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"people.csv": _people(*range(1, 8), 7)})

    refused = error_of(folder, is_strict=True)
    found = import_of(folder)

    assert found.mapping.tables["people"].key == Key(("name",), Found.BY_NAME_AND_VALUES, ("id",))
    assert (len(found.names("Person")), found.left_out()) == (8, {_SUSPECT: 1})
    assert refused == (
        "people.csv, line 9: id is '7', as in line 8; correct it, or name the columns that identify rows: "
        "--key people=COLUMN"
    )


def test_a_key_with_many_repeated_values_is_named_if_others_refer_to_it(tmp_path: Path) -> None:
    found = csv_import(tmp_path, {"people.csv": _people(*range(1, 8), *range(1, 8)), "orders.csv": _ORDERS})

    assert (found.links("PERSON"), found.left_out()) == ([], {f"{_SUSPECT}, and 29 references to it are lost": 7})


def test_another_key_that_others_use_comes_before_one_with_a_repeated_value(tmp_path: Path) -> None:
    films = "code,id\na,1\nb,2\nc,3\na,4\n"

    mapping = survey_of(folder_of(tmp_path, {"films.csv": films, "shows.csv": "no,film_id\n1,4\n2,3\n"}))

    assert mapping.tables["films"].key.columns == ("id",)


def test_a_key_that_others_use_comes_before_one_that_none_uses(tmp_path: Path) -> None:
    films = "code,id\na,1\nb,2\nc,3\nd,3\n"

    mapping = survey_of(folder_of(tmp_path, {"films.csv": films, "shows.csv": "no,film_id\n1,1\n2,3\n"}))

    assert mapping.tables["films"].key.columns == ("id",)
