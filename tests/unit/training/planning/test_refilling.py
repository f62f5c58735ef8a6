import random
from typing import Literal

from hypothesis import given
from hypothesis import strategies as st

from graph.plan.algebra import Column, Comparison, Constant, Match, NodePattern, Plan, Project, Property, Variable
from graph.plan.schema import GraphSchema, KindSchema, PropertySchema
from graph.plan.traversal import walk
from graph.plan.values import Value, ValueType
from question_sets.plan_questions import PlanQuestion, PlanQuestionSet
from training.planning.refilling import NamePool, other_text, refilled_questions


def _texts(*samples: str) -> PropertySchema:
    return PropertySchema(frozenset((ValueType.STRING,)), ValueType.STRING, 10, samples=samples)


_DRIVER = {"name": _texts("Petra Novotna", "Jonas Tveit"), "shift": _texts("early", "late")}
_DEPOT = {"name": _texts("Quay Office", "The Long Yard at Sea"), "code": _texts("D-31")}
SCHEMA = GraphSchema({"Driver": KindSchema(10, _DRIVER, "name"), "Depot": KindSchema(5, _DEPOT, "name")}, {})


def _asked(question: str, kind: str, key: str, value: Value, operator: Literal["=", "in"] = "=") -> PlanQuestionSet:
    where = Comparison(operator, Property("x", key), Constant(value))
    plan = Plan((Match((NodePattern("x", (kind,)),), (), where), Project((Column("x", Variable("x")),))))
    return PlanQuestionSet({"firm": SCHEMA}, [PlanQuestion(question, plan, "firm", "test")])


def _constant(one: PlanQuestion) -> Value:
    return next(part.value for part in walk(one.plan) if isinstance(part, Constant))


@given(st.integers(0, 300))
def test_the_question_states_the_new_name(seed: int) -> None:
    [one] = refilled_questions(
        _asked("where does Petra Novotna live", "Driver", "name", "Petra Novotna"), 1.0, seed
    ).questions
    assert f"where does {_constant(one)} live" == one.question


def test_a_part_of_a_name_is_replaced_by_the_same_part() -> None:
    names = set()
    for seed in range(40):
        [one] = refilled_questions(
            _asked("what does tveit drive?", "Driver", "name", "Jonas Tveit"), 1.0, seed
        ).questions
        constant = _constant(one)
        assert isinstance(constant, str)
        assert one.question == f"what does {constant.split(' ', 1)[1].lower()} drive?"
        names.add(constant)
    assert len(names) > 1


def test_codes_keep_their_form_and_categories_become_others() -> None:
    [code] = refilled_questions(_asked("D-31 status", "Depot", "code", "D-31"), 1.0, 3).questions
    assert code.question == f"{_constant(code)} status"
    [shift] = refilled_questions(_asked("who works early?", "Driver", "shift", "early"), 1.0, 3).questions
    assert shift.question == "who works late?"


def test_years_stay_and_other_numbers_change() -> None:
    [year] = refilled_questions(_asked("since 1999", "Driver", "since", 1999), 1.0, 3).questions
    assert year.question == "since 1999"
    [number] = refilled_questions(_asked("over 500", "Driver", "pay", 500), 1.0, 3).questions
    assert number.question == f"over {_constant(number)}"


def test_what_a_question_does_not_state_stays() -> None:
    asked = _asked("who drives?", "Driver", "name", "Petra Novotna")
    assert list(refilled_questions(asked, 1.0, 1).questions) == list(asked.questions)


def test_a_new_code_has_as_many_characters() -> None:
    found = other_text("AC-240", (), NamePool(), random.Random(1))
    assert found is not None
    assert len(found) == 6
    assert found.startswith("AC-")


def test_the_items_of_a_list_are_replaced_one_by_one() -> None:
    asked = _asked("who is Petra Novotna or Jonas Tveit", "Driver", "name", ("Petra Novotna", "Jonas Tveit"), "in")
    for seed in range(20):
        [one] = refilled_questions(asked, 1.0, seed).questions
        constant = _constant(one)
        assert isinstance(constant, tuple)
        assert one.question == f"who is {constant[0]} or {constant[1]}"
