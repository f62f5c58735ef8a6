"""Invent three small databases in the format of Spider's `tables.jsonl`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from question_sets.spider.questions import SpiderDatabase, read_databases


def published(
    name: str, tables: Mapping[str, str], primary: Sequence[str], foreign: Iterable[tuple[str, str]]
) -> dict[str, Any]:
    """Write a schema as Spider does; `tables` lists columns such as `id age:number`, which are texts by default."""
    columns = [(-1, "*", "text")]
    for number, line in enumerate(tables.values()):
        for column in line.split():
            name_, _, type_ = column.partition(":")
            columns.append((number, name_, type_ or "text"))
    places = {f"{list(tables)[number]}.{column}": place for place, (number, column, _) in enumerate(columns) if place}
    return {
        "db_id": name,
        "table_names_original": list(tables),
        "table_names": [one.replace("_", " ").lower() for one in tables],
        "column_names_original": [[number, column] for number, column, _ in columns],
        "column_names": [[number, column.replace("_", " ").lower()] for number, column, _ in columns],
        "column_types": [type_ for _, _, type_ in columns],
        "primary_keys": [places[one] for one in primary],
        "foreign_keys": [[places[source], places[target]] for source, target in foreign],
    }


def cinema() -> dict[str, Any]:
    """Films, directors, and actors, whom a table with a role links to films."""
    return published(
        "cinema",
        {
            "film": "id:number title year:number gross:number director_id:number released:time",
            "director": "id:number name country",
            "actor": "id:number name country born:number",
            "cast_member": "film_id:number actor_id:number role",
        },
        ["film.id", "director.id", "actor.id", "cast_member.film_id"],
        [
            ("film.director_id", "director.id"),
            ("cast_member.film_id", "film.id"),
            ("cast_member.actor_id", "actor.id"),
        ],
    )


def company() -> dict[str, Any]:
    """Employees with managers, who are employees, too; one foreign key is missing, and one is turned around."""
    return published(
        "company",
        {
            "employee": "emp_id:number name salary:number manager_id:number dept_no:number city",
            "department": "dept_no:number dept_name budget:number",
            "badge": "badge_id:number emp_id:number color",
        },
        ["employee.emp_id", "department.dept_no", "badge.badge_id"],
        [("employee.manager_id", "employee.emp_id"), ("employee.emp_id", "badge.emp_id")],
    )


def network() -> dict[str, Any]:
    """Users who follow each other, and their posts; of the two columns of a key, only the first is published."""
    return published(
        "network",
        {
            "user": "uid:number name followers:number",
            "follows": "f1:number f2:number",
            "post": "id:number uid:number text",
        },
        ["user.uid", "follows.f1", "post.id"],
        [("follows.f1", "user.uid"), ("follows.f2", "user.uid"), ("post.uid", "user.uid")],
    )


def read(row: Mapping[str, Any], *queries: str) -> SpiderDatabase:
    """Read a database as it is if these are its queries."""
    questions = [{"db_id": row["db_id"], "query": query} for query in queries or ("SELECT 1",)]
    [database] = read_databases([row], questions).values()
    return database
