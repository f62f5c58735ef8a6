from collections.abc import Sequence
from typing import Any

import pytest

from graph.plan.algebra import Plan
from graph.plan.result import PlanResult
from language.english.question_values import literal_values
from language.values import QuestionValue
from services.retriever.execution.readable import readable
from services.retriever.plans.assembly.assembly import assemble
from services.retriever.plans.assembly.constants import QuestionConstants
from services.retriever.plans.rewriting.differences import as_asked
from services.retriever.plans.schema.schema_elements import SchemaElements
from tests.fakes.planning import read_actions
from tests.support.asked_questions import asked_about
from tests.support.doubts import doubts_of
from tests.support.stored_graphs import StoredGraph
from tests.support.workshop import workshop

_GRAPH = StoredGraph(workshop())
_ELEMENTS = SchemaElements.of(_GRAPH.schema)
_NUMBERS = {id(one.schema): number for number, one in enumerate(_ELEMENTS.properties)}


def _values(question: str) -> list[QuestionValue]:
    return [value for value in literal_values(question) if value.form != "text"]


def _read(question: str, actions: str) -> Plan:
    return assemble(read_actions(actions, _ELEMENTS), _ELEMENTS, QuestionConstants(_values(question), _NUMBERS))


def _rows(question: str, actions: str) -> Sequence[Sequence[Any]]:
    values = _values(question)
    result = _GRAPH.run(as_asked(_read(question, actions), asked_about(_GRAPH.schema, question, values)))
    return [[getattr(cell, "name", cell) for cell in row] for row in result.rows]


def _jobs_where(condition: str) -> str:
    return f"KIND:Job PROPERTY:Job.{condition} RETURN VARIABLE:0 END"


@pytest.mark.parametrize(
    ("question", "condition", "expected"),
    [
        ("Which jobs took more than 2 hours to set up?", "setup GREATER VALUE:0", ["Alpha"]),
        ("Which setups took at least 120 minutes?", "setup AT_LEAST VALUE:0", ["Alpha", "Gamma"]),
        ("Which setups took under an hour?", "setup LESS VALUE:0", ["Beta"]),
        ("Which setups took less than one hour?", "setup LESS ONE", ["Beta"]),
        ("Which setups took 4 hours and 30 minutes?", "setup EQUAL VALUE:0", ["Alpha"]),
        ("Which setups took at least 0 hours 50 minutes?", "setup EQUAL VALUE:0", ["Beta"]),
        ("Which setups took between 1 and 3 hours?", "setup BETWEEN VALUE:0 VALUE:1", ["Gamma"]),
        ("Which jobs lasted longer than 90 minutes?", "duration GREATER VALUE:0", ["Alpha", "Beta"]),
        ("Which jobs weigh over 0.15 tonnes?", "weight_kg GREATER VALUE:0", ["Beta", "Gamma"]),
        ("Which jobs weigh under 150000 g?", "weight_kg LESS VALUE:0", ["Alpha"]),
        ("Which jobs lasted less than 90 m?", "duration LESS VALUE:0", ["Gamma"]),
        ("Which jobs cost less than 0.0001 m?", "cost LESS VALUE:0", ["Alpha"]),
        ("Which setups took longer than the job?", "setup GREATER PROPERTY:Job.duration", ["Alpha", "Gamma"]),
        ("Which jobs took longer than their setup?", "duration GREATER PROPERTY:Job.setup", ["Beta"]),
        ("Which jobs weigh over 150?", "weight_kg GREATER VALUE:0", ["Beta", "Gamma"]),
    ],
)
def test_numbers_are_compared_in_the_unit_of_the_property(question: str, condition: str, expected: list[str]) -> None:
    assert sorted(row[0] for row in _rows(question, _jobs_where(condition))) == expected


@pytest.mark.parametrize(
    ("question", "actions", "expected"),
    [
        ("How long did Alpha last?", "KIND:Job IS VALUE:0 RETURN PROPERTY:Job.duration END", "PT2H"),
        ("How many minutes did Alpha last?", "KIND:Job IS VALUE:0 RETURN PROPERTY:Job.duration END", 120),
        ("How many hours did the setup of Alpha take?", "KIND:Job IS VALUE:0 RETURN PROPERTY:Job.setup END", 4.5),
        ("What is the weight of Alpha in grams?", "KIND:Job IS VALUE:0 RETURN PROPERTY:Job.weight_kg END", 100_000),
        ("How long did all jobs last?", "KIND:Job GROUP SUM PROPERTY:Job.duration END", 28_800),
        ("What is the average setup in hours?", "KIND:Job GROUP AVERAGE PROPERTY:Job.setup END", 2.444444444444444),
    ],
)
def test_results_are_in_the_unit_that_the_question_names(question: str, actions: str, expected: Any) -> None:
    values = [QuestionValue(place, place + 5, "text", "Alpha", "Alpha") for place in (question.find("Alpha"),)]  # type: ignore[arg-type]
    plan = assemble(read_actions(actions, _ELEMENTS), _ELEMENTS, QuestionConstants(values, _NUMBERS))

    [[found]] = _GRAPH.run(as_asked(plan, asked_about(_GRAPH.schema, question, values))).rows

    assert found == pytest.approx(expected) if not isinstance(expected, str) else found == expected


_SORTED = "KIND:Job SORT PROPERTY:Job.{} ASCENDING LIMIT ONE RETURN VARIABLE:0 END"
_NORTH = "KIND:Machine SORT PROPERTY:Machine.{} DESCENDING LIMIT ONE RETURN VARIABLE:0 END"


@pytest.mark.parametrize(
    ("question", "actions", "expected"),
    [
        ("Which job was the shortest?", _SORTED.format("cost"), True),
        ("Which job was the shortest?", _SORTED.format("duration"), False),
        ("Which job was the shortest?", _SORTED.format("setup"), False),
        ("Which job was the cheapest?", _SORTED.format("cost"), False),
        ("Which job was the lightest?", _SORTED.format("cost"), True),
        ("Which job did 'The Shortest Day'?", _SORTED.format("cost"), False),
        ("Which machine is furthest north?", _NORTH.format("longitude"), True),
        ("Which machine is furthest north?", _NORTH.format("latitude"), False),
        ("Which machine is furthest south?", _NORTH.format("latitude"), True),
        ("Which job was the longest?", _SORTED.format("duration"), True),
        ("Which machine is the northernmost?", _NORTH.format("longitude"), True),
        ("Which machine is the oldest?", _NORTH.format("built"), False),
    ],
)
def test_plans_that_compare_by_another_measure(question: str, actions: str, expected: bool) -> None:
    doubts = doubts_of(_GRAPH.schema, question, _values(question), actions, PlanResult((), ()))

    assert ("compares-another" in doubts) is expected


def test_an_age_is_counted_until_today() -> None:
    question = "How old is the machine?"
    machine = _read(question, "KIND:Machine RETURN PROPERTY:Machine.built END")
    plan = as_asked(machine, asked_about(_GRAPH.schema, question, []))

    assert readable(plan) == "match machine:Machine → (year(today()) - machine.built) as age"
