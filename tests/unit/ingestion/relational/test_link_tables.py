"""Tables whose rows only connect two others are relationships, and all others are nodes."""

from pathlib import Path

import pytest

from tests.support.small_tables import csv_import, folder_of, survey_of

_ENDS = {
    "actors.csv": "id,name\n1,Ann Lee\n2,Bo Marsh\n3,Cleo Park\n",
    "films.csv": "id,title\n1,Low Water\n2,Nine Ferries\n",
}


def link_type(folder: Path, rows: str, name: str = "film_actor", keys: tuple[str, ...] = ()) -> str:
    return survey_of(folder_of(folder, {**_ENDS, f"{name}.csv": rows}), keys).tables[name].link_type


def test_other_columns_are_properties_of_the_relationships(tmp_path: Path) -> None:
    rows = "actor_id,film_id,role,fee\n1,1,Ida,100\n2,1,Sam,90\n1,2,Eve,\n"

    found = csv_import(tmp_path, {**_ENDS, "film_actor.csv": rows})

    assert found.graph.relationships == [
        ("Actor:1", "FILM_ACTOR", "Film:1", {"role": "Ida", "fee": 100}),
        ("Actor:2", "FILM_ACTOR", "Film:1", {"role": "Sam", "fee": 90}),
        ("Actor:1", "FILM_ACTOR", "Film:2", {"role": "Eve"}),
    ]
    assert set(found.report.kinds) == {"Actor", "Film"}


def test_equal_links_are_kept(tmp_path: Path) -> None:
    found = csv_import(tmp_path, {**_ENDS, "film_actor.csv": "actor_id,film_id\n1,1\n1,1\n2,2\n"})

    assert found.links("FILM_ACTOR") == [("Actor:1", "Film:1"), ("Actor:1", "Film:1"), ("Actor:2", "Film:2")]


@pytest.mark.parametrize(
    ("rows", "is_link"),
    [
        ("id,actor_id,film_id\n1,1,1\n2,2,1\n3,1,2\n", True),
        ("id,actor_id,film_id,role\n1,1,1,Ida\n2,2,1,Sam\n3,1,2,Eve\n", True),
        ("id,actor_id,film_id,day,fee,note\n1,1,1,2020-01-01,3,a\n2,2,1,2020-01-02,4,b\n3,1,2,2020-01-02,4,c\n", False),
        ("id,actor_id,film_id\n1,1,1\n2,2,1\n", False),
        ("id,actor_id,film_id\n1,1,1\n2,1,1\n", False),
        ("id,name,actor_id,film_id\n1,Gala,1,1\n2,Party,2,1\n", False),
        ("actor_id,film_id\n1,1\n2,\n", False),
        ("actor_id,other_actor_id,film_id\n1,2,1\n2,3,1\n", False),
        ("id,lead_actor_id,film_id\n1,1,1\n2,2,1\n3,1,2\n", False),
        ("lead_actor_id,film_id\n1,1\n2,1\n", True),
    ],
    ids=[
        "key",
        "key and role",
        "order",
        "one film",
        "repeated",
        "named",
        "empty end",
        "three",
        "key and role of an end",
        "role of an end",
    ],
)
def test_rows_with_more_of_their_own_are_nodes(rows: str, is_link: bool, tmp_path: Path) -> None:
    assert bool(link_type(tmp_path, rows)) is is_link


def test_a_table_to_which_others_refer_is_a_kind(tmp_path: Path) -> None:
    files = {
        **_ENDS,
        "roles.csv": "id,actor_id,film_id\n1,1,1\n2,2,1\n",
        "prizes.csv": "id,role_id\n1,2\n",
    }
    assert csv_import(tmp_path, files).mapping.tables["roles"].link_type == ""


def test_a_key_that_the_user_gives_makes_a_kind(tmp_path: Path) -> None:
    rows = "id,actor_id,film_id\n1,1,1\n2,2,1\n3,1,2\n"

    assert link_type(tmp_path, rows)
    assert not link_type(tmp_path, rows, keys=("film_actor=id",))


def test_a_link_to_a_row_that_is_not_there_is_left_out(tmp_path: Path) -> None:
    rows = "".join(f"{n % 3 + 1},{n % 2 + 1}\n" for n in range(40))

    found = csv_import(tmp_path, {**_ENDS, "film_actor.csv": f"actor_id,film_id\n{rows}1,9\n"})

    assert len(found.links("FILM_ACTOR")) == 40
    assert found.left_out() == {"film_actor.film_id: references to rows that are not there": 1}
