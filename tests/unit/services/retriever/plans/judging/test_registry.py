import re

import pytest

from graph.plan.algebra import Project
from graph.plan.result import PlanResult
from graph.plan.values import NodeRef
from services.retriever.plans.accounting.unread import unread_words
from services.retriever.plans.assembly.plan_structure import structure_of
from services.retriever.plans.judging.doubt import Candidate, Doubt
from services.retriever.plans.judging.registry import DOUBTS, doubts_without
from tests.support.rule_examples import read_example


def _holds(doubt: Doubt, question: str, plan: str, rows: tuple[tuple[object, ...], ...], is_known: bool) -> bool:
    asked, read, actions = read_example(doubt.example.schema, question, plan, is_known)
    last = read.steps[-1]
    names = [one.name for one in last.columns] if isinstance(last, Project) else ["number"]
    result = PlanResult(tuple(names), tuple(tuple(map(_cell, row)) for row in rows))
    structure = structure_of(read, asked.elements.name_keys, asked.elements.date_keys)
    unread = unread_words(asked.question, actions, asked.values, asked.elements, structure)
    return doubt.holds(Candidate(actions, read, result, structure, unread), asked)


def _cell(cell: object) -> object:
    kind = re.fullmatch(r"\(:(\w+)\)", cell) if isinstance(cell, str) else None
    return NodeRef("1", "Ann", (kind[1],)) if kind else cell


@pytest.mark.parametrize("doubt", DOUBTS, ids=lambda one: one.name)
def test_a_doubt_holds_for_its_example_alone(doubt: Doubt) -> None:
    example = doubt.example

    assert _holds(doubt, example.question, example.plan, example.rows, example.is_known)
    if example.right_question is not None:
        assert not _holds(doubt, example.right_question, example.plan, example.right_rows or example.rows, True)
    if example.right_plan is not None:
        assert not _holds(doubt, example.question, example.right_plan, example.right_rows or example.rows, True)
    if example.right_rows is not None:
        right = example.right_question or example.question
        assert not _holds(doubt, right, example.plan, example.right_rows, example.is_known)


def test_each_doubt_has_a_name_of_its_own_and_a_case_where_it_does_not_hold() -> None:
    names = [one.name for one in DOUBTS]

    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", name) for name in names)
    for one in (doubt.example for doubt in DOUBTS):
        assert one.right_question or one.right_plan or one.right_rows


def test_doubts_are_turned_off_by_their_names() -> None:
    left = doubts_without(("reads-nothing", "reads-end"))

    assert {one.name for one in DOUBTS} - {one.name for one in left} == {"reads-nothing", "reads-end"}
