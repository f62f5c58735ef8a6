from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from language.english.english import english
from language.english.question_values import literal_values
from language.values import QuestionValue, ValueForm
from services.retriever.plans.grammar.actions import Action
from services.retriever.plans.predictor.encoding import ActionIndex, encode_schema
from services.retriever.plans.predictor.search import PlanSearch
from services.retriever.plans.schema.schema_elements import SchemaElements
from tests.fakes.planning import read_actions
from tests.support.property_graphs import film_graph
from tests.support.stored_graphs import StoredGraph

_ELEMENTS = SchemaElements.of(StoredGraph(film_graph()).schema)
_FILMS = read_actions("KIND:Film RETURN VARIABLE:0 END", _ELEMENTS)
_PEOPLE = read_actions("KIND:Person GROUP COUNT_ROWS END", _ELEMENTS)
_ILLEGAL = read_actions("GROUP COUNT_ROWS END", _ELEMENTS)


@dataclass
class _Schema:
    elements: SchemaElements


@dataclass
class _Reading:
    index: ActionIndex


@dataclass
class _Prefixes:
    actions: list[tuple[Action, ...]]
    scores: npt.NDArray[np.float32]


class _Model:
    """Prefer the plans of a list, by their weights."""

    def __init__(self, plans: dict[tuple[Action, ...], float]) -> None:
        self._plans = plans

    def read(self, question: str, values: Sequence[QuestionValue], schema: _Schema) -> _Reading:
        return _Reading(ActionIndex(encode_schema(schema.elements), len(values)))

    def start(self, reading: _Reading) -> _Prefixes:
        return self._prefixes(reading, [()])

    def extend(
        self, reading: _Reading, prefixes: _Prefixes, rows: Sequence[int], actions: Sequence[Action], bound: Any
    ) -> _Prefixes:
        return self._prefixes(reading, [(*prefixes.actions[row], one) for row, one in zip(rows, actions, strict=True)])

    def _prefixes(self, reading: _Reading, prefixes: list[tuple[Action, ...]]) -> _Prefixes:
        scores = np.zeros((len(prefixes), reading.index.size), dtype=np.float32)
        for row, prefix in enumerate(prefixes):
            for plan, weight in self._plans.items():
                if plan[: len(prefix)] == prefix and len(prefix) < len(plan):
                    scores[row, reading.index(plan[len(prefix)])] = weight
        return _Prefixes(prefixes, scores)


def _search(
    plans: dict[tuple[Action, ...], float], width: int, values: Sequence[QuestionValue] = tuple(literal_values("1999"))
) -> list[tuple[Action, ...]]:
    search = PlanSearch(cast(Any, _Model(plans)), cast(Any, _Schema(_ELEMENTS)))
    found = search.predict(english("Which films are there?"), values, width)
    logs = [one.log_probability for one in found]
    assert logs == sorted(logs, reverse=True)
    assert all(log <= 0 for log in logs)
    return [one.actions for one in found]


def test_the_most_probable_plan_comes_first() -> None:
    assert _search({_FILMS: 20.0, _PEOPLE: 19.0}, 2) == [_FILMS, _PEOPLE]
    assert _search({_FILMS: 19.0, _PEOPLE: 20.0}, 2) == [_PEOPLE, _FILMS]


def test_a_search_returns_no_more_plans_than_its_width() -> None:
    assert _search({_FILMS: 20.0, _PEOPLE: 19.0}, 1) == [_FILMS]


def test_illegal_actions_are_never_chosen() -> None:
    assert _search({_ILLEGAL: 50.0, _FILMS: 20.0}, 1) == [_FILMS]


def test_no_plan_begins_a_comparison_with_a_name_that_no_value_fits() -> None:
    film_name = _ELEMENTS.property_numbers[False, "Film", _ELEMENTS.name_properties["Film"]]
    person_name = _ELEMENTS.property_numbers[False, "Person", _ELEMENTS.name_properties["Person"]]
    named = read_actions("KIND:Film IS VALUE:0 RETURN VARIABLE:0 END", _ELEMENTS)
    ada = QuestionValue(0, 3, ValueForm.TEXT, "Ada", "Ada", {person_name: "Ada"})
    dune = QuestionValue(0, 4, ValueForm.TEXT, "Dune", "Dune", {film_name: "Dune"})
    assert _search({named: 50.0, _FILMS: 20.0}, 1, [ada]) == [_FILMS]
    assert _search({named: 50.0, _FILMS: 20.0}, 1, [dune]) == [named]


def test_a_relationship_is_not_repeated() -> None:
    acted = "KIND:Film IN:Person.ACTED_IN FOCUS:0 IN:Person.DIRECTED FOCUS:0 IN:Person.ACTED_IN"
    repeated = read_actions(f"{acted} SAME VARIABLE:1 RETURN VARIABLE:0 END", _ELEMENTS)
    other = read_actions(f"{acted} SAME VARIABLE:2 RETURN VARIABLE:0 END", _ELEMENTS)

    assert _search({repeated: 50.0, other: 20.0}, 1) == [other]


def test_a_property_is_not_compared_with_itself() -> None:
    tautology = read_actions("KIND:Film PROPERTY:Film.year EQUAL PROPERTY:Film.year RETURN VARIABLE:0 END", _ELEMENTS)
    compared = read_actions("KIND:Film PROPERTY:Film.year EQUAL PROPERTY:Film.rating RETURN VARIABLE:0 END", _ELEMENTS)

    assert _search({tautology: 50.0, compared: 20.0}, 1) == [compared]


def test_a_list_has_each_value_once() -> None:
    listed = "KIND:Film PROPERTY:Film.year ONE_OF VALUE:0"
    twice = read_actions(f"{listed} VALUE:0 CLOSE RETURN VARIABLE:0 END", _ELEMENTS)
    once = read_actions(f"{listed} CLOSE RETURN VARIABLE:0 END", _ELEMENTS)

    assert _search({twice: 50.0, once: 20.0}, 1) == [once]


def test_the_values_of_a_list_follow_the_question() -> None:
    listed = "KIND:Film PROPERTY:Film.year ONE_OF"
    turned = read_actions(f"{listed} VALUE:1 VALUE:0 CLOSE RETURN VARIABLE:0 END", _ELEMENTS)
    once = read_actions(f"{listed} VALUE:0 VALUE:1 CLOSE RETURN VARIABLE:0 END", _ELEMENTS)
    values = [QuestionValue(0, 4, ValueForm.NUMBER, 1999, "1999"), QuestionValue(8, 12, ValueForm.NUMBER, 2001, "2001")]

    assert _search({turned: 50.0, once: 49.0}, 2, values) == [once]


def test_plans_that_use_the_stored_names_are_found_although_others_are_more_probable() -> None:
    film_name = _ELEMENTS.property_numbers[False, "Film", _ELEMENTS.name_properties["Film"]]
    named = read_actions("KIND:Film IS VALUE:0 RETURN VARIABLE:0 END", _ELEMENTS)
    dune = QuestionValue(0, 4, ValueForm.TEXT, "Dune", "Dune", {film_name: "Dune"})

    assert _search({_FILMS: 50.0, named: 45.0}, 1, [dune]) == [_FILMS, named]
    assert _search({_FILMS: 50.0, named: 20.0}, 1, [replace(dune, stored={})]) == [_FILMS]


def test_two_nodes_are_not_the_same_named_one_except_as_alternatives() -> None:
    person_name = _ELEMENTS.property_numbers[False, "Person", _ELEMENTS.name_properties["Person"]]
    ada = QuestionValue(0, 3, ValueForm.TEXT, "Ada", "Ada", {person_name: "Ada"})
    both = "KIND:Film IN:Person.ACTED_IN IS VALUE:0 FOCUS:0 IN:Person.DIRECTED"
    twice = read_actions(f"{both} IS VALUE:0 RETURN VARIABLE:0 END", _ELEMENTS)
    once = read_actions(f"{both} RETURN VARIABLE:0 END", _ELEMENTS)
    acted, directed = (f"EXISTS IN:Person.{type_} IS VALUE:0 CLOSE" for type_ in ("ACTED_IN", "DIRECTED"))
    either = read_actions(f"KIND:Film OR {acted} {directed} RETURN VARIABLE:0 END", _ELEMENTS)

    assert _search({twice: 50.0, once: 20.0}, 1, [ada]) == [once]
    assert _search({either: 50.0, _FILMS: 20.0}, 1, [ada]) == [either]
