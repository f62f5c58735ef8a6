"""Conditions on ages are read where a graph has years of birth."""

from datetime import date

import pytest

from graph.plan.current_time import with_current_time
from graph.plan.values import NodeRef
from services.retriever.plans.rewriting.ages import as_ages
from services.retriever.strategies.guard import read_query
from tests.support.asked_questions import asked_about
from tests.support.reference_evaluator import Node, PropertyGraph
from tests.support.stored_graphs import StoredGraph

_YEAR = date.today().year
_GRAPH = StoredGraph(
    PropertyGraph(
        tuple(
            Node(number, frozenset({"Pet"}), {"name": name, "born": _YEAR - age, "floor": age})
            for number, (name, age) in enumerate([("Luna", 2), ("Rufus", 5), ("Duke", 9)])
        ),
        (),
    )
)


def _names(question: str, condition: str) -> list[str]:
    plan = as_ages(read_query(f"MATCH (p:Pet) WHERE {condition} RETURN p"), asked_about(_GRAPH.schema, question))
    rows = _GRAPH.run(with_current_time(plan)).rows
    return [node.name for (node,) in rows if isinstance(node, NodeRef)]


@pytest.mark.parametrize(
    ("question", "condition", "names"),
    [
        ("Which pets are older than 5?", "p.born > 5", ["Duke"]),
        ("Which pets are at least 5 years old?", "p.born >= 5", ["Rufus", "Duke"]),
        ("Which pets are younger than 5 years?", "p.born < 5", ["Luna"]),
        ("Which pets are aged 5?", "p.born = 5", ["Rufus"]),
        ("Which old pets were born after 1900?", "p.born > 1900", ["Luna", "Rufus", "Duke"]),
        ("Which pets are born after 5?", "p.born > 5", ["Luna", "Rufus", "Duke"]),  # no word asks for an age
        ("Which old pets live above floor 5?", "p.floor > 5", ["Duke"]),
    ],
)
def test_a_number_is_an_age_if_the_question_asks_for_one(question: str, condition: str, names: list[str]) -> None:
    assert _names(question, condition) == names
