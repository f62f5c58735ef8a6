"""Plans return on a graph what their queries return on the rows of the graph."""

import random
from collections import defaultdict
from typing import Any

import pytest

from graph.plan.algebra import Filter, Plan
from graph.plan.checks import check_plan
from question_sets.spider.keys import Place
from question_sets.spider.parsing import QueryColumns, UnsupportedSqlError, parse_sql
from question_sets.spider.questions import SpiderDatabase
from question_sets.spider.schema import converted
from question_sets.spider.sql import read_sql
from tests.support.relational_databases import Verdict, compare
from tests.unit.question_sets.spider.databases import cinema, company, network, read
from training.planning.calibration.database_rows import FilledDatabase, RowMaker, property_of

_SEEDS = 5
_CINEMA = [
    "SELECT title FROM film",
    "SELECT DISTINCT country FROM actor",
    "SELECT title, year FROM film WHERE year BETWEEN 2 AND 3 AND gross > 1",
    "SELECT title FROM film WHERE year = 2 OR year = 4 ORDER BY gross DESC, title LIMIT 3",
    "SELECT name FROM actor WHERE name LIKE '%3%' OR country NOT LIKE 'country 1'",
    "SELECT name FROM actor WHERE country IN ('country 1', 'country 3')",
    "SELECT count(*), avg(gross), max(year) FROM film",
    "SELECT count(DISTINCT country) FROM actor",
    "SELECT T2.name FROM film AS T1 JOIN director AS T2 ON T1.director_id = T2.id WHERE T1.year > 2",
    "SELECT director_id, count(*) FROM film GROUP BY director_id",
    "SELECT T2.name, count(*) FROM film AS T1 JOIN director AS T2 ON T1.director_id = T2.id GROUP BY T1.director_id",
    "SELECT T2.name FROM film T1 JOIN director T2 ON T1.director_id = T2.id GROUP BY T2.id HAVING count(*) >= 2",
    "SELECT country FROM director GROUP BY country HAVING count(*) > 1 ORDER BY count(*) DESC LIMIT 1",
    "SELECT T1.name, T3.title, T2.role FROM actor T1 JOIN cast_member T2 ON T1.id = T2.actor_id "
    "JOIN film T3 ON T2.film_id = T3.id WHERE T2.role = 'role 2'",
    "SELECT count(*) FROM cast_member WHERE role != 'role 1'",
    "SELECT title FROM film WHERE id NOT IN (SELECT film_id FROM cast_member)",
    "SELECT name FROM actor WHERE id IN (SELECT actor_id FROM cast_member GROUP BY actor_id HAVING count(*) > 1)",
    "SELECT title FROM film WHERE gross > (SELECT avg(gross) FROM film)",
    "SELECT title FROM film WHERE year = (SELECT min(year) FROM film)",
    "SELECT title FROM film WHERE director_id = (SELECT id FROM director ORDER BY name DESC LIMIT 1)",
    "SELECT country FROM actor INTERSECT SELECT country FROM director",
    "SELECT country FROM actor EXCEPT SELECT country FROM director WHERE name = 'name 1'",
    "SELECT country FROM actor UNION SELECT country FROM director",
    "SELECT T1.name FROM actor T1 JOIN cast_member T2 ON T1.id = T2.actor_id WHERE T2.role = 'role 1' "
    "INTERSECT SELECT T1.name FROM actor T1 JOIN cast_member T2 ON T1.id = T2.actor_id WHERE T2.role = 'role 2'",
    "SELECT count(*) FROM (SELECT country FROM actor EXCEPT SELECT country FROM director)",
    "SELECT country, avg(born) FROM actor GROUP BY country HAVING avg(born) > (SELECT avg(born) FROM actor)",
    "SELECT title FROM film WHERE released > '2010-01-03'",
    "SELECT title, max(year) FROM film",
    "SELECT * FROM film ORDER BY year",
    "SELECT DISTINCT T2.country FROM film T1 JOIN director T2 ON T1.director_id = T2.id WHERE T1.gross + T1.year > 3",
]  # fmt: skip
_COMPANY = [
    "SELECT T1.name, T2.name FROM employee T1 JOIN employee T2 ON T1.manager_id = T2.emp_id",
    "SELECT T2.name, count(*) FROM employee T1 JOIN employee T2 ON T1.manager_id = T2.emp_id GROUP BY T2.emp_id",
    "SELECT T1.name FROM employee T1 JOIN department T2 ON T1.dept_no = T2.dept_no WHERE T2.budget > 2",
    "SELECT dept_no, max(salary) FROM employee GROUP BY dept_no",
    "SELECT name FROM employee WHERE emp_id NOT IN (SELECT emp_id FROM badge WHERE color = 'color 1')",
    "SELECT T1.name FROM employee T1 JOIN employee T2 ON T1.dept_no = T2.dept_no WHERE T2.name = 'name 2'",
    "SELECT name, salary FROM employee WHERE salary > (SELECT salary FROM employee WHERE name = 'name 1')",
    "SELECT dept_name FROM department EXCEPT SELECT T2.dept_name FROM employee T1 "
    "JOIN department T2 ON T1.dept_no = T2.dept_no WHERE T1.city = 'city 2'",
    "SELECT name FROM employee WHERE emp_id NOT IN (SELECT manager_id FROM employee)",
    "SELECT city FROM employee WHERE salary > 1 INTERSECT SELECT city FROM employee WHERE salary < 4",
]
_NETWORK = [
    "SELECT T1.name FROM user T1 JOIN follows T2 ON T1.uid = T2.f1 GROUP BY T2.f1 ORDER BY count(*) DESC LIMIT 1",
    "SELECT count(*) FROM follows WHERE f2 = 3",
    "SELECT f1, count(*) FROM follows GROUP BY f1",
    "SELECT T1.text FROM post T1 JOIN user T2 ON T1.uid = T2.uid WHERE T2.name = 'name 3'",
    "SELECT T2.name FROM follows T1 JOIN user T2 ON T1.f2 = T2.uid WHERE T1.f1 = 2",
    "SELECT name FROM user WHERE uid NOT IN (SELECT uid FROM post)",
]
_CASES = [
    (make, query)
    for make, queries in ((cinema, _CINEMA), (company, _COMPANY), (network, _NETWORK))
    for query in queries
]


def _filled(database: SpiderDatabase, query: str, seed: int) -> FilledDatabase:
    tables = database.tables.tables
    literals: dict[Place, list[Any]] = defaultdict(list)
    columns = {name: set(table.columns) for name, table in tables.items()}
    for place, text in QueryColumns(parse_sql(query), columns).literals():
        described = property_of(database, place)
        literals[place].append(converted(text.strip("%"), described.content if described else None))
    return RowMaker(database, literals, random.Random(seed)).fill(tables)


def _verdicts(database: SpiderDatabase, query: str, plan: Plan) -> set[Verdict]:
    return {compare(query, plan, _filled(database, query, seed)) for seed in range(_SEEDS)}


@pytest.mark.parametrize(("make", "query"), _CASES, ids=[query for _, query in _CASES])
def test_a_plan_returns_what_its_query_returns(make: Any, query: str) -> None:
    database = read(make(), *[one for other, one in _CASES if other is make])
    plan = read_sql(query, database.tables, database.schema)
    check_plan(plan, database.schema)
    verdicts = _verdicts(database, query, plan)
    assert verdicts <= {Verdict.EQUAL, Verdict.EMPTY}
    assert Verdict.EQUAL in verdicts


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("SELECT title FROM film WHERE year > 2", "SELECT title FROM film WHERE year >= 2"),
        ("SELECT country FROM actor", "SELECT DISTINCT country FROM actor"),
        ("SELECT title FROM film ORDER BY year", "SELECT title FROM film ORDER BY year DESC"),
        ("SELECT title FROM film ORDER BY year LIMIT 2", "SELECT title FROM film ORDER BY gross LIMIT 2"),
        ("SELECT count(*) FROM cast_member", "SELECT count(DISTINCT actor_id) FROM cast_member"),
    ],
)
def test_the_comparison_finds_wrong_plans(right: str, wrong: str) -> None:
    database = read(cinema(), *_CINEMA)
    plan = read_sql(wrong, database.tables, database.schema)
    assert _verdicts(database, right, plan) & {Verdict.DIFFERENT, Verdict.ORDER}


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("SELECT ) FROM", "unreadable SQL"),
        ("SELECT title FROM film LEFT JOIN director ON film.director_id = director.id", "outer join"),
        ("SELECT title FROM nothing", "unknown or ambiguous table"),
        ("SELECT nothing FROM film", "unknown column"),
        ("SELECT sum(title) FROM film", "arithmetic with texts"),
        ("SELECT title FROM film WHERE title LIKE 'a%b'", "wildcards inside"),
        (
            "SELECT country, title FROM film JOIN director ON film.director_id = director.id GROUP BY country",
            "determine",
        ),
        ("SELECT title FROM (SELECT title FROM film)", "subquery as a table"),
        ("SELECT CASE WHEN year > 2 THEN 1 END FROM film", "case as a value"),
    ],
)
def test_the_error_names_what_is_unsupported(query: str, reason: str) -> None:
    database = read(cinema())
    with pytest.raises(UnsupportedSqlError, match=reason):
        read_sql(query, database.tables, database.schema)


def test_a_negated_like_stays_negated() -> None:
    database = read(cinema())
    both = [
        read_sql(f"SELECT title FROM film WHERE title {test} '%a%'", database.tables, database.schema)
        for test in ("LIKE", "NOT LIKE")
    ]
    assert both[0] != both[1]


def test_a_count_of_a_subquery_tests_the_matches_of_a_subpattern() -> None:
    database = read(cinema())
    grouped = "SELECT actor_id FROM cast_member GROUP BY actor_id HAVING count(*) > 1"
    plan = read_sql(f"SELECT name FROM actor WHERE id IN ({grouped})", database.tables, database.schema)
    assert not any(isinstance(step, Filter) for step in plan.steps)
