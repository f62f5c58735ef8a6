"""`kgqa import --tables` and `kgqa schema --tables` say what tables become."""

import sys
from pathlib import Path

import pytest

from kgqa.cli import main
from tests.support.company_tables import csv_folder, sqlite_file
from tests.support.small_tables import folder_of

_SCHEMA = """\
kinds
  departments  -> Department  3 rows  key id (declared)           named by name
  employees    -> Employee    4 rows  key employee_id (declared)  named by name
  projects     -> Project     3 rows  key code (declared)         named by title

relationships
  (Employee)-[DEPARTMENT]->(Department)  employees.department_id  declared  4 values
  (Employee)-[MANAGER]->(Employee)       employees.manager_id     declared  3 values

link tables, whose rows are relationships
  (Employee)-[ASSIGNMENTS {hours}]->(Project)  assignments.employee_id, project  declared  5 values

to say otherwise, to kgqa import as well
  --reference assignments.employee_id=none  keep the column as a property
  --reference assignments.project=none      keep the column as a property
  --key assignments=COLUMN                  make the rows nodes, by a key of their own
  --reference employees.department_id=none  keep the column as a property
  --reference employees.manager_id=none     keep the column as a property
"""


@pytest.fixture(autouse=True)
def _empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")


def run(monkeypatch: pytest.MonkeyPatch, *words: str | Path) -> int:
    monkeypatch.setattr(sys, "argv", ["kgqa", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
        sys.exit(0)
    return int(ended.value.code or 0)


def test_the_schema_of_tables_is_shown_without_an_import(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "schema", "--tables", sqlite_file(tmp_path / "company.db")) == 0
    assert capsys.readouterr().out == _SCHEMA
    assert not (tmp_path / "home").exists()


def test_the_schema_names_what_is_missing_and_the_options_that_help(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = "".join(f"{number},{number % 2 + 1},Q{number}\n" for number in range(49))
    files = {
        "people.csv": ",id,first_name,last_name\n,1,Ann,Lee\n,2,Bo,Marsh\n",
        "visits.csv": f"day,person_id,person_code\n{rows}50,3,1\n",
        "notes.txt": "ignored",
        "empty.csv": "",
    }
    assert run(monkeypatch, "schema", "--tables", folder_of(tmp_path, files)) == 0
    shown = capsys.readouterr().out
    assert "people  -> Person  2 rows   key id (by name and values)  named by first_name and last_name" in shown
    assert "visits  -> Visit   50 rows  no key, so rows are counted" in shown
    assert "visits.person_id  by name and values  50 values, of which 98.0 % are rows of people" in shown
    assert "  people.column 1  it has no name in the first row" in shown
    assert "  files that are no tables: notes.txt, empty.csv (it is empty)" in shown
    assert "  visits.person_id: references to rows that are not there: 1 (visits.csv:51)" in shown
    assert "--reference visits.person_code=people  refer to people; 2.0 % of its values are rows of people" in shown
    assert "--key visits=COLUMN                    name the column that identifies each row" in shown


def test_a_reference_by_a_name_shows_the_column_of_the_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"customers.csv": "id,name\n1,Ann Lee\n", "orders.csv": "id,customer\n7,Ann Lee\n"}
    assert run(monkeypatch, "schema", "--tables", folder_of(tmp_path, files)) == 0
    assert "  orders.customer = customers.name  by name and values  1 value\n" in capsys.readouterr().out


def test_the_import_says_what_it_decided(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = csv_folder(tmp_path / "company")
    words = ("import", "--tables", folder, "--graph", "company", "--reference", "employees.manager_id=none")
    assert run(monkeypatch, *words) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[:3] == [
        "assignments: (Employee)-[ASSIGNMENTS {hours}]->(Project) by employee_id -> employees (by name and values), "
        "project -> projects (by name and values)",
        "departments: Department, key id (by name and values)",
        "employees: Employee, key employee_id (by name and values); department_id -> DEPARTMENT (by name and values)",
    ]
    assert "company: 9 triples, 10 entities, 2 relations, 0 aliases" in shown[4]
    assert run(monkeypatch, *words) == 0
    assert "replaced the existing graph of that name" in capsys.readouterr().out


def test_the_import_says_what_nearly_is_a_reference_and_how_to_make_it_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    people = "".join(f"{number},Name {number}\n" for number in range(1, 11))
    orders = "".join(f"{number},{number if number < 10 else 99}\n" for number in range(1, 11))
    folder = folder_of(tmp_path, {"people.csv": f"id,name\n{people}", "orders.csv": f"id,person_id\n{orders}"})

    assert run(monkeypatch, "import", "--tables", folder, "--graph", "shop") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "orders.person_id stays a property, because 90.0 % of its values are rows of people; for" in said
    assert "import again with --reference orders.person_id=people" in said

    reference = ("--reference", "orders.person_id=people")
    assert run(monkeypatch, "import", "--tables", folder, "--graph", "shop", *reference) == 0
    assert "9 triples" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("import", "--tables", "{}", "--graph", "c", "facts.tsv"), "--tables cannot be combined with files, --nodes"),
        (("import", "--tables", "{}", "--graph", "c", "--language", "de"), "--tables cannot be combined with files"),
        (("import", "facts.tsv", "--graph", "c", "--key", "a=b"), "--key and --reference are about tables"),
        (("import", "--tables", "nowhere", "--graph", "c"), "nowhere: no such file or folder"),
        (("import", "--tables", "{}", "--graph", "c", "--key", "emploees=id"), "did you mean employees?"),
        (("schema", "--tables", "{}", "--graph", "c"), "leave out --graph and --json"),
        (("schema", "--tables", "{}", "--json"), "leave out --graph and --json"),
        (("schema", "--reference", "a.b=c"), "name these with --tables"),
        (("schema", "--tables", "{}", "--key", "projects=budgt"), "did you mean budget?"),
    ],
)
def test_wrong_use_is_one_line(
    words: tuple[str, ...],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = csv_folder(tmp_path / "company")
    assert run(monkeypatch, *(word.format(folder) for word in words)) == 1
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
