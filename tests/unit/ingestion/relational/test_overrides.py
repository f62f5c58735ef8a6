"""Users say which columns are keys and references."""

from pathlib import Path

import pytest

from ingestion.relational.mapping import Found
from tests.support.small_tables import database_of, error_of, folder_of, import_of

_SHOP = {
    "customers.csv": "id,email,name\n1,a@x.org,Ann Lee\n2,b@x.org,Bo Marsh\n",
    "orders.csv": "id,buyer,customer_id\n7,a@x.org,1\n8,b@x.org,2\n9,c@x.org,2\n",
    "seats.csv": "hall,row\nA,1\nA,2\n",
    "tickets.csv": "id,hall,row\n1,A,2\n",
}


def test_a_column_refers_to_what_the_user_says(tmp_path: Path) -> None:
    found = import_of(
        folder_of(tmp_path, _SHOP), ["Customers=EMAIL"], ["orders.buyer=customers", "orders.customer_id=none"]
    )

    assert found.links("BUYER") == [("Order:7", "Customer:a@x.org"), ("Order:8", "Customer:b@x.org")]
    assert found.mapping.tables["orders"].references[0].found is Found.GIVEN
    assert found.properties("Order")["7"] == {"id": "7", "customer_id": "1"}
    assert found.left_out() == {"orders.buyer: references to rows that are not there": 1}


def test_a_column_may_refer_to_another_column_than_the_key(tmp_path: Path) -> None:
    found = import_of(folder_of(tmp_path, _SHOP), references=["orders.buyer=customers.Email"])

    assert found.links("BUYER") == [("Order:7", "Customer:1"), ("Order:8", "Customer:2")]
    assert found.report.rejected[0].example == (
        "orders.csv, line 4: buyer: no row of customers has the email 'c@x.org'; add the row, or empty the value"
    )


def test_a_declared_reference_may_be_a_property(tmp_path: Path) -> None:
    script = """
    CREATE TABLE a (id INTEGER PRIMARY KEY); INSERT INTO a VALUES (1);
    CREATE TABLE b (id INTEGER PRIMARY KEY, a_id INT REFERENCES a); INSERT INTO b VALUES (1, 1);
    """
    found = import_of(database_of(tmp_path, script), references=["b.a_id=NONE"])

    assert found.graph.relationships == []
    assert found.properties("B")["1"] == {"id": "1", "a_id": 1}


def test_several_columns_refer_to_a_key_of_several(tmp_path: Path) -> None:
    found = import_of(folder_of(tmp_path, _SHOP), ["seats=hall,row"], ["tickets.hall,row=seats"])

    assert found.links("SEAT") == [("Ticket:1", "Seat:A / 2")]


@pytest.mark.parametrize(
    ("keys", "references", "message"),
    [
        (["customers"], [], "--key 'customers': write TABLE=COLUMN, or TABLE=COLUMN,COLUMN"),
        (["custmers=id"], [], "--key 'custmers=id': no table is called 'custmers'; did you mean customers?"),
        (["orders=ID,buyr"], [], "--key 'orders=ID,buyr': no column of orders is called 'buyr'; did you mean buyer?"),
        (["orders=zzz"], [], "no column of orders is called 'zzz'; there are: id, buyer, customer_id"),
        ([], ["orders.buyer"], "--reference 'orders.buyer': write TABLE.COLUMN=TABLE, or TABLE.COLUMN=none"),
        ([], ["buyer=customers"], "write TABLE.COLUMN=TABLE, or TABLE.COLUMN=none"),
        ([], ["orders.buyer=custmers"], "no table is called 'custmers'; did you mean customers?"),
        ([], ["orders.buyer=customers.phone"], "no column of customers is called 'phone'; there are: id, email, name"),
        ([], ["orders.id=seats.hall"], "2 rows of seats have the value 'A'; name columns that identify rows"),
        ([], ["order.buyer=customers"], "no table is called 'order'; did you mean orders?"),
        ([], ["orders.buyr=customers"], "no column of orders is called 'buyr'; did you mean buyer?"),
        (
            [],
            ["tickets.hall=seats"],
            "no column identifies the rows of seats; say which one does with --key seats=COLUMN",
        ),
        (["seats=hall,row"], ["tickets.hall=seats"], "the key of seats is hall, row; name as many columns"),
    ],
)
def test_options_that_contradict_the_tables_are_explained(
    keys: list[str], references: list[str], message: str, tmp_path: Path
) -> None:
    assert message in error_of(folder_of(tmp_path, _SHOP), keys, references)
