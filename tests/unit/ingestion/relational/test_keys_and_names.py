"""What identifies rows, and what names them."""

from pathlib import Path

import pytest

from ingestion.relational.mapping import Key
from ingestion.relational.names import kind_of, kinds_of, link_type, named_tables, words_in
from tests.support.small_tables import csv_import, database_of, error_of, folder_of, import_of, survey_of


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        ("customers", "Customer"),
        ("order_details", "OrderDetail"),
        ("OrderDetails", "OrderDetail"),
        ("ORDER DETAILS", "OrderDetail"),
        ("tblPeople", "Person"),
        ("sales.categories", "SalesCategory"),
        ("status", "Status"),
        ("книги", "Книги"),
        ("2024", "2024"),
        ("---", "---"),
    ],
)
def test_the_kind_of_a_table_is_its_name_in_the_singular(table: str, kind: str) -> None:
    assert kind_of(table) == kind


def test_tables_whose_kinds_would_be_the_same_keep_their_names() -> None:
    assert kinds_of(["person", "people", "cats"]) == {"person": "person", "people": "people", "cats": "Cat"}


def test_links_are_named_after_their_table_as_it_is() -> None:
    assert (link_type("works_on"), link_type("orderItems"), link_type("--")) == ("WORKS_ON", "ORDER_ITEMS", "LINKS")


def test_the_table_that_all_words_name_comes_first() -> None:
    tables = ["orders", "purchase_orders", "employees"]

    assert named_tables("purchase_order_id", "lines", tables) == ["purchase_orders", "orders"]
    assert named_tables("manager", "orders", tables) == ["employees"]
    assert named_tables("id", "orders", tables) == named_tables("price", "orders", tables) == []


def test_words_are_those_of_any_script() -> None:
    assert words_in("Größe_in_cm") == ("größe", "in", "cm")


@pytest.mark.parametrize(
    ("header", "key"),
    [
        ("name,id", ("id",)),
        ("film_id,name", ("film_id",)),
        ("name,FilmCode", ("FilmCode",)),
        ("flm_no,name", ("flm_no",)),
        ("country_id,place", ()),
        ("title,place", ("title",)),
        ("film,place", ("film",)),
        ("first,second", ()),
    ],
)
def test_the_key_is_a_column_that_is_named_like_one_and_identifies_rows(
    header: str, key: tuple[str, ...], tmp_path: Path
) -> None:
    files = {"films.csv": f"{header}\na,x\nb,y\n", "countries.csv": "id,name\nq,Norway\n"}

    assert survey_of(folder_of(tmp_path, files)).tables["films"].key.columns == key


@pytest.mark.parametrize("rows", ["1,x\n1,y\n", "1,x\n,y\n", ""])
def test_a_column_that_does_not_identify_rows_is_no_key(rows: str, tmp_path: Path) -> None:
    files = {"films.csv": f"id,place\n{rows}", "others.csv": "id\n1\n"}

    assert survey_of(folder_of(tmp_path, files)).tables["films"].key == Key(())


def test_rows_without_a_key_are_counted_and_named_by_their_number(tmp_path: Path) -> None:
    found = csv_import(tmp_path, {"visits.csv": "day,spent\n2024-01-01,3.5\n2024-01-01,3.5\n"})

    assert found.names("Visit") == ["Visit 2", "Visit 3"]


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("id,name,city", ["Ann", "Bo"]),
        ("id,first_name,last_name", ["Ann Oslo", "Bo Bern"]),
        ("id,surname,forename", ["Oslo Ann", "Bern Bo"]),
        ("id,customer_name,city", ["Ann", "Bo"]),
        ("id,company_name,contact_name", ["Ann", "Bo"]),
        ("id,customer_description,contact_name", ["Ann", "Bo"]),
        ("id,first_name,last_name,title", ["Ann Oslo", "Bo Bern"]),
        ("id,note,city", ["1", "2"]),
        ("id,ship_name,city", ["1", "2"]),
        ("note,town,price", ["Ann", "Bo"]),
    ],
)
def test_rows_are_named_by_their_names_or_else_their_keys(header: str, names: list[str], tmp_path: Path) -> None:
    rows = "1,Ann,Oslo,\n2,Bo,Bern,\n" if header.startswith("id") else "Ann,Oslo,1\nBo,Bern,2\n"

    found = csv_import(tmp_path, {"customers.csv": f"{header}\n{rows}"})

    assert found.names("Customer") == names


def test_a_row_without_a_name_is_named_by_its_kind_and_key(tmp_path: Path) -> None:
    found = csv_import(tmp_path, {"customers.csv": "id,name\n1,Ann Lee\n2,Bo Marsh\n3,\n"})

    assert found.names("Customer") == ["Ann Lee", "Bo Marsh", "Customer 3"]


def test_keys_of_several_columns_name_rows(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"seats.csv": "hall,number,price\nA,1,10\nA,2,10\nB,1,12\n"})

    assert import_of(folder, keys=["seats=hall,number"]).names("Seat") == ["Seat A / 1", "Seat A / 2", "Seat B / 1"]


def test_a_given_key_that_several_rows_have_is_refused_with_the_value(tmp_path: Path) -> None:
    message = error_of(folder_of(tmp_path, {"seats.csv": "hall,number\nA,1\nA,2\n"}), keys=["seats=hall"])

    assert message == (
        "--key seats=hall: 2 rows of seats.csv have the value 'A'; correct them, or give columns that identify each row"
    )


def test_rows_whose_key_is_empty_are_rejected_with_their_references(tmp_path: Path) -> None:
    script = """
    CREATE TABLE places (code TEXT PRIMARY KEY, name TEXT, next TEXT REFERENCES places);
    INSERT INTO places VALUES ('a', 'Aare', 'b'), (NULL, 'None', 'a'), ('b', 'Bode', NULL), (' a', 'Again', 'b');
    """
    database = database_of(tmp_path, script)
    refused = error_of(database, max_rejected=1)
    found = import_of(database)

    assert found.names("Place") == ["Aare", "Bode"]
    assert found.links("NEXT") == [("Place:a", "Place:b")]
    assert found.left_out() == {"places: rows without a key": 1, "places: rows whose key occurred before": 1}
    assert found.report.rejected[0].example == (
        "shop.db, table places, row 2: the key code is empty; fill it in, or remove the row"
    )
    assert refused.startswith("2 of 4 rows are invalid, but only 1 may be left out")
