"""Confirmed plans are proposed with the values of a question that is read alike."""

from typing import Any, cast

import numpy as np
import pytest

from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from graph.plan.values import ValueType
from language.english.english import english
from language.values import QuestionValue, ValueForm
from services.retriever.plans.predictor.confirmed import ConfirmedPlans, KnownPlan
from services.retriever.plans.predictor.model import Reading
from services.retriever.plans.predictor.stored_actions import read_actions as read_stored
from services.retriever.plans.predictor.stored_actions import stored_actions
from services.retriever.plans.schema.schema_elements import SchemaElements
from tests.fakes.planning import read_actions
from tests.support.property_graphs import film_graph
from tests.support.stored_graphs import StoredGraph

_ELEMENTS = SchemaElements.of(StoredGraph(film_graph()).schema)
_AFTER = read_actions("KIND:Film PROPERTY:Film.year GREATER VALUE:1 RETURN VARIABLE:0 END", _ELEMENTS)
_COUNT = read_actions("KIND:Person GROUP COUNT_ROWS END", _ELEMENTS)


def _number(start: int) -> QuestionValue:
    return QuestionValue(start, start + 4, ValueForm.NUMBER, 1990, "1990")


def _text(start: int, *properties: int) -> QuestionValue:
    return QuestionValue(start, start + 6, ValueForm.TEXT, "Film 1", "Film 1", dict.fromkeys(properties, "Film 1"))


def _reading(*vector: float) -> Reading:
    memory = np.array([vector, vector, [9.0] * len(vector)], dtype=np.float32)
    return Reading(cast(Any, None), cast(Any, None), 2, memory, memory, memory, memory)


def _plans(*known: KnownPlan) -> ConfirmedPlans:
    vectors = np.eye(len(known), dtype=np.float32)
    return ConfirmedPlans(known, list(vectors), _ELEMENTS)


_ASKED = english("1990")
_YEARS = KnownPlan(english("films after 1990"), (_text(0, 3), _number(12)), _AFTER)
_PEOPLE = KnownPlan(english("how many people"), (), _COUNT)
_OTHER = KnownPlan(english("how many films"), (), read_actions("KIND:Film GROUP COUNT_ROWS END", _ELEMENTS))


def test_the_plan_of_the_nearest_question_gets_the_values_of_the_new_one() -> None:
    [proposal] = _plans(_YEARS, _PEOPLE, _OTHER).proposals(_ASKED, _reading(1.0, 0.0, 0.0), [_number(4)])

    expected = read_actions("KIND:Film PROPERTY:Film.year GREATER VALUE:0 RETURN VARIABLE:0 END", _ELEMENTS)
    assert proposal.actions == expected
    assert proposal.similarity == pytest.approx(1.0)


def test_a_plan_whose_values_the_question_lacks_is_not_proposed() -> None:
    plans = _plans(_YEARS, _PEOPLE, _OTHER)

    assert plans.proposals(_ASKED, _reading(1.0, 0.0, 0.0), []) == []
    assert plans.proposals(_ASKED, _reading(1.0, 0.0, 0.0), [_text(0, 3)]) == []


def test_a_name_stands_only_where_its_property_was() -> None:
    named = KnownPlan(english("Film 1"), (_text(0, 3),), (*_AFTER[:3], _AFTER[3]._replace(number=0), *_AFTER[4:]))
    plans = _plans(named, _PEOPLE, _OTHER)

    assert len(plans.proposals(_ASKED, _reading(1.0, 0.0, 0.0), [_text(5, 3, 4)])) == 1
    assert plans.proposals(_ASKED, _reading(1.0, 0.0, 0.0), [_text(5, 4)]) == []


def test_questions_that_are_read_otherwise_propose_nothing() -> None:
    plans = _plans(_YEARS, _PEOPLE, _OTHER, _PEOPLE)

    assert plans.proposals(_ASKED, _reading(0.0, 1.0, 1.0, 1.0), [_number(4)]) == []


def test_equal_plans_are_proposed_once() -> None:
    plans = ConfirmedPlans(
        [_PEOPLE, _PEOPLE, _YEARS], list(np.array([[1, 0.1], [1, 0], [0, 1]], dtype=np.float32)), _ELEMENTS
    )

    assert [one.actions for one in plans.proposals(_ASKED, _reading(1.0, 0.0), [])] == [_COUNT]


def test_stored_actions_are_read_again_by_their_names() -> None:
    values = (_text(0, 3), _number(12))

    stored = stored_actions(_AFTER, values, _ELEMENTS)

    assert stored[:2] == (("KIND", "Film"), ("PROPERTY", False, "Film", "year"))
    assert stored[3] == ("VALUE", 12, 16)
    assert read_stored(stored, values, _ELEMENTS) == _AFTER


@pytest.mark.parametrize(
    "stored", [("KIND", "Ship"), ("VALUE", 1, 2), ("NONSENSE", 0), ("OUT", "Film", "SAILS"), ("KIND",)]
)
def test_actions_that_fit_no_longer_are_not_read(stored: tuple[str | int, ...]) -> None:
    assert read_stored([stored], [_number(12)], _ELEMENTS) is None


def test_a_proposal_says_whether_the_confirmed_question_is_answered_by_yes_or_no() -> None:
    whether = KnownPlan(english("Are there any people?"), (), _COUNT)
    plans = _plans(whether, _OTHER, _YEARS)

    assert [one.asks_whether for one in plans.proposals(_ASKED, _reading(1.0, 0.0, 0.0), [])] == [True]
    assert [one.asks_whether for one in plans.proposals(_ASKED, _reading(0.0, 1.0, 0.0), [])] == [False]


_CHAIN = SchemaElements.of(
    GraphSchema(
        {
            "Person": KindSchema(
                2, {"name": PropertySchema(frozenset((ValueType.STRING,)), ValueType.STRING, 2)}, "name"
            )
        },
        {"TRAINED": RelationshipSchema(1, frozenset((("Person", "Person"),)))},
    )
)
_ANN, _NAME = (
    english("who trained Ann?"),
    "KIND:Person {}:Person.TRAINED PROPERTY:Person.name EQUAL VALUE:0 RETURN VARIABLE:0 END",
)


def _named(start: int) -> QuestionValue:
    return QuestionValue(start, start + 3, ValueForm.TEXT, "Ann", "Ann", {0: "Ann"})


def _chain() -> ConfirmedPlans:
    trainers = KnownPlan(_ANN, (_named(12),), read_actions(_NAME.format("OUT"), _CHAIN))
    trained = KnownPlan(english("whom did Ann train?"), (_named(9),), read_actions(_NAME.format("IN"), _CHAIN))
    return ConfirmedPlans([trainers, trained], list(np.array([[1, 0], [0, 1]], dtype=np.float32)), _CHAIN)


@pytest.mark.parametrize(
    ("question", "place", "direction"),
    [("who trained Bob?", 12, "OUT"), ("Whom did Bob train", 9, "IN"), ("who trained Ann?", 12, "OUT")],
)
def test_a_question_in_the_words_of_a_confirmed_one_means_its_plan_alone(
    question: str, place: int, direction: str
) -> None:
    for vector in ((1.0, 0.0), (0.0, 1.0)):
        [proposal] = _chain().proposals(english(question), _reading(*vector), [_named(place)])

        assert proposal.actions == read_actions(_NAME.format(direction), _CHAIN)
        assert proposal.similarity == 1.0


def test_other_words_do_not_tell_the_direction_between_nodes_of_one_kind() -> None:
    assert _chain().proposals(english("who was trained by Bob?"), _reading(1.0, 0.0), [_named(19)]) == []
