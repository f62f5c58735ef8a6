"""Tests of text on SQLite mean what the reference evaluator means, for any characters."""

import sys
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from graph.plan.algebra import (
    Call,
    Column,
    Comparison,
    Constant,
    Expression,
    Function,
    Match,
    NodePattern,
    Not,
    Or,
    Plan,
    Project,
    Property,
)
from graph.sqlite.plan_text_tests import is_exception, needs_folded_form
from graph.sqlite.store import SqliteGraphStore
from ingestion.sqlite_writer import GraphWriter
from tests.support.property_graphs import write_graph_file
from tests.support.reference_evaluator import Node, PropertyGraph, evaluate

_OPERATORS = ("=", "!=", "contains", "starts_with", "ends_with")
_NAMES = (
    *(
        "Alma",
        "alma",
        "ALMA MATER",
        "Élan",
        "élan",
        "ÉLAN VITAL",
        "İstanbul",
        "istanbul",
        "i̇stanbul",
        "300 K",
        "300 \u212a",
    ),
    *(
        "ΟΔΟΣ",
        "οδος",
        "οδοσ",
        "Straße",
        "STRASSE",
        "100% pure",
        "100 pure",
        "a_b",
        "axb",
        "a\\b",
        "日本",
        "日本語",
        "😀 smile",
    ),
    *("it's", "1995", "7.0", " padded ", "\ud7ff", "\ue000", "\U0010ffff", "\U0010ffff!", "Ǆ", "ǆ", "ǅ"),
)
_TEXTS = (
    *_NAMES,
    "a",
    "A",
    "i",
    "İ",
    "k",
    "K",
    "\u212a",
    "é",
    "É",
    "σ",
    "ς",
    "Σ",
    "%",
    "_",
    "\\",
    "",
    "x",
    "al",
    "LM",
    "語",
)


def _conditions() -> list[Expression]:
    name = Property("n", "name")
    tests: list[Expression] = [
        Comparison(operator, name, Constant(text), folds)  # type: ignore[arg-type]
        for operator, text, folds in product(_OPERATORS, _TEXTS, (False, True))
    ]
    lower = [
        Comparison(operator, Call(Function.LOWER, (name,)), Constant(text))  # type: ignore[arg-type]
        for operator, text in product(_OPERATORS, _TEXTS)
    ]
    numbers = [Comparison(operator, name, Constant(1995)) for operator in ("=", "!=", "<")]
    lists = [Comparison("in", name, Constant(items)) for items in ((1995, 7.0), ("1995", "Élan"), (), ("a", True))]
    return [*tests, *lower, *numbers, *lists]


def _plans(condition: Expression) -> list[Plan]:
    """Return plans with a condition in a pattern, within another condition, and as a value."""
    nodes, name = (NodePattern("n"),), Column("name", Property("n", "name"))
    return [
        Plan((Match(nodes, where=condition), Project((name,)))),
        Plan((Match(nodes, where=Not(Or((condition, condition)))), Project((name,)))),
        Plan((Match(nodes), Project((name, Column("x", condition))))),
    ]


async def _check(graph: PropertyGraph, file: Path, conditions: list[Expression]) -> None:
    store = SqliteGraphStore(file)
    try:
        for plan in (plan for condition in conditions for plan in _plans(condition)):
            assert (await store.run(plan)).rows == tuple(evaluate(plan, graph).rows), plan
    finally:
        await store.close()


async def test_names_of_entities_in_a_graph_of_triples(tmp_path: Path) -> None:
    graph = PropertyGraph(tuple(Node(place, frozenset(), {"name": name}) for place, name in enumerate(_NAMES)))
    with closing(GraphWriter(tmp_path / "graph.sqlite")) as writer:
        for name in _NAMES:
            writer.add_triple(name, "is", name)
        writer.finish()
    await _check(graph, tmp_path / "graph.sqlite", _conditions())


@pytest.mark.parametrize("other", [(), (7, True, None, ("a",))])
async def test_properties_of_nodes(tmp_path: Path, other: tuple[Any, ...]) -> None:
    values = (*_NAMES, "nul\0character", "NUL\0CHARACTER", *other)
    nodes = (
        Node(place, frozenset({"A"}), {} if value is None else {"name": value}) for place, value in enumerate(values)
    )
    graph = PropertyGraph(tuple(nodes))
    write_graph_file(graph, tmp_path / "graph.sqlite")
    name = Property("n", "name")
    nul = [Comparison(operator, name, Constant("\0c"), True) for operator in ("contains", "ends_with")]
    before_nul = [Comparison(operator, name, Constant("nul"), True) for operator in ("=", "contains", "ends_with")]
    await _check(graph, tmp_path / "graph.sqlite", [*_conditions(), *nul, *before_nul])


def test_the_exceptions_are_all_characters_with_ascii_letters_in_lower_case() -> None:
    for code in range(128, sys.maxunicode + 1):
        character = chr(code)
        has_ascii = any(map(str.isascii, character.lower()))
        assert is_exception(character) == has_ascii, hex(code)
        assert needs_folded_form(character) == (character.lower() != character), hex(code)


@pytest.mark.parametrize("text", ["", "Alma", "ALMA", "élan", "日本", "straße"])
def test_most_strings_need_no_folded_form(text: str) -> None:
    assert not needs_folded_form(text)
