import re
from dataclasses import replace
from typing import Any

import pytest

from graph.cypher.reader import read_cypher
from graph.plan.algebra import Plan, Property
from graph.plan.traversal import rewrite
from services.retriever.plans.rewriting.registry import REWRITES, Rewrite, rewritten
from tests.support.asked_questions import asked_about
from tests.support.rule_examples import read_example, schema_of

UNASKED = {"unsaid-kinds", "unasked-joins", "repeated-nodes"}
"""Rewrites that hold unless the words of a question speak against them."""


def _as_predicted(plan: Plan) -> Plan:
    """Return a plan of a query that reads properties as predicted plans do."""

    def replacement(part: Any) -> Any:
        return replace(part, as_stored=False) if isinstance(part, Property) and part.as_stored else None

    return rewrite(plan, replacement)


def _plan(query: str | None) -> Plan:
    assert query is not None
    return _as_predicted(read_cypher(query))


@pytest.mark.parametrize("one", REWRITES, ids=lambda one: one.name)
def test_a_rewrite_makes_of_its_example_what_it_says(one: Rewrite) -> None:
    asked = asked_about(schema_of(one.example.schema), one.example.question)

    assert one.apply(_plan(one.example.plan), asked) == _plan(one.example.becomes)


@pytest.mark.parametrize("one", [one for one in REWRITES if one.name not in UNASKED], ids=lambda one: one.name)
def test_a_rewrite_needs_the_words_of_the_question(one: Rewrite) -> None:
    plan = _plan(one.example.plan)

    assert one.apply(plan, asked_about(schema_of(one.example.schema), "")) == plan


@pytest.mark.parametrize("one", REWRITES, ids=lambda one: one.name)
def test_an_example_is_rewritten_by_its_own_rule_alone(one: Rewrite) -> None:
    asked, read, actions = read_example(one.example.schema, one.example.question, one.example.plan)
    plan = _as_predicted(read)

    assert rewritten(plan, asked, actions) == _plan(one.example.becomes)
    assert rewritten(plan, asked, actions, without=[one.name]) != _plan(one.example.becomes)


@pytest.mark.parametrize("name", ["unsaid-kinds", "unasked-joins"])
def test_words_that_are_unread_may_name_what_would_be_dropped(name: str) -> None:
    [one] = [one for one in REWRITES if one.name == name]
    asked, read, actions = read_example(one.example.schema, one.example.question, one.example.plan)
    unread = asked.question.reworded(f"{asked.question.text} Sheltered.")
    plan = _as_predicted(read)

    assert rewritten(plan, replace(asked, question=unread), actions) != _plan(one.example.becomes)


def test_each_rewrite_has_a_name_of_its_own() -> None:
    names = [one.name for one in REWRITES]

    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", name) for name in names)
