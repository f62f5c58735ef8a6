"""Queries are equal apart from their notation, and results apart from their order."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.query_metrics import same_query, same_rows

GOLD = "match (:Port{name:'Turku'})<-[:CALLS_AT{hours:3}]-(s:Ship) where s.built > 1990 return distinct s.name limit 5"


@pytest.mark.parametrize(
    "query",
    [
        GOLD,
        GOLD + " ; ",
        'MATCH (:Port {name: "Turku"}) <- [:CALLS_AT {hours: 3}] - (s:Ship)\nWHERE s.built>1990\n'
        "RETURN DISTINCT s.name LIMIT 5",
        GOLD.replace("s.", "ship.").replace("(s:", "(ship:"),
        GOLD.replace("(:Port", "(p:Port").replace("[:CALLS", "[call:CALLS"),
        GOLD.replace("(s:Ship)", "(s:`Ship`)"),
    ],
)
def test_notation_makes_no_difference(query: str) -> None:
    assert same_query(query, GOLD)


@pytest.mark.parametrize(
    "query",
    [
        "",
        "no query at all",
        GOLD.replace("Turku", "turku"),
        GOLD.replace("Turku", "Tur ku"),
        GOLD.replace(":Ship", ":SHIP"),
        GOLD.replace("<-", "-"),
        GOLD.replace("distinct ", ""),
        GOLD.replace("s.name", "s.built"),
        GOLD.replace("limit 5", "limit 50"),
        GOLD.replace("hours", "days"),
    ],
)
def test_content_makes_a_difference(query: str) -> None:
    assert not same_query(query, GOLD)


def test_swapped_variables_are_another_query() -> None:
    query = "MATCH (a)-[:KNOWS]->(b) RETURN a, b"

    assert same_query("match (x)-[:KNOWS]->(y) return x, y", query)
    assert not same_query("match (x)-[:KNOWS]->(y) return y, x", query)


def test_a_property_with_the_name_of_a_variable_keeps_its_name() -> None:
    assert same_query("match (name:Ship{name:'Aino'}) return name.name", "match (s:Ship{name:'Aino'}) return s.name")


def test_functions_are_written_in_any_case() -> None:
    assert same_query("MATCH (s:Ship) RETURN COUNT(s), Avg(s.built)", "match (x:Ship) return count(x), avg(x.built)")


@given(st.text())
def test_any_text_equals_itself(text: str) -> None:
    assert same_query(text, text)


@given(st.lists(st.tuples(st.text(), st.integers())), st.randoms())
def test_rows_are_equal_in_any_order(rows: list[tuple[str, int]], random: Random) -> None:
    shuffled = random.sample(rows, len(rows))

    assert same_rows(shuffled, rows)
    assert not same_rows([*rows, ("Turku", 1)], rows)


def test_rows_compare_names_and_values() -> None:
    assert same_rows([["TURKU", 3.0]], [["Turku", 3]])
    assert not same_rows([["Turku", 3]], [["Turku", 4]])
    assert not same_rows([["Turku"]], [["Turku", 3]])
