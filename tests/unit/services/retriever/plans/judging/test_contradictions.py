from datetime import date

import pytest

from graph.plan.algebra import Plan
from graph.plan.result import PlanResult
from graph.plan.values import NodeRef
from language.values import QuestionValue, ValueForm
from services.retriever.plans.assembly.assembly import assemble
from services.retriever.plans.assembly.constants import QuestionConstants
from services.retriever.plans.judging.contradictions import contradicts
from services.retriever.plans.schema.schema_elements import SchemaElements
from tests.fakes.planning import read_actions
from tests.support.reference_evaluator import Node, PropertyGraph, Relationship
from tests.support.stored_graphs import StoredGraph
from tests.support.workshop import workshop

_GRAPH = PropertyGraph(
    (
        Node(0, frozenset({"Employee"}), {"name": "Ann", "born": date(1980, 2, 3), "age": 46}),
        Node(1, frozenset({"Employee"}), {"name": "Bo", "born": date(1990, 4, 5), "age": 36}),
        Node(2, frozenset({"Project"}), {"name": "Apollo"}),
    ),
    (Relationship(0, "rpts_to", 1, 0, {}), Relationship(1, "leads", 0, 2, {})),
)
_ELEMENTS = SchemaElements.of(StoredGraph(_GRAPH).schema)
_PEOPLE = (NodeRef("0", "Ann", ("Employee",)),)
_REPORTS = "KIND:Employee IN:Employee.rpts_to RETURN VARIABLE:1 END"
_ABOVE_NAMED = "KIND:Employee OUT:Employee.rpts_to FOCUS:0 IS VALUE:0 RETURN VARIABLE:1 END"
_BELOW_NAMED = "KIND:Employee OUT:Employee.rpts_to IS VALUE:0 RETURN VARIABLE:0 END"
_LED_BY_NAMED = "KIND:Employee OUT:Employee.leads FOCUS:0 IS VALUE:0 RETURN VARIABLE:1 END"


def _said(question: str, plan: str, *rows: tuple[object, ...]) -> bool:
    values = []
    if (start := question.find("Ann")) >= 0:
        number = _ELEMENTS.property_numbers[False, "Employee", "name"]
        values.append(QuestionValue(start, start + 3, ValueForm.TEXT, "Ann", "Ann", {number: "Ann"}))
    numbers = {id(one.schema): number for number, one in enumerate(_ELEMENTS.properties)}
    read: Plan = assemble(read_actions(plan, _ELEMENTS), _ELEMENTS, QuestionConstants(values, numbers))
    columns = ("first", "born")[: len(rows[0])] if rows else ("first",)
    return contradicts(question, values, read, PlanResult(columns, rows or (_PEOPLE,), "", {}), _ELEMENTS)


@pytest.mark.parametrize(
    ("question", "plan", "expected"),
    [
        ("Who reports to Ann?", _ABOVE_NAMED, True),
        ("Who reports to Ann?", _BELOW_NAMED, False),
        ("Who does Ann report to?", _ABOVE_NAMED, False),
        ("Who is the boss of Ann?", _ABOVE_NAMED, False),
        ("What is led by Ann?", _LED_BY_NAMED, False),
    ],
)
def test_the_name_after_a_relationship_is_its_target(question: str, plan: str, expected: bool) -> None:
    assert _said(question, plan) is expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who reports to Ann but does not lead a project?", False),
        ("Who leads a project but does not report to Ann?", True),
        ("Who leads a project and never reports to Ann?", True),
        ("Who is no friend of Ann?", False),
    ],
)
def test_what_the_question_negates_is_negated(question: str, expected: bool) -> None:
    plan = (
        "KIND:Employee OUT:Employee.rpts_to FOCUS:0 NOT_EXISTS FOCUS:0 OUT:Employee.leads CLOSE RETURN VARIABLE:0 END"
    )

    assert _said(question, plan) is expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which employees report to Ann?", True),
        ("Who reports to Ann for more than a year?", True),
        ("Which employees do not report to Ann?", False),
        ("which employees dont report to Ann", False),
        ("Who reports to someone other than Ann?", False),
        ("Who is unconnected to Ann?", False),
    ],
)
def test_nobody_is_left_out_unless_the_question_asks_for_it(question: str, expected: bool) -> None:
    plan = "KIND:Employee NOT_EXISTS FOCUS:0 OUT:Employee.rpts_to IS VALUE:0 CLOSE RETURN VARIABLE:0 END"

    assert _said(question, plan) is expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who does not report to anyone and does not lead a project?", True),
        ("Who isn't a lead and never reported to anyone?", True),
        ("Who does not lead a project?", False),
        ("Who leads a project or not, and does not report to anyone?", False),
    ],
)
def test_each_negation_of_the_question_is_one_of_the_plan(question: str, expected: bool) -> None:
    once = "KIND:Employee NOT_EXISTS FOCUS:0 OUT:Employee.leads CLOSE RETURN VARIABLE:0 END"
    twice = once.replace("CLOSE", "CLOSE NOT_EXISTS FOCUS:0 OUT:Employee.rpts_to CLOSE")

    assert _said(question, once) is expected
    assert not _said(question, twice)


@pytest.mark.parametrize(
    ("question", "direction", "expected"),
    [
        ("Who are the oldest employees?", "DESCENDING", True),
        ("Who are the oldest employees?", "ASCENDING", False),
        ("Who has worked here the longest?", "DESCENDING", True),
        ("Who has worked here the longest?", "ASCENDING", False),
        ("Who are the youngest employees?", "ASCENDING", True),
        ("Who are the youngest employees?", "DESCENDING", False),
        ("Who are the youngest and the oldest employees?", "ASCENDING", False),
        ("Sort the employees by birthday", "DESCENDING", False),
    ],
)
def test_the_oldest_have_the_earliest_dates(question: str, direction: str, expected: bool) -> None:
    plan = f"KIND:Employee SORT PROPERTY:Employee.born {direction} RETURN VARIABLE:0 END"

    assert _said(question, plan) is expected


@pytest.mark.parametrize(
    ("question", "extreme", "expected"),
    [
        ("When was the oldest employee born?", "MAX", True),
        ("When was the oldest employee born?", "MIN", False),
        ("What is the latest birthday?", "MIN", True),
    ],
)
def test_the_oldest_has_the_least_date(question: str, extreme: str, expected: bool) -> None:
    assert _said(question, f"KIND:Employee GROUP {extreme} PROPERTY:Employee.born END") is expected


@pytest.mark.parametrize(
    ("question", "direction", "expected"),
    [
        ("Who are the oldest employees?", "ASCENDING", True),
        ("Who are the oldest employees?", "DESCENDING", False),
        ("Who is the youngest employee?", "DESCENDING", True),
        ("Who is the youngest employee?", "ASCENDING", False),
        ("Who are the employees with the least experience?", "ASCENDING", False),
    ],
)
def test_the_oldest_have_the_greatest_age(question: str, direction: str, expected: bool) -> None:
    assert _said(question, f"KIND:Employee SORT PROPERTY:Employee.age {direction} RETURN VARIABLE:0 END") is expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who leads or plans a project?", True),
        ("Who was born first?", False),
        ("Who is the youngest of all?", False),
        ("What is the top salary?", False),
    ],
)
def test_the_first_of_some_rows_has_to_be_asked_for(question: str, expected: bool) -> None:
    plan = "KIND:Employee SORT PROPERTY:Employee.name ASCENDING LIMIT ONE RETURN VARIABLE:0 END"

    assert _said(question, plan) is expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How is Apollo going?", True),
        ("How many employees are there?", False),
        ("no. of employees", False),
        ("Is anyone here?", False),
    ],
)
def test_a_count_has_to_be_asked_for(question: str, expected: bool) -> None:
    assert _said(question, "KIND:Employee GROUP COUNT_ROWS END") is expected


def test_rows_without_what_they_are_sorted_by_are_in_no_order() -> None:
    plan = "KIND:Employee SORT PROPERTY:Employee.born ASCENDING RETURN VARIABLE:0 END"
    ann, bo = NodeRef("0", "Ann", ("Employee",)), NodeRef("1", "Bo", ("Employee",))

    assert _said("Who are the oldest employees?", plan, (ann, None), (bo, None))
    assert not _said("Who are the oldest employees?", plan, (ann, date(1980, 2, 3)), (bo, None))


_WORKSHOP = SchemaElements.of(StoredGraph(workshop()).schema)


@pytest.mark.parametrize(
    ("question", "key", "expected"),
    [
        ("Which jobs ran in March 2023?", "end_time", True),
        ("Which jobs ran in March 2023?", "startTime", False),
        ("Which jobs finished in March 2023?", "end_time", False),
        ("Which jobs were due in March 2023?", "end_time", False),
        ("Which jobs had their end in March 2023?", "end_time", False),
    ],
)
def test_something_is_dated_by_its_start_unless_the_end_is_named(question: str, key: str, expected: bool) -> None:
    period = QuestionValue(20, 30, ValueForm.PERIOD, (date(2023, 3, 1), date(2023, 3, 31)), "March 2023")
    actions = read_actions(f"KIND:Job PROPERTY:Job.{key} WITHIN VALUE:0 RETURN VARIABLE:0 END", _WORKSHOP)
    numbers = {id(one.schema): number for number, one in enumerate(_WORKSHOP.properties)}
    plan = assemble(actions, _WORKSHOP, QuestionConstants([period], numbers))
    result = PlanResult(("job",), ((NodeRef("1", "Alpha", ("Job",)),),), "", {})

    assert contradicts(question, [period], plan, result, _WORKSHOP) is expected


@pytest.mark.parametrize(("stored", "count", "expected"), [({}, 0, True), ({}, 2, False), ({0: "Delta"}, 0, False)])
def test_nothing_is_counted_of_a_name_that_the_graph_lacks(stored: dict[int, str], count: int, expected: bool) -> None:
    question = "How many machines does Delta use?"
    values = [QuestionValue(23, 28, ValueForm.TEXT, "Delta", "Delta", stored)]
    actions = read_actions("KIND:Job IS VALUE:0 OUT:Job.uses GROUP COUNT_ROWS END", _WORKSHOP)
    plan = assemble(actions, _WORKSHOP, QuestionConstants(values, {}))

    assert contradicts(question, values, plan, PlanResult(("count",), ((count,),), "", {}), _WORKSHOP) is expected


_BORN_LATER = "KIND:Employee KIND:Employee IS VALUE:0 FOCUS:0 PROPERTY:Employee.born {} FOCUS:1 PROPERTY:Employee.born"


@pytest.mark.parametrize(
    ("question", "operator", "expected"),
    [
        ("Who is younger than Ann?", "GREATER", False),
        ("Who is younger than Ann?", "LESS", True),
        ("Who is older than Ann?", "LESS", False),
        ("Who is older than Ann?", "GREATER", True),
        ("Who was born after Ann?", "GREATER", False),
        ("Who was born after Ann?", "LESS", True),
        ("Who was born before Ann?", "LESS", False),
        ("Who was born before Ann?", "GREATER", True),
    ],
)
def test_the_younger_are_born_later(question: str, operator: str, expected: bool) -> None:
    assert _said(question, f"{_BORN_LATER.format(operator)} RETURN VARIABLE:0 END") is expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which employee is the longest?", True),
        ("Which employee has the longest name?", False),
        ("Which name of an employee has the most letters?", False),
    ],
)
def test_nothing_is_long_because_its_name_is(question: str, expected: bool) -> None:
    plan = "KIND:Employee SORT SIZE PROPERTY:Employee.name DESCENDING RETURN VARIABLE:0 END"

    assert _said(question, plan) is expected
