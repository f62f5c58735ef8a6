"""Write one small company as CSV files, as Parquet files, in SQLite, in DuckDB, and as CSV of neo4j-admin."""

import csv
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import duckdb

from tests.support.workbooks import write_workbook

_Rows = Sequence[Sequence[Any]]

DEPARTMENTS: _Rows = [(1, "Repairs", "Bern"), (2, "Sales", "Oslo"), (3, "Archive", None)]
EMPLOYEES: _Rows = [
    (1, "Ada Lind", date(2016, 5, 2), 5200.5, 1, None),
    (2, "Bo Marsh", date(2019, 11, 18), 4100.0, 1, 1),
    (3, "Cleo Park", date(2021, 1, 4), 3900.25, 2, 1),
    (4, "Dan Roth", date(2022, 7, 1), None, 2, 3),
]
PROJECTS: _Rows = [("P-01", "Harbour", 120000), ("P-02", "Ferry", 45000), ("P-03", "Bridge", 99000)]
ASSIGNMENTS: _Rows = [(1, "P-01", 12), (2, "P-01", 30), (3, "P-02", 8), (4, "P-02", 40), (4, "P-03", 5)]

TABLES: Mapping[str, tuple[Sequence[str], _Rows]] = {
    "departments": (("id", "name", "city"), DEPARTMENTS),
    "employees": (("employee_id", "name", "hired_on", "salary", "department_id", "manager_id"), EMPLOYEES),
    "projects": (("code", "title", "budget"), PROJECTS),
    "assignments": (("employee_id", "project", "hours"), ASSIGNMENTS),
}

_SQL = """
CREATE TABLE departments (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, city VARCHAR);
CREATE TABLE employees (
  employee_id INTEGER PRIMARY KEY, name VARCHAR, hired_on DATE, salary DOUBLE PRECISION,
  department_id INTEGER REFERENCES departments (id), manager_id INTEGER REFERENCES employees (employee_id)
);
CREATE TABLE projects (code VARCHAR PRIMARY KEY, title VARCHAR, budget INTEGER);
CREATE TABLE assignments (
  employee_id INTEGER REFERENCES employees (employee_id), project VARCHAR REFERENCES projects (code), hours INTEGER,
  PRIMARY KEY (employee_id, project)
);
"""


def write_rows(file: Path, header: Sequence[str], rows: _Rows, **dialect: Any) -> None:
    with file.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, **dialect).writerows([header, *rows])


def csv_folder(folder: Path) -> Path:
    folder.mkdir()
    for name, (header, rows) in TABLES.items():
        write_rows(folder / f"{name}.csv", header, rows)
    return folder


def tsv_folder(folder: Path) -> Path:
    folder.mkdir()
    for name, (header, rows) in TABLES.items():
        write_rows(folder / f"{name}.tsv", header, rows, delimiter="\t")
    return folder


def parquet_folder(folder: Path) -> Path:
    folder.mkdir()
    with duckdb.connect(str(duckdb_file(folder.with_suffix(".source"))), read_only=True) as database:
        for name in TABLES:
            database.execute(f"COPY {name} TO '{folder / name}.parquet' (FORMAT parquet)")
    return folder


def sqlite_file(file: Path) -> Path:
    with closing(sqlite3.connect(file)) as database:
        database.executescript(_SQL)
        for name, (header, rows) in TABLES.items():
            texts = [[str(value) if isinstance(value, date) else value for value in row] for row in rows]
            database.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(header))})", texts)
        database.commit()
    return file


def duckdb_file(file: Path) -> Path:
    with duckdb.connect(str(file)) as database:
        database.execute(_SQL)
        for name, (header, rows) in TABLES.items():
            database.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(header))})", [*map(list, rows)])
    return file


def admin_files(folder: Path) -> list[Path]:
    """Write the graph that the tables mean as CSV of neo4j-admin."""
    folder.mkdir()
    employees = [(key, name, hired, salary) for key, name, hired, salary, *_ in EMPLOYEES]
    files: dict[str, tuple[Sequence[str], _Rows]] = {
        "departments": (("id:ID(Department)", "name", "city", ":LABEL"), _labelled(DEPARTMENTS, "Department")),
        "employees": (
            ("employee_id:ID(Employee)", "name", "hired_on:date", "salary:float", ":LABEL"),
            _labelled(employees, "Employee"),
        ),
        "projects": (("code:ID(Project)", "title", "budget:int", ":LABEL"), _labelled(PROJECTS, "Project")),
        "in": (
            (":START_ID(Employee)", ":END_ID(Department)", ":TYPE"),
            [(row[0], row[4], "DEPARTMENT") for row in EMPLOYEES],
        ),
        "under": (
            (":START_ID(Employee)", ":END_ID(Employee)", ":TYPE"),
            [(row[0], row[5], "MANAGER") for row in EMPLOYEES if row[5]],
        ),
        "works": (
            (":START_ID(Employee)", ":END_ID(Project)", "hours:int", ":TYPE"),
            [(*row, "ASSIGNMENTS") for row in ASSIGNMENTS],
        ),
    }
    for name, (header, rows) in files.items():
        write_rows(folder / f"{name}.csv", header, rows)
    return [folder / f"{name}.csv" for name in files]


def _labelled(rows: _Rows, label: str) -> _Rows:
    return [(*row, label) for row in rows]


def workbook(file: Path) -> Path:
    return write_workbook(file.with_suffix(".xlsx"), {name: [header, *rows] for name, (header, rows) in TABLES.items()})


WRITERS: Mapping[str, Callable[[Path], Path]] = {
    "csv": csv_folder,
    "tsv": tsv_folder,
    "parquet": parquet_folder,
    "sqlite": sqlite_file,
    "duckdb": duckdb_file,
    "workbook": workbook,
}
