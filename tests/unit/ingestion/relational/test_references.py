"""Columns refer to the tables that they are named after, if their values are keys there."""

from pathlib import Path

import pytest

from ingestion.relational.mapping import Found
from tests.support.small_tables import csv_import, database_of, folder_of, import_of, survey_of

_CUSTOMERS = "id,name\nc1,Ann Lee\nc2,Bo Marsh\n"


@pytest.mark.parametrize(
    "column", ["customer_id", "customer", "customerId", "CUSTOMER_NO", "fk_customer", "id_customer"]
)
def test_a_column_refers_to_the_table_that_it_is_named_after(column: str, tmp_path: Path) -> None:
    found = csv_import(tmp_path, {"customers.csv": _CUSTOMERS, "orders.csv": f"id,{column}\no1,c1\no2,c2\no3,c1\n"})

    assert found.links("CUSTOMER") == [
        ("Order:o1", "Customer:c1"),
        ("Order:o2", "Customer:c2"),
        ("Order:o3", "Customer:c1"),
    ]
    assert found.properties("Order")["o1"] == {"id": "o1"}
    assert found.mapping.tables["orders"].references[0].found is Found.BY_NAME_AND_VALUES


def test_the_last_words_of_a_column_may_name_the_table(tmp_path: Path) -> None:
    files = {
        "teams.csv": "id,name\n1,Reds\n2,Blues\n",
        "games.csv": "id,home_team_id,away_team_id,goals\n1,1,2,3\n2,2,1,0\n",
    }

    found = csv_import(tmp_path, files)

    assert found.links("HOME_TEAM") == [("Game:1", "Team:1"), ("Game:2", "Team:2")]
    assert found.links("AWAY_TEAM") == [("Game:1", "Team:2"), ("Game:2", "Team:1")]


def test_a_column_with_the_name_of_a_key_refers_to_it(tmp_path: Path) -> None:
    files = {"stations.csv": "stn_no,place\nS1,Bern\nS2,Oslo\n", "readings.csv": "day,stn_no,mm\n2024-01-01,S2,3\n"}

    assert csv_import(tmp_path, files).references("readings") == {"stn_no": "stations"}


def test_values_alone_are_no_reference(tmp_path: Path) -> None:
    files = {"customers.csv": "id,name\n1,Ann Lee\n2,Bo Marsh\n", "orders.csv": "id,priority\n7,1\n8,2\n"}

    assert csv_import(tmp_path, files).references("orders") == {}


def test_a_name_alone_is_no_reference_and_the_mapping_says_what_was_missing(tmp_path: Path) -> None:
    mapping = survey_of(folder_of(tmp_path, {"customers.csv": _CUSTOMERS, "orders.csv": "id,customer\n1,c1\n2,Ann\n"}))

    assert mapping.tables["orders"].references == ()
    assert [(one.columns, one.target, one.share.of_all) for one in mapping.tables["orders"].misses] == [
        (("customer",), "customers", 0.5)
    ]


def test_a_few_values_that_are_no_keys_are_rejected_references(tmp_path: Path) -> None:
    rows = "".join(f"o{number},c{number % 2 + 1}\n" for number in range(98))
    found = csv_import(tmp_path, {"customers.csv": _CUSTOMERS, "orders.csv": f"id,customer_id\n{rows}o98,c7\no99,\n"})

    assert len(found.links("CUSTOMER")) == 98
    assert "o98" in found.properties("Order")
    [rejected] = found.report.rejected
    assert str(rejected) == "orders.customer_id: references to rows that are not there: 1 (orders.csv:100)"
    assert rejected.example == (
        "orders.csv, line 100: customer_id: no row of customers has the key 'c7'; add the row, or empty the value"
    )


@pytest.mark.parametrize(
    ("column", "type_"), [("manager_id", "MANAGER"), ("reports_to", "REPORTS_TO"), ("parent_id", "PARENT")]
)
def test_a_column_may_refer_to_its_own_table(column: str, type_: str, tmp_path: Path) -> None:
    found = csv_import(tmp_path, {"employees.csv": f"id,name,{column}\n1,Ada Lind,\n2,Bo Marsh,1\n3,Cleo Park,1\n"})

    assert found.links(type_) == [("Employee:2", "Employee:1"), ("Employee:3", "Employee:1")]


def test_the_manager_of_something_is_one_of_the_people(tmp_path: Path) -> None:
    files = {
        "departments.csv": "id,name,manager_id\n1,Repairs,2\n2,Sales,1\n",
        "staff.csv": "id,name\n1,Ada Lind\n2,Bo Marsh\n3,Cleo Park\n",
    }

    assert csv_import(tmp_path, files).references("departments") == {"manager_id": "staff"}


def test_numbers_that_a_program_wrote_as_floats_are_the_same_keys(tmp_path: Path) -> None:
    files = {"teams.csv": "id,name\n1,Reds\n2,Blues\n", "players.csv": "id,name,team_id\n1,Ann Lee,2.0\n2,Bo Marsh,\n"}

    assert csv_import(tmp_path, files).links("TEAM") == [("Player:1", "Team:2")]


def test_a_name_may_be_the_key_to_which_other_tables_refer(tmp_path: Path) -> None:
    files = {
        "countries.csv": "country,capital\nNorway,Oslo\nPeru,Lima\n",
        "films.csv": "title,country\nLow Water,Peru\nNine Ferries,Norway\nLong Way,Peru\n",
    }
    found = csv_import(tmp_path, files)

    assert found.links("COUNTRY")[0] == ("Film:Low Water", "Country:Peru")
    assert sorted(found.names("Country")) == ["Norway", "Peru"]


def test_keys_of_several_columns_are_referred_to_by_all_of_them(tmp_path: Path) -> None:
    found = import_of(
        database_of(
            tmp_path,
            """
            CREATE TABLE lines (order_id INT, line_no INT, item TEXT, PRIMARY KEY (order_id, line_no));
            INSERT INTO lines VALUES (1, 1, 'bolt'), (1, 2, 'nut'), (2, 1, 'bolt');
            CREATE TABLE returns (id INTEGER PRIMARY KEY, order_id INT, line_no INT, reason TEXT);
            INSERT INTO returns VALUES (1, 1, 2, 'bent');
            CREATE TABLE notes (id INTEGER PRIMARY KEY, o INT, l INT, FOREIGN KEY (o, l) REFERENCES lines);
            INSERT INTO notes VALUES (1, 2, 1), (2, NULL, NULL);
            """,
        )
    )

    assert found.links("LINE") == [("Note:1", "Line:2 / 1"), ("Return:1", "Line:1 / 2")]
    assert found.properties("Line")["1 / 2"] == {"order_id": "1", "line_no": 2, "item": "nut"}
    assert found.properties("Return")["1"] == {"id": "1", "reason": "bent"}


def test_declared_keys_may_refer_to_another_unique_column(tmp_path: Path) -> None:
    found = import_of(
        database_of(
            tmp_path,
            """
            CREATE TABLE planes (id INTEGER PRIMARY KEY, sign TEXT UNIQUE);
            INSERT INTO planes VALUES (1, 'LN-ABC'), (2, 'LN-XYZ');
            CREATE TABLE flights (id INTEGER PRIMARY KEY, flown_by TEXT REFERENCES Planes (Sign));
            INSERT INTO flights VALUES (1, 'LN-XYZ'), (2, 'LN-QQQ');
            """,
        )
    )

    assert found.links("FLOWN_BY") == [("Flight:1", "Plane:2")]
    assert found.left_out() == {"flights.flown_by: references to rows that are not there": 1}


def test_a_key_that_is_a_reference_makes_one_row_out_of_another(tmp_path: Path) -> None:
    found = import_of(
        database_of(
            tmp_path,
            """
            CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT);
            INSERT INTO people VALUES (1, 'Ada Lind'), (2, 'Bo Marsh');
            CREATE TABLE drivers (id INTEGER PRIMARY KEY REFERENCES people (id), licence TEXT);
            INSERT INTO drivers VALUES (2, 'B');
            """,
        )
    )

    assert found.links("PERSON") == [("Driver:2", "Person:2")]


def test_references_to_the_same_table_that_would_be_called_the_same_keep_their_columns(tmp_path: Path) -> None:
    files = {"cities.csv": "id,name\n1,Bern\n2,Oslo\n", "trips.csv": "id,city_id,city_no\n1,1,2\n2,2,1\n"}

    assert {one.type for one in csv_import(tmp_path, files).mapping.tables["trips"].references} == {
        "CITY_ID",
        "CITY_NO",
    }


def test_people_refer_to_rows_by_their_names(tmp_path: Path) -> None:
    files = {
        "customers.csv": "id,name\n1,Ann Lee\n2,Bo Marsh\n",
        "orders.csv": "id,customer\n7,Bo Marsh\n8,Ann Lee\n9,\n",
        "visits.csv": "day,customer_id\n2024-01-01,2\n",
    }
    found = csv_import(tmp_path, files)

    assert found.links("CUSTOMER") == [("Order:7", "Customer:2"), ("Order:8", "Customer:1"), ("Visit:2", "Customer:2")]
    assert found.mapping.tables["orders"].references[0].target_columns == ("name",)


def test_names_that_several_rows_have_are_no_references(tmp_path: Path) -> None:
    files = {"customers.csv": "id,name\n1,Ann Lee\n2,Ann Lee\n", "orders.csv": "id,customer\n7,Ann Lee\n"}

    assert csv_import(tmp_path, files).references("orders") == {}


def test_of_two_keys_with_the_same_name_neither_refers_to_the_other(tmp_path: Path) -> None:
    script = """
    CREATE TABLE products (sku TEXT PRIMARY KEY, name TEXT); INSERT INTO products VALUES ('a', 'Lamp'), ('b', 'Desk');
    CREATE TABLE stock (sku TEXT PRIMARY KEY, number INT); INSERT INTO stock VALUES ('a', 3), ('b', 4);
    """
    found = import_of(database_of(tmp_path, script))

    assert found.references("products") == found.references("stock") == {}
    assert found.properties("Product")["a"] == {"sku": "a", "name": "Lamp"}
